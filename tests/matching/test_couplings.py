"""Couplings against sums written out, linear programs of SciPy, and POT."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import torch
from ot.gromov import fused_gromov_wasserstein
from scipy.optimize import linprog
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching.couplings import Couplings, cheapest, feature_cost, masses, with_sums
from smixup.matching.pairs import PairBlock, Pairs


def couplings_of(block: PairBlock, alpha: float = 0.5) -> Couplings:
    cost = feature_cost(block.x1, block.x2)
    return Couplings(cost, block.A1, block.A2, block.mask1, block.mask2, alpha).double()


@pytest.fixture
def block(make_graphs: Callable[..., Graphs]) -> PairBlock:
    """Pairs of several sizes in one block."""
    graphs = make_graphs([5, 8, 7, 6, 4, 9, 1, 3])
    (found,) = Pairs.of(graphs[:4], graphs[4:]).blocks()
    return found


def random_couplings(problem: Couplings, seed: int = 0) -> Tensor:
    T = torch.rand(problem.M.shape, generator=torch.Generator().manual_seed(seed)).double()
    mask = problem.mask1.unsqueeze(2) & problem.mask2.unsqueeze(1)
    return with_sums(T * mask, problem.p, problem.q)


def plain_distortion(problem: Couplings, T: Tensor, pair: int) -> float:
    total = 0.0
    N1, N2 = T.shape[1:]
    for i, j in product(range(N1), range(N2)):
        total += float((1 - problem.alpha) * T[pair, i, j] * problem.M[pair, i, j])
        for k, m in product(range(N1), range(N2)):
            apart = float(problem.C1[pair, i, k] - problem.C2[pair, j, m]) ** 2
            total += problem.alpha * float(T[pair, i, j] * T[pair, k, m]) * apart
    return total


@pytest.mark.parametrize("directed", [False, True])
def test_the_distortion_and_its_gradient(block: PairBlock, directed: bool) -> None:
    problem = couplings_of(block, 0.7)
    if directed:
        C1, C2 = problem.C1.triu(), problem.C2.triu()
        problem = Couplings(problem.M, C1, C2, problem.mask1, problem.mask2, 0.7)
    T, other = random_couplings(problem), random_couplings(problem, 1)
    found = problem.distortion(T)
    for pair in range(len(T)):
        assert float(found[pair]) == pytest.approx(plain_distortion(problem, T, pair))
    step, d = 1e-5, other - T
    slope = (problem.distortion(T + step * d) - problem.distortion(T - step * d)) / (2 * step)
    gradient = problem.gradient(T)
    torch.testing.assert_close((gradient * d).sum((1, 2)), slope, rtol=1e-5, atol=1e-7)


def test_sums_are_right_and_nothing_is_outside_of_a_pair(block: PairBlock) -> None:
    problem = couplings_of(block)
    for T in (problem.even(), problem.relaxed(problem.even()), problem.solved(5)):
        assert (T >= 0).all()
        torch.testing.assert_close(T.sum(2), problem.p)
        torch.testing.assert_close(T.sum(1), problem.q)


def test_each_way_goes_down(block: PairBlock) -> None:
    problem = couplings_of(block)
    even = problem.even()
    relaxed = problem.relaxed(even)
    last = problem.distortion(relaxed)
    assert (last <= problem.distortion(even) + 1e-9).all()
    assert last.sum() < 0.9 * problem.distortion(even).sum()
    for steps in range(1, 5):
        found = problem.distortion(problem.descended(relaxed, steps))
        assert (found <= last + 1e-9).all()
        last = found


def test_padding_changes_nothing(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([6, 7, 9, 4])
    (together,) = Pairs.of(graphs[:2], graphs[2:]).blocks()
    found = couplings_of(together).solved(5)
    for pair in range(2):
        (alone,) = Pairs.of(graphs[[pair]], graphs[[2 + pair]]).blocks()
        place = together.pairs.tolist().index(pair)
        _, n1, n2 = alone.mask.shape
        torch.testing.assert_close(found[place, :n1, :n2], couplings_of(alone).solved(5)[0])


@pytest.mark.parametrize("sizes", [(5, 5), (4, 7)])
def test_the_cheapest_coupling_is_that_of_a_linear_program(sizes: tuple[int, int]) -> None:
    n1, n2 = sizes
    G = torch.rand(1, n1, n2, generator=torch.Generator().manual_seed(1)).double()
    masks = torch.ones(1, n1, dtype=torch.bool), torch.ones(1, n2, dtype=torch.bool)
    T = cheapest(G, *masks, torch.ones(1, dtype=torch.bool))
    rows = np.kron(np.eye(n1), np.ones(n2))
    columns = np.kron(np.ones(n1), np.eye(n2))
    sums = np.r_[np.full(n1, 1 / n1), np.full(n2, 1 / n2)]
    best = linprog(G.numpy().ravel(), A_eq=np.r_[rows, columns], b_eq=sums)
    assert float((G * T).sum()) == pytest.approx(best.fun)
    torch.testing.assert_close(T.sum(2), masses(masks[0], torch.double))


def test_steps_from_the_even_coupling_are_those_of_pot(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([6, 8])
    (block,) = Pairs.of(graphs[[0]], graphs[[1]]).blocks()
    problem = couplings_of(block)
    even = problem.p.unsqueeze(2) * problem.q.unsqueeze(1)
    T = problem.descended(even, 100)
    _, log = fused_gromov_wasserstein(
        *(each[0].numpy() for each in (problem.M, problem.C1, problem.C2)), alpha=0.5, log=True
    )
    assert float(problem.distortion(T)) == pytest.approx(float(log["fgw_dist"]), rel=1e-3)


def test_graphs_in_which_all_nodes_look_alike(from_networkx: Callable[..., Graphs]) -> None:
    """From the even coupling no gradient leads away; the solver leaves it nevertheless."""
    import networkx as nx

    ring = from_networkx([nx.cycle_graph(6)])
    (block,) = Pairs.of(ring, ring).blocks()
    problem = couplings_of(block, 1.0)
    assert float(problem.distortion(problem.solved(20))) < 1e-6
