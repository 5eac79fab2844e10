"""Measures of quality by hand; perfect and ignorant matchers at the ends of the scale."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.analysis.colour_refinement import stable_colours
from smixup.analysis.matcher_quality import (
    column_perplexity,
    evaluate_matcher,
    largest,
    motif_chance,
    motif_mass,
    self_match,
)
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.matching import GraphMatcher, Identity, Matcher, Uniform
from smixup.matching.correspondence import shuffled_copy


def operator(dense: torch.Tensor) -> SparseOperator:
    row, column = dense.nonzero(as_tuple=True)
    return SparseOperator.from_entries(
        row, column, dense[row, column], (dense.size(0), dense.size(1))
    )


@pytest.fixture
def graphs(graphs: Graphs, device: torch.device) -> Graphs:
    return graphs.to(device)


class Oracle(Matcher):
    """Matches nodes with equal features."""

    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        equal = (left.x.unsqueeze(1) == right.x.unsqueeze(0)).all(2)
        dense = (equal & (left.batch.unsqueeze(1) == right.batch)).float()
        return operator(dense / dense.sum(0).clamp(min=1))


def test_largest_by_hand() -> None:
    dense = torch.tensor([[0.2, 0.7, 0.1], [0.0, 0.0, 0.0], [0.4, 0.4, 0.2]])
    assert largest(operator(dense)).tolist() == [1, -1, 0]


def test_self_match_by_hand() -> None:
    M = operator(torch.tensor([[0.9, 0.1, 0.3], [0.1, 0.2, 0.3], [0.0, 0.7, 0.4]]))
    # largest entries of the three columns: nodes 0, 2, 2
    assert self_match(M, torch.tensor([0, 1, 2]), torch.tensor([0, 1, 2])) == pytest.approx(2 / 3)
    assert self_match(M, torch.tensor([0, 1, 1]), torch.tensor([0, 1, 2])) == 1, (
        "1 and 2 cannot be told apart"
    )


def test_perfect_and_uniform_self_match(graphs: Graphs) -> None:
    left = graphs[range(7)]
    copy, origin = shuffled_copy(left, torch.Generator().manual_seed(0))
    colours = stable_colours(left)
    assert self_match(Oracle()(left, copy), colours, origin) == 1
    first = left.ptr[left.batch]
    chance = float((origin == first[origin]).float().mean())
    assert self_match(Uniform()(left, copy), colours, origin) == pytest.approx(chance), (
        "ties fall on the first node"
    )


def test_perplexity_by_hand() -> None:
    M = operator(
        torch.tensor([[1.0, 0.5, 0.25], [0.0, 0.5, 0.25], [0.0, 0.0, 0.25], [0.0, 0.0, 0.25]])
    )
    assert column_perplexity(M) == pytest.approx((1 + 2 + 4) / 3)
    assert column_perplexity(operator(3 * M.to_dense())) == pytest.approx((1 + 2 + 4) / 3)


@pytest.fixture
def motifs(from_networkx: Callable[..., Graphs], device: torch.device) -> Graphs:
    graphs = from_networkx(
        [nx.path_graph(4), nx.path_graph(5), nx.cycle_graph(4), nx.cycle_graph(6)], [0, 0, 1, 1]
    )
    marked = torch.zeros(19, dtype=torch.bool)
    marked[[0, 1, 4, 9, 10, 11, 13]] = True  # 2 of 4, 1 of 5, 3 of 4, 1 of 6
    marks = {"node_attrs": {"motif": marked}, "x": marked.float().unsqueeze(1)}
    return graphs.replace(**marks).to(device)


def test_motif_mass_by_hand(motifs: Graphs) -> None:
    left, right = motifs[[0, 3]], motifs[[1, 2]]
    M = left.x.new_zeros(10, 9)
    M[0, 0], M[2, 0] = (
        0.75,
        0.25,
    )  # node 0 of the second path is its motif; node 0 of the first path is in the motif
    M[4, 5], M[5, 6], M[4, 7], M[5, 7] = (
        1.0,
        1.0,
        0.5,
        0.5,
    )  # motif of the square: 5, 6, 7; of the hexagon: 4
    M[6, 8] = 1.0
    assert motif_mass(operator(M), left, right) == pytest.approx((0.75 + 1.0 + 0.5) / 4)
    chance = (1 * 2 / 4 + 3 * 1 / 6) / 4
    assert motif_chance(left, right) == pytest.approx(chance)
    assert motif_mass(Uniform()(left, right), left, right) == pytest.approx(chance)
    assert motif_mass(Oracle()(left, right), left, right) == 1


def test_no_motif_no_mass(graphs: Graphs) -> None:
    left, right = graphs[[0]], graphs[[1]]
    assert motif_mass(Identity()(left, right), left, right) is None
    assert motif_chance(left, right) is None


def test_evaluation_of_controls(motifs: Graphs) -> None:
    uniform, oracle = (
        evaluate_matcher(matcher, motifs, num_pairs=40) for matcher in (Uniform(), Oracle())
    )
    assert uniform.motif_mass == pytest.approx(uniform.motif_chance)
    assert uniform.motif_chance == oracle.motif_chance, "the same pairs for all"
    assert oracle.motif_mass == pytest.approx(1)
    assert 4 < uniform.perplexity < 6
    assert uniform.triplet_accuracy is None
    assert uniform.pairs == 40


@pytest.mark.slow
def test_evaluation_of_a_learned_matcher(graphs: Graphs, tiny: Callable[..., GraphMatcher]) -> None:
    matcher = tiny(max_steps=60, evaluate_every=20, learning_rate=1e-2).fit(graphs.to("cpu"))
    quality = evaluate_matcher(matcher, graphs, num_pairs=40)
    assert quality == evaluate_matcher(matcher, graphs, num_pairs=40)
    assert quality.motif_mass is None
    assert quality.self_match > 0.8 > evaluate_matcher(Uniform(), graphs, num_pairs=40).self_match
    assert quality.triplet_accuracy is not None
    assert 0.5 < quality.triplet_accuracy <= 1
