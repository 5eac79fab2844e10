"""Couplings against other solvers where the problem is one of theirs."""

from __future__ import annotations

import sys
from collections.abc import Callable

import networkx as nx
import pytest
import torch
from scipy.optimize import linear_sum_assignment

from smixup.datasets import load_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.pairs import Pairs
from smixup.matching.pairwise import singles


def test_without_structure_it_is_the_cheapest_assignment_of_features(
    make_graphs: Callable[..., Graphs],
) -> None:
    left, right = make_graphs([8], seed=1)[[0]], make_graphs([8], seed=2)[[0]]
    M = FusedGromovWasserstein(structure_weight=0.0)(left, right).to_dense()
    cost = (left.x.unsqueeze(1) - right.x.unsqueeze(0)).square().sum(2)
    row, column = linear_sum_assignment(cost.numpy())
    expected = torch.zeros(8, 8)
    expected[row, column] = 1
    torch.testing.assert_close(M, expected)


def test_rows_have_equal_sums_too(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([5, 8])
    M = FusedGromovWasserstein()(graphs[[0]], graphs[[1]]).to_dense()
    torch.testing.assert_close(M.sum(1), torch.full((5,), 8 / 5))


def distortion(X: torch.Tensor, A1: torch.Tensor, A2: torch.Tensor) -> float:
    """The objective with structure alone, summed term by term."""
    X = X / X.sum()
    difference = (A1[:, None, :, None] - A2[None, :, None, :]).square()
    return float((difference * X[:, :, None, None] * X[None, None]).sum())


def test_structure_alone_is_distorted_less_than_at_the_start(
    make_graphs: Callable[..., Graphs],
) -> None:
    graphs = make_graphs([7, 7, 1, 9])
    for second in (1, 3):
        (pair,) = Pairs.of(graphs[[0]], graphs[[second]]).blocks()
        X = FusedGromovWasserstein(structure_weight=1.0).solve(pair).float()
        found, even = (distortion(each, pair.A1[0], pair.A2[0]) for each in (X, torch.ones_like(X)))
        assert found < 0.9 * even


def test_features_and_structure_find_the_nodes_of_a_shuffled_copy(
    from_networkx: Callable[..., Graphs],
) -> None:
    graphs = from_networkx([nx.gnp_random_graph(12, 0.4, seed=seed) for seed in range(6)])
    original = graphs[torch.arange(6)]
    noise = torch.randn(original.num_nodes, 2, generator=torch.Generator().manual_seed(0))
    original = original.replace(x=noise)
    copy, origin = shuffled_copy(original, torch.Generator().manual_seed(0))
    M = FusedGromovWasserstein()(original, copy).to_dense()
    assert torch.equal(M.argmax(0), origin)


def test_all_pairs_at_once_are_distorted_no_more_than_pair_by_pair() -> None:
    graphs = load_dataset("MOTIF", num_graphs=60).graphs.floating()
    matcher = FusedGromovWasserstein()
    at_once, one_by_one = 0.0, 0.0
    for block in Pairs.of(graphs[:30], graphs[30:]).blocks():
        found = matcher._solve(block)
        for X, pair in zip(found, singles(block), strict=True):
            (n1, n2), A1, A2 = pair.mask[0].shape, pair.A1[0], pair.A2[0]
            at_once += distortion(X[:n1, :n2], A1, A2)
            one_by_one += distortion(matcher.solve(pair), A1, A2)
    assert at_once < 1.01 * one_by_one


def test_without_pot(monkeypatch: pytest.MonkeyPatch, graphs: Graphs) -> None:
    monkeypatch.setitem(sys.modules, "ot.lp.emd_wrap", None)
    with pytest.raises(
        SmixupError, match=r"needs POT, which is missing: pip install 'smixup\[matching\]'"
    ):
        FusedGromovWasserstein()(graphs[[0]], graphs[[3]])


@pytest.mark.parametrize("settings", [{"structure_weight": 1.5}, {"max_iter": 0}])
def test_wrong_settings(settings: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        FusedGromovWasserstein(**settings)  # type: ignore[arg-type]
