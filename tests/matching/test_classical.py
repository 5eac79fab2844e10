"""Solvers for small graphs: known matches, what they maximise, and what they refuse."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import permutations

import networkx as nx
import pytest
import torch

from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching.affinity import dense_affinity, node_affinity
from smixup.matching.classical import IPFP, SpectralMatching
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.pairs import PairBlock, Pairs

SOLVERS = [SpectralMatching, IPFP]


def objective(pair: PairBlock, X: torch.Tensor) -> float:
    K = dense_affinity(node_affinity(pair)[0], pair.A1[0], pair.A2[0])
    x = X.float().T.flatten()
    return float(x @ K @ x)


@pytest.mark.parametrize("solver", SOLVERS)
def test_finds_the_nodes_of_a_shuffled_copy(
    solver: type[SpectralMatching], from_networkx: Callable[..., Graphs]
) -> None:
    graphs = from_networkx([nx.gnp_random_graph(12, 0.4, seed=seed) for seed in range(8)])
    original = graphs[torch.arange(8)]
    copy, origin = shuffled_copy(original, torch.Generator().manual_seed(0))
    M = solver()(original, copy).to_dense()
    assert float((M.argmax(0) == origin).float().mean()) >= 0.95


def test_ipfp_is_no_worse_than_its_start_and_close_to_the_best_of_all(
    make_graphs: Callable[..., Graphs],
) -> None:
    left, right = make_graphs([5] * 6, seed=3), make_graphs([5] * 6, seed=4)
    for place in range(6):
        (pair,) = Pairs.of(left[[place]], right[[place]]).blocks()
        spectral, ipfp = (objective(pair, solver().solve(pair)) for solver in SOLVERS)
        best = max(objective(pair, torch.eye(5)[list(order)]) for order in permutations(range(5)))
        assert spectral <= ipfp * (1 + 1e-5)
        assert 0.85 * best <= ipfp <= best * (1 + 1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_stays_without_match_is_spread_evenly(
    solver: type[SpectralMatching], make_graphs: Callable[..., Graphs]
) -> None:
    graphs = make_graphs([3, 5])
    M = solver()(graphs[[0]], graphs[[1]]).to_dense()
    peaks = M.amax(0).sort().values
    torch.testing.assert_close(peaks, torch.tensor([1 / 3, 1 / 3, 1, 1, 1]))
    assert (M[:, M.amax(0) == 1].sum(1) == 1).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_graphs_too_large(
    solver: type[SpectralMatching], make_graphs: Callable[..., Graphs]
) -> None:
    graphs = make_graphs([4, 6])
    with pytest.raises(
        SmixupError, match=r"4 and 6 nodes has 24 candidate matches.*max_candidates=20.*rrwm"
    ):
        solver(max_candidates=20)(graphs[[0]], graphs[[1]])
    solver(max_candidates=24)(graphs[[0]], graphs[[1]])


def test_without_pygmtools(monkeypatch: pytest.MonkeyPatch, graphs: Graphs) -> None:
    monkeypatch.setitem(sys.modules, "pygmtools", None)
    with pytest.raises(
        SmixupError, match=r"needs pygmtools, which is missing: pip install 'smixup\[classical\]'"
    ):
        SpectralMatching()(graphs[[0]], graphs[[3]])


def test_wrong_settings() -> None:
    with pytest.raises(UsageError, match="max_iter must be 1 or more, not 0"):
        IPFP(max_iter=0)
