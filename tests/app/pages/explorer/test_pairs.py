"""A pair holds the numbers of Eq. (4) and (5), and where its nodes are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from app.pages.explorer.page_reader import data_of, plain_page

from smixup.analysis.explanation import Explanation
from smixup.app.explain import Explained
from smixup.app.pages.explorer.pairs import ExplorerPair, framed
from smixup.app.pictures.layouts import turned
from smixup.app.studies.pair_source import MAX_NODES
from smixup.augment.mixing import interpolate
from smixup.augment.transport import TRANSPORTS
from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.one_hot import one_hot_columns
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Identity, Matcher, RandomOrder, Uniform


def dense(entries: dict[str, Any], shape: tuple[int, int]) -> torch.Tensor:
    matrix = torch.zeros(shape)
    for row, column, value in zip(
        entries["row"], entries["column"], entries["values"], strict=True
    ):
        matrix[row, column] = value
    return matrix


def assignment(way: dict[str, Any], shape: tuple[int, int]) -> torch.Tensor:
    """M as the page builds it: from links, or row by row."""
    if way["assignment"] is not None:
        return torch.tensor(way["assignment"])
    matrix = torch.zeros(shape)
    for row, column in way["links"]:
        matrix[row, column] = 1
    return matrix


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("transport", ["partial", "partial(edges=true)", "paper"])
@pytest.mark.parametrize("places", [(3, 4), (4, 3)])
@pytest.mark.parametrize("matcher", [Uniform(), Identity(partial=True)])
def test_the_numbers_on_the_page_give_the_mix_of_eq_5(
    graphs: Graphs, lam: float, transport: str, places: tuple[int, int], matcher: Matcher
) -> None:
    left, right = graphs[[places[0]]], graphs[[places[1]]]
    pair = data_of(plain_page(ExplorerPair.of(matcher, left, right, transport)))["pairs"][0]
    n, d = left.x.shape
    carried = TRANSPORTS.of(transport)(matcher(left, right), left, right)
    mix = interpolate(left, carried, torch.tensor([lam]))

    def mixed(name: str, shape: tuple[int, int]) -> torch.Tensor:
        first, second = dense(pair["left"][name], shape), dense(pair["ways"][0][name], shape)
        return lam * first + (1 - lam) * second

    upper = mixed("edges", (n, n))
    torch.testing.assert_close(upper + upper.T, mix.adj.to_dense(), atol=1e-4, rtol=0)
    torch.testing.assert_close(mixed("features", (n, d)), mix.x, atol=1e-4, rtol=0)
    y1, y2 = torch.tensor(pair["left"]["y"]), torch.tensor(pair["right"]["y"])
    torch.testing.assert_close(lam * y1 + (1 - lam) * y2, mix.y[0])


def test_the_second_graph_and_the_assignment_are_there_too(graphs: Graphs) -> None:
    left, right = graphs[[3]], graphs[[4]]
    pair = data_of(plain_page(ExplorerPair.of(Uniform(), left, right)))["pairs"][0]
    assert (pair["left"]["graph"], pair["right"]["graph"]) == (3, 4)
    n2, d = right.x.shape
    upper = dense(pair["right"]["edges"], (n2, n2))
    torch.testing.assert_close(upper + upper.T, right.adj.to_dense(), atol=1e-4, rtol=0)
    features, way = pair["right"]["features"], pair["ways"][0]
    torch.testing.assert_close(dense(features, (n2, d)), right.x, atol=1e-4, rtol=0)
    even = torch.full((3, n2), 1 / 3)
    torch.testing.assert_close(assignment(way, (3, n2)), even, atol=1e-3, rtol=0)
    assert [sorted(each) for each in way["orders"]] == [[0, 1, 2], list(range(n2))]


def explained(graphs: Graphs) -> Callable[[int], Explained]:
    """Every node speaks for the graph as much as its number says."""

    def explain(place: int) -> Explained:
        n = int(graphs.sizes[place])
        found = Explanation(0, 1.0, torch.arange(n) / 8, torch.zeros(2, 0), torch.zeros(0))
        return Explained(place, f"kind {place}", "log odds", torch.zeros(n, n), found, ("C",) * n)

    return explain


def test_what_a_model_rests_on_is_there_if_one_is_given(graphs: Graphs) -> None:
    left, right, alone = graphs[[3]], graphs[[4]], graphs[[1]]
    assert alone.num_nodes == 1
    given = [
        ExplorerPair.of(Uniform(), left, other, explain=explained(graphs))
        for other in (right, alone)
    ]
    first, second = data_of(plain_page(*given))["pairs"]
    assert first["left"]["importance"] == [0, 0.125, 0.25]
    assert first["left"]["predicted"] == "kind 3"
    assert len(first["right"]["importance"]) == right.num_nodes
    assert second["right"]["importance"] is None  # nothing could be taken away
    without = data_of(plain_page(ExplorerPair.of(Uniform(), left, right)))["pairs"][0]
    assert without["left"]["importance"] is None
    assert without["left"]["symbols"] is None


def test_atoms_have_their_symbols(graphs: Graphs) -> None:
    values = np.zeros((graphs.num_nodes, 9), dtype=np.int64)
    values[:, 0] = 5 + np.arange(graphs.num_nodes) % 2
    molecules = graphs.replace(x=one_hot_columns(values, ATOM_VALUES))
    pair = ExplorerPair.of(Uniform(), molecules[[3]], molecules[[4]])
    first = int(graphs.ptr[3]) % 2
    assert pair.left.symbols == [("C", "N")[(first + node) % 2] for node in range(3)]


@pytest.mark.parametrize("places", [(1, 1), (1, 4), (2, 1), (5, 2)])
def test_odd_graphs_have_a_page(graphs: Graphs, places: tuple[int, int]) -> None:
    """One node, no edges, one node with many: finite numbers between -1 and 1."""
    pair = data_of(
        plain_page(ExplorerPair.of(RandomOrder(), graphs[[places[0]]], graphs[[places[1]]]))
    )["pairs"][0]
    for side in ("left", "right"):
        assert np.abs(pair[side]["places"]).max() <= 1


def test_layouts_are_turned_towards_each_other() -> None:
    places = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.0]])
    mirrored = np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 4.0]])
    assert np.allclose(turned(places, mirrored), mirrored - mirrored.mean(0))
    wide = np.array([[-1, -0.25], [1, -0.25], [1, 0.25]])
    for half, scale in ((places / 1.6, 1 / 1.6), (places / 8, 0.5)):
        first, second = framed(places, half)
        assert np.allclose(first, wide)
        assert np.allclose(second, wide * scale), "as large as it is, but half the frame at least"
    assert all(not each.any() for each in framed(np.zeros((1, 2)), np.zeros((1, 2))))
    assert framed(np.zeros((0, 2)), places)[0].shape == (0, 2)


def test_a_page_knows_who_is_matched(graphs: Graphs) -> None:
    small, large = graphs[[3]], graphs[[0]]
    n = small.num_nodes
    assert n < large.num_nodes

    def pair_of(matcher: Matcher, left: Graphs, right: Graphs) -> dict[str, Any]:
        [pair] = data_of(plain_page(ExplorerPair.of(matcher, left, right)))["pairs"]
        [way] = pair["ways"]
        return dict(way)

    first = pair_of(Identity(partial=True), large, small)
    rest = large.num_nodes - n
    assert first["kind"] == "one-to-one"
    assert first["links"] == [[node, node] for node in range(n)]
    assert first["matched"] == [[1] * n + [0] * rest, [1] * n]
    assert first["transport"] == {
        "name": "partial",
        "keeps_features": True,
        "keeps_edges": True,
    }
    dropped = pair_of(Identity(partial=True), small, large)
    assert dropped["matched"][1] == [1] * n + [0] * rest
    piled = pair_of(Identity(), small, large)
    assert piled["kind"] == "many-to-one"
    assert piled["links"] == [[node % n, node] for node in range(large.num_nodes)]
    assert pair_of(Uniform(), small, large)["links"] == []


def test_a_graph_that_is_too_large_to_draw_is_named(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([5, MAX_NODES + 1])
    for left, right in ((0, 1), (1, 0)):
        with pytest.raises(UsageError, match="graph 1 has 101 nodes"):
            ExplorerPair.of(Uniform(), graphs[[left]], graphs[[right]])


def test_edit_distances_are_left_out_where_nobody_asks(graphs: Graphs) -> None:
    left, right = graphs[[3]], graphs[[4]]
    others = {"random": RandomOrder()}
    found = ExplorerPair.of(Uniform(), left, right, others=others, measured=False)
    assert [way.way for way in found.ways] == ["aligned", "random"], "the page opens with the first"
    assert [way.figures.error for way in found.ways] == [None, None]
    assert ExplorerPair.of(Uniform(), left, right).ways[0].figures.error is not None
