"""From scores to M: shares of columns, Sinkhorn, consensus with neighbours, one to one."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import networkx as nx
import pytest
import torch
from oracles import scaled_with_bins
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.matching import RRWM, FusedGromovWasserstein, Matcher, RandomOrder, Uniform, assign
from smixup.matching.assign import (
    NORMALIZATIONS,
    OneToOne,
    best_matches,
    one_to_one,
    partial_sinkhorn,
    with_neighbours,
)
from smixup.matching.pairs import NEVER, PairBlock, Pairs, tie_break, tie_breaks

close = torch.testing.assert_close
Bare = Callable[[Tensor], PairBlock]
SIZES = [(3, 3), (2, 5), (4, 4), (1, 3), (3, 5)]
BlockOf = Callable[[nx.Graph, nx.Graph], PairBlock]


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", NORMALIZATIONS.classes)
def test_every_way_has_a_name_and_keeps_to_the_pairs(name: str, bare: Bare) -> None:
    normalize = NORMALIZATIONS.of(name)
    assert NORMALIZATIONS.of(str(normalize)) == normalize
    assert NORMALIZATIONS.of(normalize) is normalize
    scores, mask = torch.randn(5, 4, 5, generator=seeded(1)), torch.zeros(5, 4, 5).bool()
    for b, (n1, n2) in enumerate(SIZES):
        mask[b, :n1, :n2] = True
    M = normalize(scores, bare(mask))
    assert (M >= 0).all() and not M[~mask].any()
    assert (M.sum(1) <= 1 + 1e-4).all()
    for b, (n1, n2) in enumerate(SIZES):
        alone = normalize(scores[b : b + 1, :n1, :n2], bare(mask[b : b + 1, :n1, :n2]))
        close(M[b : b + 1, :n1, :n2], alone)


def test_the_partial_sinkhorn_against_logarithms_with_bins() -> None:
    S = 2 * torch.randn(1, 4, 6, generator=seeded(0))
    close(partial_sinkhorn(S, -1.0, 7)[0], scaled_with_bins(S[0], -1.0, 7))
    low = torch.tensor([[[2.0, NEVER, -70.0], [0.0, NEVER, -1e4], [NEVER, NEVER, NEVER]]])
    M = partial_sinkhorn(low, -4.0, 8)  # exponentials are cut off below, which nobody must notice
    close(M[0], scaled_with_bins(low[0], -4.0, 8))
    assert M[0, :, 1:].max() < 1e-20
    lonely = partial_sinkhorn(torch.full((1, 3, 3), -30.0), -4.0, 20)
    assert lonely.max() < 1e-6, "what resembles nothing goes to the bin"
    for shape in ((5, 5), (3, 7), (7, 3)):
        M = partial_sinkhorn(4 * torch.randn(2, *shape, generator=seeded(1)), -4.0, 200)
        assert (M >= 0).all() and max(M.sum(1).max(), M.sum(2).max()) <= 1 + 1e-4
    for size in (1e3, 1e5):
        M = partial_sinkhorn(size * torch.randn(3, 5, 4), -4.0, 8)
        assert M.isfinite().all() and M.max() <= 1 + 1e-4


def shuffled(graph: nx.Graph, seed: int) -> nx.Graph:
    order = torch.randperm(len(graph), generator=seeded(seed)).tolist()
    copy = nx.empty_graph(len(graph))
    copy.add_edges_from((order[i], order[j]) for i, j in graph.edges)
    return copy


@pytest.mark.parametrize(
    "graph", [nx.petersen_graph(), nx.circular_ladder_graph(6), nx.cycle_graph(9)]
)
def test_ties_are_broken_alike_by_neighbours(graph: nx.Graph, block_of: BlockOf) -> None:
    """All nodes look alike, so scores say nothing; a copy is found by neighbours alone."""

    def edges_kept(seed: int, rounds: int) -> float:
        block = block_of(graph, shuffled(graph, seed))
        M = OneToOne(rounds=rounds)(torch.zeros(block.mask.shape), block)
        moved = M @ block.A2 @ M.transpose(1, 2)
        return float(torch.minimum(moved, block.A1).sum() / block.A1.sum())

    with_neighbours, alone = (
        torch.tensor([edges_kept(seed, rounds) for seed in range(6)]) for rounds in (20, 0)
    )
    assert with_neighbours.mean() > alone.mean() + 0.3
    assert with_neighbours.max() == 1.0, "the very graph, renumbered"


def test_good_scores_are_followed(block_of: BlockOf) -> None:
    graph = nx.karate_club_graph()
    order = torch.randperm(34, generator=seeded(3))
    truth = torch.zeros(34, 34)
    truth[torch.arange(34), order] = 1.0
    assert torch.equal(OneToOne()(6 * truth[None], block_of(graph, shuffled(graph, 3)))[0], truth)
    scores, path = 8 * torch.eye(5)[None], block_of(nx.path_graph(5), nx.path_graph(5))
    assert torch.equal(OneToOne()(scores, path)[0], torch.eye(5))
    S = torch.randn(1, 4, 5, generator=seeded(2))
    best = max(
        itertools.permutations(range(5), 4),
        key=lambda order: sum(float(S[0, i, j]) for i, j in enumerate(order)),
    )
    expected = torch.zeros(4, 5)
    expected[torch.arange(4), torch.tensor(best)] = 1.0
    block = block_of(nx.path_graph(4), nx.path_graph(5))
    assert torch.equal(best_matches(S, block)[0], expected)


def test_neighbours_are_summed_along_edges(
    block_of: BlockOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = nx.gnp_random_graph(20, 0.2, seed=0), nx.gnp_random_graph(13, 0.3, seed=1)
    block = block_of(one, two)
    M, S = torch.rand(1, 20, 13, generator=seeded(0)), torch.randn(1, 20, 13, generator=seeded(1))
    plain = S[0].clone()
    for i, j in itertools.product(range(20), range(13)):
        plain[i, j] += 1.5 * sum(float(M[0, k, m]) for k in one[i] for m in two[j])
    close(with_neighbours(S, block.A1, M, block.A2, 1.5)[0], plain)
    monkeypatch.setattr(assign, "LARGE", 1)
    close(with_neighbours(S, block.A1, M, block.A2, 1.5)[0], plain)


def test_what_breaks_ties_depends_on_place_alone() -> None:
    large = tie_breaks(60, 50)
    assert torch.equal(large[:9], tie_breaks(9, 50))
    beyond = tie_breaks(assign.LARGE + 9, 50)
    assert torch.equal(beyond[:60], large), "kept or made anew, they are the same"
    assert (torch.corrcoef(large) - torch.eye(60)).abs().max() < 0.6
    i, j = torch.randint(60, (200,)), torch.randint(50, (200,))
    assert torch.equal(tie_break(i, j), large[i, j])
    far = torch.arange(10**6 - 3000, 10**6)  # where products overflow
    numbers = tie_break(far, far + 12345)
    assert numbers.isfinite().all() and numbers.unique().numel() > 2990
    assert abs(float(numbers.mean())) < 0.08
    assert float(numbers.std()) == pytest.approx(1, abs=0.08)
    both = torch.stack([large[:, :50].flatten()[:2500], tie_breaks(50, 60).T.flatten()[:2500]])
    assert float(torch.corrcoef(both)[0, 1]) < 0.1, "the two ends are not the same"


@pytest.mark.parametrize("kind", [RRWM, FusedGromovWasserstein, Uniform])
def test_the_scores_of_any_matcher_can_be_made_one_to_one(
    graphs: Graphs, kind: Callable[..., Matcher]
) -> None:
    matcher = kind(normalization="one-to-one")
    left, right = graphs[[0, 4, 1, 5]], graphs[[5, 2, 3, 0]]
    M = matcher(left, right)
    dense = M.to_dense()
    assert set(dense.unique().tolist()) == {0.0, 1.0}
    assert int(dense.sum()) == int(torch.minimum(left.sizes, right.sizes).sum())
    assert dense.sum(0).max() == dense.sum(1).max() == 1


def test_anything_is_rounded_pair_by_pair_as_scipy_does(graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 3, 6]], graphs[[5, 0, 4, 1]]
    pairs, random = Pairs.of(left, right), seeded(0)
    masks = [block.mask for block in pairs.blocks()]
    blocks = [torch.rand(mask.shape, generator=random) * mask for mask in masks]
    M = pairs.assigned(blocks)
    rounded = one_to_one(M, left, right)
    assert rounded.is_one_to_one
    for place in range(4):
        rows = slice(*left.ptr[place : place + 2].tolist())
        columns = slice(*right.ptr[place : place + 2].tolist())
        part = M.to_dense()[rows, columns]
        expected = torch.zeros_like(part)
        expected[linear_sum_assignment(part.numpy(), maximize=True)] = 1.0
        assert torch.equal(rounded.to_dense()[rows, columns], expected)
    kept = RandomOrder(partial=True)(left, right)
    assert torch.equal(one_to_one(kept, left, right).to_dense(), kept.to_dense())
    crowded = torch.zeros(9, 4)
    crowded[0] = torch.tensor([0.1, 0.2, 0.9, 0.3])
    i, j = crowded.nonzero(as_tuple=True)
    entries = SparseOperator.from_entries(i, j, crowded[i, j], (9, 4))
    alone = one_to_one(entries, graphs[[4]], graphs[[0]])
    assert (alone.row.tolist(), alone.column.tolist()) == ([0], [2]), "no match without a share"
