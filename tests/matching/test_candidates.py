"""Candidates against a plain search, pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching import candidates
from smixup.matching.candidates import (
    SPREAD,
    Candidates,
    find_candidates,
    similarity_at,
    tie_coordinates,
)
from smixup.matching.similarity import SIMILARITIES
from smixup.matching.tables import rows_of

LEFT, RIGHT = [12, 1, 7, 20], [9, 8, 15, 20]


def sides(make_graphs: Callable[..., Graphs]) -> tuple[Graphs, Graphs, tuple[Tensor, Tensor]]:
    left, right = make_graphs(LEFT, seed=1), make_graphs(RIGHT, seed=2)
    random = torch.Generator().manual_seed(0)
    h = tuple(torch.randn(side.num_nodes, 5, generator=random) for side in (left, right))
    return left, right, h  # type: ignore[return-value]


def alone(h: tuple[Tensor, Tensor], left: Graphs, right: Graphs, g: int) -> tuple[Tensor, Tensor]:
    return h[0][left.batch == g], h[1][right.batch == g]


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("nearest", [1, 3, 50])
def test_candidates_are_the_nearest_of_either_side(
    name: str,
    nearest: int,
    make_graphs: Callable[..., Graphs],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(candidates, "SPREAD", 0.0)
    left, right, h = sides(make_graphs)
    found = find_candidates(left, right, h, SIMILARITIES[name], 2.5, nearest).scores
    expected = np.zeros(found.shape)
    for g in range(len(left)):
        h1, h2 = alone(h, left, right, g)
        table = SIMILARITIES[name](h1[None], h2[None])[0].double()
        wanted = torch.zeros_like(table, dtype=torch.bool)
        for i, row in enumerate(table):
            wanted[i, row.topk(min(nearest, len(row))).indices] = True
        for j, column in enumerate(table.T):
            wanted[column.topk(min(nearest, len(column))).indices, j] = True
        a, c = int(left.ptr[g]), int(right.ptr[g])
        block = torch.where(wanted, 2.5 * table, 0.0).numpy()
        expected[a : a + len(h1), c : c + len(h2)] = block
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-5)
    assert found.has_sorted_indices


def test_cells_of_pairs_come_one_by_one(make_graphs: Callable[..., Graphs]) -> None:
    left, right, h = sides(make_graphs)
    found = find_candidates(left, right, h, SIMILARITIES["euclidean"], nearest=2)
    dense, covered = found.scores.toarray(), 0
    for g, (a, c, part) in enumerate(found.pairs(found.scores)):
        assert (a, c) == (int(left.ptr[g]), int(right.ptr[g]))
        assert part.shape == (LEFT[g], RIGHT[g])
        assert np.array_equal(part.toarray(), dense[a : a + LEFT[g], c : c + RIGHT[g]])
        covered += part.nnz
    assert covered == found.scores.nnz, "none between nodes of different pairs"
    rows, columns = rows_of(found.scores), found.scores.indices
    local = found.left.local(rows), found.right.local(columns)
    assert torch.equal(local[0], torch.from_numpy(rows) - left.ptr[left.batch[rows]])
    assert torch.equal(local[1], torch.from_numpy(columns) - right.ptr[right.batch[columns]])


def equal(one: Candidates, a: int, c: int, other: Candidates) -> bool:
    part = other.scores
    mine = one.scores[a : a + part.shape[0], c : c + part.shape[1]]
    return np.array_equal(mine.toarray() != 0, part.toarray() != 0)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_a_pair_does_not_feel_its_company(
    name: str, make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes look alike, so that ties decide; and of hubs only a few edges are taken."""
    monkeypatch.setattr(candidates, "FEW", 2)
    left, right, _ = sides(make_graphs)
    h = torch.ones(left.num_nodes, 3), torch.ones(right.num_nodes, 3)
    together = find_candidates(left, right, h, SIMILARITIES[name], nearest=2)
    for g in (0, 2, 3):
        own = left[[g]], right[[g]]
        single = find_candidates(*own, alone(h, left, right, g), SIMILARITIES[name], nearest=2)
        a, c = int(left.ptr[g]), int(right.ptr[g])
        assert equal(together, a, c, single)
        edges = together.left.few_edges[a : a + LEFT[g], a : a + LEFT[g]]
        assert np.array_equal(edges.toarray(), single.left.few_edges.toarray())


def test_nodes_that_look_alike_have_candidates_of_their_own(
    from_networkx: Callable[..., Graphs],
) -> None:
    """In a star of 300 leaves, every leaf of the other side is somebody's candidate, and most are
    candidates of about as many.
    """
    one, two = from_networkx([nx.star_graph(300)]), from_networkx([nx.star_graph(250)])
    h = tuple(side.adj.row_sums().unsqueeze(1) for side in (one, two))
    scores = find_candidates(one, two, h, SIMILARITIES["euclidean"]).scores[1:, 1:]
    asked = np.diff(scores.tocsc().indptr), np.diff(scores.indptr)
    assert all(each.min() >= 24 for each in asked)
    assert max(each.max() for each in asked) < 75


def test_candidates_among_those_that_are_left(make_graphs: Callable[..., Graphs]) -> None:
    left, right, h = sides(make_graphs)
    found = find_candidates(left, right, h, SIMILARITIES["euclidean"], 3.0, nearest=2)
    random = np.random.default_rng(0)
    free1, free2 = random.random(left.num_nodes) < 0.5, random.random(right.num_nodes) < 0.5
    free2[:9] = False  # nothing is left of the first right graph
    rest = found.among(free1, free2).scores
    i, j = rows_of(rest), rest.indices
    assert free1[i].all()
    assert free2[j].all()
    assert torch.equal(left.batch[i], right.batch[j])
    has_partner = np.isin(left.batch.numpy(), right.batch.numpy()[free2])
    assert set(i) == set((free1 & has_partner).nonzero()[0]), "everybody who can has one"
    distance = (h[0][i] - h[1][j]).norm(dim=1)
    np.testing.assert_allclose(rest.data, -3 * distance.numpy(), rtol=1e-5)
    nobody = found.among(np.zeros_like(free1), free2)
    assert nobody.scores.nnz == 0
    assert nobody.scores.shape == found.scores.shape


def test_where_few_nodes_are_left_each_has_more_candidates(
    make_graphs: Callable[..., Graphs],
) -> None:
    graphs, random = make_graphs([200, 200, 200]), np.random.default_rng(0)
    h = torch.randn(600, 5, generator=torch.Generator().manual_seed(0))
    found = find_candidates(graphs, graphs, (h, h), SIMILARITIES["euclidean"])
    free = np.concatenate([random.permutation(200) < n for n in (60, 150, 200)])
    rest = found.among(free, free).scores
    asked = np.diff(rest.indptr)[free]
    assert asked[:60].tolist() == [60] * 60, "all there are"
    assert asked[60:210].min() >= 32
    assert (rest[400:] != found.scores[400:]).nnz == 0, "as before where all are left"


def test_scores_of_given_cells(
    make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "ENTRIES_AT_ONCE", 7)
    left, right, h = sides(make_graphs)
    row, column = torch.randint(left.num_nodes, (40,)), torch.randint(right.num_nodes, (40,))
    for name, similarity in SIMILARITIES.items():
        whole = similarity(h[0][None], h[1][None])[0]
        found = similarity_at(*h, row, column, similarity)
        torch.testing.assert_close(found, whole[row, column], msg=name)
    nothing = similarity_at(*h, row[:0], column[:0], SIMILARITIES["dot"])
    assert nothing.shape == (0,)
    found = find_candidates(left, right, h, SIMILARITIES["cosine"], 4.0, nearest=1)
    wide = find_candidates(left, right, h, SIMILARITIES["cosine"], 4.0, nearest=5)
    again = found.at(wide.scores * 0 + wide.scores.astype(bool))
    np.testing.assert_allclose(again.scores.toarray(), wide.scores.toarray(), atol=1e-6)


def test_ties_are_decided_by_numbers_close_to_the_neighbours(
    from_networkx: Callable[..., Graphs],
) -> None:
    hubs = nx.disjoint_union_all([nx.star_graph(40) for _ in range(12)])
    graph = from_networkx([hubs])
    found = tie_coordinates(graph, 0)
    assert found.isfinite().all()
    assert float(found.std()) == pytest.approx(SPREAD, rel=0.1)
    assert found.unique().numel() == graph.num_nodes
    of_hub = found.view(12, 41)
    assert of_hub.std(1).mean() < 0.9 * found.std(), "leaves of a hub lie together"
    assert not torch.equal(tie_coordinates(graph, 1), found), "chance, not the number of a node"


def test_a_negative_weight_makes_a_neighbour_too(from_networkx: Callable[..., Graphs]) -> None:
    graph = from_networkx([nx.barabasi_albert_graph(60, 2, seed=0)])
    adj = graph.adj.to_sparse()
    sign = torch.where((adj.row + adj.column) % 2 == 0, -1.0, 1.0)
    turned = graph.replace(adj=replace(adj, weight=sign * adj.weight))
    assert torch.equal(tie_coordinates(turned, 0), tie_coordinates(graph, 0))


@pytest.mark.parametrize("weight", [1.0, -1.0, 1e-3])
def test_ties_of_odd_graphs(weight: float, make_graphs: Callable[..., Graphs]) -> None:
    """One node, no edges, weights of either sign."""
    graphs = make_graphs([1, 4, 9, 1, 30, 12])
    adj = graphs.adj.to_sparse()
    chosen = torch.arange(len(adj.weight)) % 3 == 0
    graphs = graphs.replace(adj=replace(adj, weight=torch.where(chosen, weight, 1.0)))
    found = tie_coordinates(graphs, 0)
    assert found.isfinite().all()
    assert found.abs().max() < 5 * SPREAD
    for g in range(len(graphs)):
        torch.testing.assert_close(found[graphs.batch == g], tie_coordinates(graphs[[g]], 0))
    assert found[graphs.batch == 4].unique().numel() == 30
