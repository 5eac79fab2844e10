"""Barycentres are no worse than POT's, and lie where they should: at the ends, and between."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import torch
from ot.gromov import fgw_barycenters, fused_gromov_wasserstein2

from experiments.edit_distance import edit_distance, weighted_graph
from experiments.mixes import Parents, tagged
from smixup.augment import FGWMixup
from smixup.augment.baselines.fgw_mixup import Side, density
from smixup.graphs import Graphs
from smixup.matching.pairs import Pairs

SEEDS = range(5)


def distance(left: Graphs, right: Graphs) -> float:
    return edit_distance(weighted_graph(left), weighted_graph(right), 1.0)


@pytest.fixture
def pairs(from_networkx: Callable[..., Graphs]) -> tuple[Graphs, Graphs]:
    """Small graphs of different sizes, whose nodes have one of three kinds."""
    sides = []
    for offset, sizes in ((0, [6, 7, 5, 8, 6]), (50, [7, 5, 5, 6, 8])):
        drawn = [nx.gnm_random_graph(n, n + 1, seed=offset + n + k) for k, n in enumerate(sizes)]
        graphs = from_networkx(drawn, labels=[offset // 50] * 4 + [1])
        kinds = torch.arange(graphs.num_nodes) % 3
        sides.append(graphs.replace(x=torch.eye(3)[kinds]))
    return sides[0], sides[1]


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_the_ends_are_the_graphs(pairs: tuple[Graphs, Graphs], end: float) -> None:
    left, right = pairs
    found = FGWMixup().mixed(left, right, torch.full((5,), end))
    expected = left if end else right
    for place in SEEDS:
        assert distance(found[[place]], expected[[place]]) < 0.02
    torch.testing.assert_close(found.y, expected.y)
    assert torch.equal(found.sizes, expected.sizes)


def test_targets_say_how_near_a_mix_is(pairs: tuple[Graphs, Graphs]) -> None:
    left, right = pairs[0][:4], pairs[1][:4]
    lam = torch.tensor([0.9, 0.7, 0.3, 0.1])
    found = FGWMixup().mixed(left, right, lam).y
    torch.testing.assert_close(found.sum(1), torch.ones(4))
    assert found[0, 0] > 0.5 > found[3, 0]
    assert not torch.allclose(found, torch.stack([lam, 1 - lam], 1), atol=0.01)


def test_edges_are_whole_and_as_dense_as_the_targets_say(pairs: tuple[Graphs, Graphs]) -> None:
    left, right = (side[:4] for side in pairs)
    found = FGWMixup().mixed(left, right, torch.full((4,), 0.6))
    assert (found.adj.weight == 1).all()
    share = found.y[:, 0]
    expected = share * density(left) + (1 - share) * density(right)
    edges = density(found) * found.sizes.double().square()
    torch.testing.assert_close(edges, (expected * found.sizes.double().square()).round())


def test_the_parents_of_a_mix_are_of_different_classes(make_graphs: Callable[..., Graphs]) -> None:
    originals = tagged(make_graphs([6, 5, 7, 8, 6, 5], num_classes=2))
    made = FGWMixup(amount=2.0, alpha=1.0, seed=0).fit_extend(originals)
    assert len(made) == 18
    parents = Parents.of(made[6:])
    assert parents is not None
    assert len(parents.pairs) == 12
    classes = originals.labels
    assert (classes[parents.left] != classes[parents.right]).all()
    torch.testing.assert_close(parents.expected(originals.y), made.y[6:])


def sides(graphs: Graphs, first: list[int], second: list[int]) -> tuple[Side, Side]:
    (block,) = Pairs.of(graphs[first], graphs[second]).blocks()
    parts = (block.x1, block.A1, block.mask1), (block.x2, block.A2, block.mask2)
    left, right = (Side(x.double(), A.double(), mask) for x, A, mask in parts)
    return left, right


def test_no_farther_from_both_graphs_than_that_of_pot(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([7, 9])
    left, right = sides(graphs, [0], [1])
    solve = FGWMixup(structure_weight=0.5, rounds=20).barycentres
    *_, d1, d2 = solve(left, right, torch.tensor([0.6]), torch.tensor([8]))
    ours = 0.6 * d1 + 0.4 * d2
    Ys, Cs = (
        [each[0].numpy() for each in part]
        for part in zip((left.x, left.C), (right.x, right.C), strict=True)
    )
    ps = [np.full(len(C), 1 / len(C)) for C in Cs]
    theirs = []
    for seed in range(3):
        X, C = fgw_barycenters(
            8, Ys, Cs, ps, [0.6, 0.4], 0.5, max_iter=50, tol=1e-6, random_state=seed
        )
        total = 0.0
        for lam, Y, C2, p in zip((0.6, 0.4), Ys, Cs, ps, strict=True):
            M = ((X[:, None] - Y[None]) ** 2).sum(2)
            total += lam * fused_gromov_wasserstein2(M, C, C2, np.full(8, 1 / 8), p, alpha=0.5)
        theirs.append(total)
    assert float(ours) <= 1.1 * min(theirs)
