"""Neighbourhood consensus: constraints, ties that neighbours break alike, and a plain loop."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import RRWM, FusedGromovWasserstein, SiameseMatcher, Uniform, consensus
from smixup.matching.assignment import NEVER
from smixup.matching.consensus import (
    Consensus,
    OneToOne,
    best_matches,
    partial_sinkhorn,
    tie_breaks,
    with_neighbours,
)
from smixup.matching.normalizations import NORMALIZATIONS
from smixup.matching.pairs import PairBlock, Pairs


def block_of(one: nx.Graph, two: nx.Graph) -> PairBlock:
    A1, A2 = (torch.from_numpy(nx.to_numpy_array(each)).float()[None] for each in (one, two))
    mask1, mask2 = (torch.ones(1, A.size(1), dtype=torch.bool) for A in (A1, A2))
    x1, x2 = torch.zeros(1, A1.size(1), 0), torch.zeros(1, A2.size(1), 0)
    return PairBlock(x1, A1, mask1, x2, A2, mask2, torch.zeros(1, dtype=torch.long))


def shuffled(graph: nx.Graph, seed: int) -> nx.Graph:
    order = torch.randperm(len(graph), generator=torch.Generator().manual_seed(seed)).tolist()
    moved = nx.relabel_nodes(graph, dict(zip(sorted(graph), order, strict=True)))
    copy = nx.Graph()
    copy.add_nodes_from(range(len(graph)))
    copy.add_edges_from(moved.edges)
    return copy


def edges_kept(M: Tensor, block: PairBlock) -> float:
    moved = M @ block.A2 @ M.transpose(1, 2)
    return float(torch.minimum(moved, block.A1).sum() / block.A1.sum())


def plain_partial_sinkhorn(S: Tensor, bin: float, steps: int) -> Tensor:
    """Scale a matrix with a bin behind every row and every column, entry by entry; bins themselves
    may hold any number of nodes.
    """
    n1, n2 = S.shape
    K = [[math.exp(float(S[i, j])) for j in range(n2)] + [math.exp(bin)] for i in range(n1)]
    K.append([math.exp(bin)] * n2)
    for _ in range(steps):
        for i in range(n1):
            total = sum(K[i])
            K[i] = [value / total for value in K[i]]
        for j in range(n2):
            total = sum(K[i][j] for i in range(n1 + 1))
            for i in range(n1 + 1):
                K[i][j] /= total
    return torch.tensor([row[:n2] for row in K[:n1]])


def test_the_partial_sinkhorn_against_a_plain_loop() -> None:
    S = 2 * torch.randn(1, 4, 6, generator=torch.Generator().manual_seed(0))
    found = partial_sinkhorn(S, -1.0, 7)
    torch.testing.assert_close(found[0], plain_partial_sinkhorn(S[0], -1.0, 7))


@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3)])
def test_every_node_is_used_at_most_once(shape: tuple[int, int]) -> None:
    S = 4 * torch.randn(2, *shape, generator=torch.Generator().manual_seed(1))
    M = partial_sinkhorn(S, -4.0, 200)
    assert (M >= 0).all()
    assert M.sum(1).max() <= 1 + 1e-4
    assert M.sum(2).max() <= 1 + 1e-4
    lonely = partial_sinkhorn(torch.full((1, 3, 3), -30.0), -4.0, 20)
    assert lonely.max() < 1e-6, "what resembles nothing goes to the bin"


def test_scores_of_any_size_stay_numbers() -> None:
    for size in (1e3, 1e5):
        M = partial_sinkhorn(size * torch.randn(3, 5, 4), -4.0, 8)
        assert M.isfinite().all()
        assert M.max() <= 1 + 1e-4


def test_what_is_far_below_a_bin_weighs_nothing() -> None:
    """Exponentials below a bound are replaced by the bound: nobody must notice."""
    S = torch.tensor([[[2.0, NEVER, -70.0], [0.0, NEVER, -1e4], [NEVER, NEVER, NEVER]]])
    found = partial_sinkhorn(S, -4.0, 8)
    torch.testing.assert_close(found[0], plain_partial_sinkhorn(S[0], -4.0, 8))
    assert found[0, :, 1:].max() < 1e-20


def test_gradients_pass_through_all_rounds() -> None:
    block = block_of(nx.path_graph(4), nx.path_graph(3))
    S = torch.randn(1, 4, 3, dtype=torch.double, generator=torch.Generator().manual_seed(4))
    block = replace(block, A1=block.A1.double(), A2=block.A2.double())
    soft = Consensus(rounds=2)
    assert torch.autograd.gradcheck(lambda scores: soft(scores, block), S.requires_grad_())


@pytest.mark.parametrize("name", ["petersen", "cube", "ladder", "cycle"])
def test_ties_are_broken_alike_by_neighbours(name: str) -> None:
    """All nodes of these graphs look alike, so scores say nothing; a copy is found by neighbours
    alone.
    """
    graph = {
        "petersen": nx.petersen_graph(),
        "cube": nx.cubical_graph(),
        "ladder": nx.circular_ladder_graph(6),
        "cycle": nx.cycle_graph(9),
    }[name]
    kept = {"asked": [], "not asked": []}
    for seed in range(8):
        block = block_of(graph, shuffled(graph, seed))
        scores = torch.zeros(block.mask.shape)
        kept["asked"].append(edges_kept(OneToOne(rounds=20)(scores, block), block))
        kept["not asked"].append(edges_kept(OneToOne(rounds=0)(scores, block), block))
    means = {name: sum(values) / len(values) for name, values in kept.items()}
    assert means["asked"] > means["not asked"] + 0.3
    assert max(kept["asked"]) == 1.0, "the very graph, renumbered"


def test_good_scores_are_followed() -> None:
    graph = nx.karate_club_graph()
    copy = shuffled(graph, 3)
    unweighted = nx.Graph(graph)
    nx.set_edge_attributes(unweighted, 1.0, "weight")
    block = block_of(unweighted, copy)
    order = torch.randperm(34, generator=torch.Generator().manual_seed(3))
    truth = torch.zeros(34, 34)
    truth[torch.arange(34), order] = 1.0
    found = OneToOne()(6 * truth[None], block)[0]
    assert torch.equal(found, truth)


def test_soft_and_rounded_agree_where_nothing_ties() -> None:
    scores = 8 * torch.eye(5)[None]
    block = block_of(nx.path_graph(5), nx.path_graph(5))
    soft, hard = Consensus()(scores, block), OneToOne()(scores, block)
    assert torch.equal(soft.argmax(1), hard.argmax(1))
    assert torch.equal(hard[0], torch.eye(5))
    assert soft[0].diagonal().min() > 0.9


def test_the_best_matches_against_all_permutations() -> None:
    S = torch.randn(1, 4, 5, generator=torch.Generator().manual_seed(2))
    block = block_of(nx.path_graph(4), nx.path_graph(5))
    best = max(
        itertools.permutations(range(5), 4),
        key=lambda order: sum(float(S[0, i, j]) for i, j in enumerate(order)),
    )
    expected = torch.zeros(4, 5)
    expected[torch.arange(4), torch.tensor(best)] = 1.0
    assert torch.equal(best_matches(S, block)[0], expected)


def test_large_graphs_are_summed_along_their_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = nx.gnp_random_graph(20, 0.2, seed=0), nx.gnp_random_graph(13, 0.3, seed=1)
    block = block_of(one, two)
    M = torch.rand(1, 20, 13, generator=torch.Generator().manual_seed(0))
    S = torch.randn(1, 20, 13, generator=torch.Generator().manual_seed(1))
    dense = with_neighbours(S, block.A1, M, block.A2, 1.5)
    plain = S[0].clone()
    for i, j in itertools.product(range(20), range(13)):
        plain[i, j] += 1.5 * sum(float(M[0, k, m]) for k in one[i] for m in two[j])
    torch.testing.assert_close(dense[0], plain)
    monkeypatch.setattr(consensus, "LARGE", 1)
    torch.testing.assert_close(with_neighbours(S, block.A1, M, block.A2, 1.5), dense)


def test_what_breaks_ties_depends_on_place_and_seed_alone() -> None:
    large, small = tie_breaks(60, 50, 0), tie_breaks(9, 50, 0)
    assert torch.equal(large[:9], small)
    assert not torch.equal(tie_breaks(60, 50, 1), large)
    beyond = tie_breaks(consensus.LARGE + 9, 50, 0)
    assert torch.equal(beyond[:60], large), "kept or made anew, they are the same"
    assert abs(float(large.mean())) < 0.05
    assert abs(float(large.std()) - 1) < 0.05
    assert large.unique().numel() > 2990
    rows, columns = torch.corrcoef(large), torch.corrcoef(large.T)
    assert (rows - torch.eye(60)).abs().max() < 0.6
    assert (columns - torch.eye(50)).abs().max() < 0.6


@pytest.mark.parametrize("matcher", ["siamese", "rrwm", "fgw", "uniform"])
def test_the_scores_of_any_matcher_can_be_made_one_to_one(graphs: Graphs, matcher: str) -> None:
    made = {
        "siamese": lambda: SiameseMatcher(
            num_layers=1, hidden_channels=4, max_steps=2, batch_size=4
        ).fit(graphs),
        "rrwm": lambda: RRWM(normalization="one-to-one"),
        "fgw": lambda: FusedGromovWasserstein(normalization=OneToOne()),
        "uniform": lambda: Uniform(normalization="one-to-one"),
    }[matcher]()
    left, right = graphs[[0, 4, 1, 5]], graphs[[5, 2, 3, 0]]
    M = made(left, right)
    assert M.to_sparse() is M, "kept entry by entry"
    dense = M.to_dense()
    assert set(dense.unique().tolist()) == {0.0, 1.0}
    assert int(dense.sum()) == int(torch.minimum(left.sizes, right.sizes).sum())
    assert dense.sum(0).max() == dense.sum(1).max() == 1


def test_a_pair_does_not_feel_its_company(graphs: Graphs) -> None:
    matcher = Uniform(normalization="consensus")
    left, right = graphs[[0, 4, 1, 5]], graphs[[5, 2, 3, 0]]
    together = matcher(left, right).to_dense()
    alone = torch.block_diag(*(matcher(left[[g]], right[[g]]).to_dense() for g in range(4)))
    torch.testing.assert_close(together, alone)
    assert Pairs.of(left, right).masks()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("consensus(rounds=-1)", "rounds must be 0 or more"),
        ("one-to-one(growth=0)", "growth must be above 0"),
        ("one-to-one(noise=-1)", "noise must be 0 or more"),
        ("one-to-one(steps=0)", "steps must be 1 or more"),
        ("one-to-one(bin=99)", "bin must be between -50 and 50"),
    ],
)
def test_wrong_settings(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        NORMALIZATIONS.of(text)
