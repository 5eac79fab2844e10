"""Barycentres against POT's, and against what an average must be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from ot.gromov import fgw_barycenters, fused_gromov_wasserstein2

from smixup.augment.baselines.barycentre import BarycentreSolver, Side, average
from smixup.augment.common_nodes import node_by_node
from smixup.graphs import Graphs
from smixup.matching.pairs import Pairs


def sides(graphs: Graphs, first: list[int], second: list[int]) -> tuple[Side, Side]:
    (block,) = Pairs.of(graphs[first], graphs[second]).blocks()
    parts = (block.x1, block.A1, block.mask1), (block.x2, block.A2, block.mask2)
    left, right = (Side(x.double(), A.double(), mask) for x, A, mask in parts)
    return left, right


@pytest.mark.parametrize("relaxed", [False, True])
def test_no_farther_from_both_graphs_than_that_of_pot(
    make_graphs: Callable[..., Graphs], relaxed: bool
) -> None:
    graphs = make_graphs([7, 9])
    left, right = sides(graphs, [0], [1])
    found = BarycentreSolver(0.5, 20, relaxed)(left, right, torch.tensor([0.6]), torch.tensor([8]))
    ours = 0.6 * found.distances[0] + 0.4 * found.distances[1]
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
    assert float(ours) <= (1.25 if relaxed else 1.1) * min(theirs)


def test_rounds_bring_it_nearer(make_graphs: Callable[..., Graphs]) -> None:
    left, right = sides(make_graphs([7, 9, 8, 6]), [0, 3], [1, 1])
    lam, nodes = torch.tensor([0.6, 0.5]), torch.tensor([8, 7])

    def total(rounds: int) -> torch.Tensor:
        found = BarycentreSolver(0.5, rounds, relaxed=False)(left, right, lam, nodes)
        return lam * found.distances[0] + (1 - lam) * found.distances[1]

    first, later, last = total(1), total(3), total(20)
    assert (later <= first + 1e-9).all()
    assert (last <= later + 1e-9).all()


def test_the_average_by_hand() -> None:
    """One node against two: the node meets both, and is their mean."""
    left = Side(torch.tensor([[[2.0]]]), torch.zeros(1, 1, 1), torch.ones(1, 1, dtype=torch.bool))
    C2 = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    right = Side(torch.tensor([[[4.0], [8.0]]]), C2, torch.ones(1, 2, dtype=torch.bool))
    S = torch.ones(1, 1, 1), torch.full((1, 1, 2), 0.5)
    found = average(S, (left, right), torch.tensor([0.75]), torch.ones(1, 1, dtype=torch.bool))
    assert float(found.x) == pytest.approx(0.75 * 2 + 0.25 * 6)
    assert float(found.C) == pytest.approx(0.25 * 0.5)


def test_couplings_have_the_sums_of_their_nodes(make_graphs: Callable[..., Graphs]) -> None:
    left, right = sides(make_graphs([7, 9, 8, 6]), [0, 3], [1, 1])
    nodes = torch.tensor([8, 7])
    for relaxed in (False, True):
        found = BarycentreSolver(0.95, 3, relaxed)(left, right, torch.tensor([0.6, 0.5]), nodes)
        for S, side in zip(found.couplings, (left, right), strict=True):
            each = torch.stack([torch.arange(8) < n for n in nodes]) / nodes.unsqueeze(1)
            torch.testing.assert_close(S.sum(2), each.to(S))
            torch.testing.assert_close(S.sum(1), side.mask / side.mask.sum(1, keepdim=True).to(S))


def test_a_graph_is_met_node_by_node() -> None:
    mask, new = torch.ones(1, 3, dtype=torch.bool), torch.ones(1, 2, dtype=torch.bool)
    found = node_by_node(mask, new, torch.tensor([[1.0, 0.0, 5.0]]))[0]
    expected = torch.tensor([[2, 1, 0], [0, 1, 2]]) / 6
    torch.testing.assert_close(found, expected.double())
