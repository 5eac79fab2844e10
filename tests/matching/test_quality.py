"""Measures of a matcher's quality by hand; perfect and ignorant matchers at the ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest
import torch

from smixup.datasets import load_dataset
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import GraphMatcher, Identity, Matcher, Uniform
from smixup.matching.lessons import shuffled_copy
from smixup.matching.quality import (
    column_perplexity,
    evaluate_matcher,
    motif_chance,
    motif_kept,
    motif_mass,
    self_match,
    stable_colours,
)


def operator(dense: torch.Tensor) -> SparseOperator:
    row, column = dense.nonzero(as_tuple=True)
    return SparseOperator.from_entries(row, column, dense[row, column], tuple(dense.shape))


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


def test_perfect_and_uniform_self_match(graphs: Graphs) -> None:
    left = graphs[range(7)]
    copy, origin = shuffled_copy(left, torch.Generator().manual_seed(0))
    colours = stable_colours(left)
    assert self_match(Oracle()(left, copy), colours, origin) == 1
    chance = float((origin == left.ptr[left.batch]).float().mean())  # ties fall on the first node
    assert self_match(Uniform()(left, copy), colours, origin) == pytest.approx(chance)


def test_perplexity_by_hand() -> None:
    M = torch.tensor([[1.0, 0.5, 0.25], [0.0, 0.5, 0.25], [0.0, 0.0, 0.25], [0.0, 0.0, 0.25]])
    assert column_perplexity(operator(M)) == pytest.approx((1 + 2 + 4) / 3)
    assert column_perplexity(operator(3 * M)) == pytest.approx((1 + 2 + 4) / 3)


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
    assert motif_chance(left, right) == pytest.approx(chance)
    assert motif_mass(Uniform()(left, right), left, right) == pytest.approx(chance)
    assert motif_mass(Oracle()(left, right), left, right) == 1


def test_evaluation_of_controls(motifs: Graphs, graphs: Graphs) -> None:
    uniform, oracle = (evaluate_matcher(matcher, motifs, 40) for matcher in (Uniform(), Oracle()))
    assert uniform.motif_mass == pytest.approx(uniform.motif_chance)
    assert uniform.motif_chance == oracle.motif_chance, "the same pairs for all"
    assert oracle.motif_mass == pytest.approx(1)
    assert 4 < uniform.perplexity < 6
    assert (uniform.triplet_accuracy, uniform.pairs) == (None, 40)
    assert evaluate_matcher(Identity(), graphs, 5).motif_mass is None


def test_evaluation_of_a_learned_matcher(graphs: Graphs, tiny: Callable[..., GraphMatcher]) -> None:
    matcher = tiny(max_steps=60, evaluate_every=20, learning_rate=1e-2).fit(graphs)
    quality = evaluate_matcher(matcher, graphs, num_pairs=40)
    assert quality.self_match > 0.8 > evaluate_matcher(Uniform(), graphs, 40).self_match
    assert 0.5 < quality.triplet_accuracy <= 1  # type: ignore[operator]


@pytest.fixture
def tail() -> Graphs:
    """A triangle, the motif, with a tail of one node."""
    edges = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
    adj, motif = SparseOperator.from_edges(edges, torch.ones(8), 4), torch.arange(4) < 3
    ones = torch.ones(4, 1), torch.ones(1, 1)
    return Graphs(ones[0], adj, ones[1], torch.tensor([0, 4]), node_attrs={"motif": motif})


@pytest.mark.parametrize(
    ("places", "share"),
    [
        ([0, 1, 2, 3], 1),
        ([1, 2, 0, 3], 1),  # turned
        ([0, 1, 2, 0], 1),  # wherever the rest goes
        ([3, 1, 2, 0], 1 / 3),  # one edge is left, the tail is no motif
        ([0, 1, 1, 3], 1 / 3),  # two edges on one count as one
    ],
)
def test_motif_kept_by_hand(tail: Graphs, places: list[int], share: float) -> None:
    M = operator(torch.eye(4)[:, places])
    assert float(motif_kept(M, tail, tail)) == pytest.approx(share)


def test_motif_kept_of_many_pairs() -> None:
    graphs = load_dataset("MOTIF", num_graphs=12).graphs
    order = graphs.labels.argsort(stable=True)
    left, right = graphs[order], graphs[order.view(3, 4).roll(1, 1).flatten()]
    edges = torch.tensor([5.0, 6.0, 6.0]).repeat_interleave(4)  # of cycle, house and crane
    kept = motif_kept(Uniform()(left, right), left, right)
    torch.testing.assert_close(kept, 2 * edges / left.sizes**2)
    with pytest.raises(SmixupError, match="no known motif"):
        motif_kept(Uniform()(left, right), left.replace(node_attrs={}), right)


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


def test_features_weights_and_numbers_of_nodes(
    graphs: Graphs, permuted: Callable[..., Any], from_networkx: Callable[..., Graphs]
) -> None:
    cycle = from_networkx([nx.cycle_graph(4)])
    marked = cycle.replace(x=torch.tensor([[1.0], [0.0], [0.0], [0.0]]))
    assert stable_colours(marked).unique().numel() == 3
    bare = graphs.replace(x=torch.zeros(30, 0))
    again, old = permuted(bare)
    before, after = stable_colours(bare)[old], stable_colours(again)
    assert torch.equal(before[None] == before[:, None], after[None] == after[:, None])
    assert before.unique().numel() > 10, "weights tell nodes apart"
