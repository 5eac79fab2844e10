"""Measures of alignments by hand; perfect and ignorant matchers at the ends."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from small_graphs import operator

from experiments.matchers import alignment_quality, motif_mass, self_match, stable_colours
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import GraphMatcher, Matcher, Uniform


class Oracle(Matcher):
    """Matches nodes with equal features."""

    def __call__(self, left: Graphs, right: Graphs) -> SparseOperator:
        equal = (left.x.unsqueeze(1) == right.x.unsqueeze(0)).all(2)
        dense = (equal & (left.batch.unsqueeze(1) == right.batch)).float()
        return operator(dense / dense.sum(0).clamp(min=1))


def test_self_match_by_hand() -> None:
    M = operator(torch.tensor([[0.9, 0.1, 0.0], [0.1, 0.2, 0.0], [0.0, 0.7, 0.0]]))
    every = torch.arange(3)  # the largest entries of the columns: nodes 0 and 2, and none
    assert self_match(M, every, every) == pytest.approx(1 / 3)
    assert self_match(M, torch.tensor([0, 1, 1]), every) == pytest.approx(2 / 3), "1 and 2 alike"


@pytest.fixture
def motifs(from_networkx: Callable[..., Graphs]) -> Graphs:
    shapes = [nx.path_graph(4), nx.path_graph(5), nx.cycle_graph(4), nx.cycle_graph(6)]
    marked = torch.zeros(19, dtype=torch.bool)
    marked[[0, 1, 4, 9, 10, 11, 13]] = True  # 2 of 4, 1 of 5, 3 of 4, 1 of 6
    marks = {"node_attrs": {"motif": marked}, "x": marked.float().unsqueeze(1)}
    return from_networkx(shapes, [0, 0, 1, 1]).replace(**marks)


def test_motif_mass_by_hand(motifs: Graphs) -> None:
    left, right = motifs[[0, 3]], motifs[[1, 2]]
    M = torch.zeros(10, 9)
    M[0, 0], M[2, 0] = 0.75, 0.25  # the motif of the second path; node 0 of the first is motif
    M[4, 5] = M[5, 6] = M[6, 8] = 1.0  # motif of the square: 5, 6, 7; of the hexagon: 4
    M[4, 7] = M[5, 7] = 0.5
    assert motif_mass(operator(M), left, right) == pytest.approx((0.75 + 1.0 + 0.5) / 4)
    chance = (1 * 2 / 4 + 3 * 1 / 6) / 4
    assert motif_mass(Uniform()(left, right), left, right) == pytest.approx(chance)
    assert motif_mass(Oracle()(left, right), left, right) == 1


def test_quality_of_controls_and_of_a_learned_matcher(motifs: Graphs, graphs: Graphs) -> None:
    uniform, oracle = (alignment_quality(matcher, motifs, 40) for matcher in (Uniform(), Oracle()))
    assert oracle["motif_mass"] == pytest.approx(1)
    assert uniform["triplet_accuracy"] is None
    matcher = GraphMatcher(max_steps=60, evaluate_every=20, learning_rate=1e-2, hidden_channels=8)
    learned, chance = (alignment_quality(m, graphs, 40) for m in (matcher.fit(graphs), Uniform()))
    assert learned["motif_mass"] is None
    assert learned["self_match"] > 0.8 > chance["self_match"]  # type: ignore[operator]
    assert 0.5 < learned["triplet_accuracy"] <= 1  # type: ignore[operator]


@pytest.mark.filterwarnings("ignore:.*hashes produced.*")
def test_colours_are_those_of_networkx(from_networkx: Callable[..., Graphs]) -> None:
    shapes = [nx.path_graph(6), nx.barbell_graph(4, 3), nx.gnp_random_graph(15, 0.2, seed=1)]
    colours = stable_colours(from_networkx(shapes)).tolist()
    hashes = [
        rounds[node][-1]
        for shape in shapes
        for rounds in [nx.weisfeiler_lehman_subgraph_hashes(shape, iterations=15)]
        for node in shape
    ]
    assert len(set(colours)) == len(set(zip(colours, hashes, strict=True))) == len(set(hashes))
    two = [nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]
    assert stable_colours(from_networkx(two)).unique().numel() == 1, "1-WL sees no difference"
