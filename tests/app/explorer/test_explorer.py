"""The page has all that Eq. (5) needs, as the library computes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch

from smixup.app.explorer import PUBLISHED, choose_pairs, class_names, explore, feature_word
from smixup.app.explorer.pairs import pair_data
from smixup.app.pictures.mixed_pair import TRANSPORT
from smixup.app.runs.data import Opened
from smixup.augment.mixing import interpolate
from smixup.datasets import Split
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import Identity, Matcher, Uniform
from smixup.matching.controls import motif_kept

MATCHERS: Mapping[str, Matcher] = {"identity": Identity(partial=True), "uniform": Uniform()}


def opened(graphs: Graphs, seed: int = 0) -> Opened:
    numbers = torch.arange(len(graphs))
    return Opened("MOTIF", seed, graphs, Split(numbers[:4], numbers[4:6], numbers[6:]))


def data_in(html: str) -> Any:
    text = html.partition('id="data">')[2].partition("</script>")[0]
    return json.loads(text)


def same_class(graphs: Graphs) -> tuple[Graphs, Graphs]:
    first, second = (graphs.labels == graphs.labels[0]).nonzero().flatten()[:2].tolist()
    return graphs[[first]], graphs[[second]]


@pytest.mark.parametrize(("way", "name"), list(enumerate(MATCHERS)))
@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
def test_the_page_mixes_as_the_library_does(
    motif_graphs: Graphs, way: int, name: str, lam: float
) -> None:
    left, right = same_class(motif_graphs)
    pair = pair_data(MATCHERS, left, right)
    M = MATCHERS[name](left, right)
    carried = TRANSPORT(M, left, right)
    adj = interpolate(left, carried, torch.tensor([lam])).adj.to_dense().triu(1).numpy()
    row, column, own, other, _ = map(np.array, pair["ways"][way]["edges"])
    mixed = np.zeros_like(adj)
    mixed[row, column] = lam * own + (1 - lam) * other
    assert mixed == pytest.approx(adj, abs=1e-3)
    assert pair["ways"][way]["motif_kept"] == pytest.approx(float(motif_kept(M, left, right)))
    assert np.array(pair["ways"][way]["share"]) == pytest.approx(M.to_dense().numpy(), abs=1e-3)


def test_an_edge_says_how_much_of_it_came_from_g2(motif_graphs: Graphs) -> None:
    left, right = same_class(motif_graphs)
    (way, _) = pair_data(MATCHERS, left, right)["ways"]
    row, column, own, carried, brought = map(np.array, way["edges"])
    matched = np.array(way["share"]).sum(1) > 0
    kept = ~(matched[row] & matched[column])
    assert brought[~kept] == pytest.approx(carried[~kept], abs=1e-3)
    assert (brought[kept] == 0).all()
    assert carried[kept] == pytest.approx(own[kept]), "G1 keeps what has no counterpart"


def test_a_side_has_what_is_known_of_a_graph(motif_graphs: Graphs) -> None:
    left, right = motif_graphs[[0]], motif_graphs[[1]]
    side = pair_data(MATCHERS, left, right)["left"]
    assert side["motif"] == left.motif.int().tolist()  # type: ignore[union-attr]
    assert sum(side["y"]) == 1
    assert np.abs(side["places"]).max() <= 1
    assert side["symbols"] is None
    row, column, weights = side["edges"]
    assert np.array_equal(left.adj.to_dense()[row, column].tolist(), weights)
    bare = pair_data(MATCHERS, left.replace(node_attrs={}), right.replace(node_attrs={}))["ways"][0]
    assert bare["motif_kept"] is None


def test_pairs_are_drawn_from_the_test_split(motif_graphs: Graphs) -> None:
    found = opened(motif_graphs)
    pairs = choose_pairs(found, 5, (0, 1))
    assert pairs[0] == (0, 1)
    assert len(set(pairs)) == 5
    assert set(sum(pairs[1:], ())) <= set(range(6, len(motif_graphs)))
    assert choose_pairs(found, 5, (0, 1)) == pairs
    assert choose_pairs(opened(motif_graphs, seed=1), 5) != pairs
    assert len(choose_pairs(found, 100)) == 30, "all pairs there are"


def test_refusals(motif_graphs: Graphs) -> None:
    for call, words in (
        (
            lambda: choose_pairs(opened(motif_graphs), 1, (0, 12)),
            "must be from 0 to 11, not 12",
        ),
        (lambda: choose_pairs(opened(motif_graphs[range(7)]), 1), "fewer than two test graphs"),
    ):
        with pytest.raises(SmixupError, match=words):
            call()


def test_names_of_classes_and_features(motif_graphs: Graphs) -> None:
    assert class_names("MOTIF", 3) == ["cycle", "house", "crane"]
    assert class_names("MUTAG", 2) == ["class 0", "class 1"]
    assert feature_word(motif_graphs) == ""
    labels = motif_graphs.replace(x=torch.ones(motif_graphs.num_nodes, 2, dtype=torch.uint8))
    assert feature_word(labels) == "label"


def test_a_page_of_a_dataset() -> None:
    options, fitted = {"num_graphs": 60}, {PUBLISHED: Uniform()}
    page = explore("MOTIF", "random-order", number=2, options=options, fitted=fitted)
    assert "Matcher: random-order." in page
    data = data_in(page)
    assert [way["title"] for way in data["ways"]] == [
        "random alignment",
        "the paper's soft alignment",
    ]
    assert len(data["pairs"]) == 2
    assert [way["kind"] for way in data["pairs"][0]["ways"]] == ["many-to-one", "soft"]
