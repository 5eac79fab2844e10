"""S-Mixup as tables alone have it: distortions against a plain loop, and what is done with them."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from experiments.variants import Adaptive, BalancedTransport, Study, distortion
from smixup import SMixup
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Identity, Uniform
from smixup.matching.assign import Sinkhorn
from smixup.matching.pairs import Pairs
from smixup.progress import silent


def found(M: Tensor, adj: Tensor, x: Tensor | None = None) -> float:
    """The distortion of one pair, of which the first graph is not asked."""

    def one(adj: Tensor, x: Tensor) -> Graphs:
        target, source = adj.nonzero().T
        edges, n = torch.stack([source, target]), len(adj)
        entries = SparseOperator.from_edges(edges, adj[target, source], n)
        return Graphs(x, entries, torch.ones(1, 1), torch.tensor([0, n]), torch.tensor([0]))

    row, column = M.nonzero().T
    assigned = SparseOperator.from_entries(row, column, M[row, column], tuple(M.shape))
    left = one(torch.zeros(len(M), len(M)), torch.zeros(len(M), 1))
    right = one(adj, torch.zeros(len(adj), 1) if x is None else x)
    return float(distortion(assigned, left, right))


def test_distortions_by_hand() -> None:
    path = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    # Two ends of a path on one node: `A = A2 - 2/3 (J - I)` has entries 1/3, 1/3, -2/3.
    M = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    arrived, sent = 2 * (2 / 3) ** 2, 4 * (1 / 3) ** 2 + 2 * (2 / 3) ** 2
    expected = 1 - math.sqrt(2 * arrived / (sent + 2 * arrived))
    assert found(M, path) == pytest.approx(expected, abs=1e-6)
    assert found(torch.eye(3)[[2, 0, 1]], path, torch.rand(3, 2)) == pytest.approx(0, abs=1e-6)
    assert found(torch.full((4, 3), 0.25), path) == pytest.approx(1, abs=1e-3)
    for adj in (torch.ones(5, 5) - torch.eye(5), torch.zeros(1, 1)):
        n = len(adj)
        assert found(torch.full((3, n), 1 / 3), adj, torch.full((n, 2), 7.0)) == 0


@pytest.mark.parametrize("partners", [None, 3])
def test_what_does_not_arrive_is_mixed_in_less(graphs: Graphs, partners: int | None) -> None:
    one_hot, M = graphs.replace(y=torch.eye(7)), Identity(partial=True)
    usual, adaptive = (
        kind(M, seed=0, partners=partners, amount=None, transport="partial").fit(one_hot, silent)
        for kind in (SMixup, Adaptive)
    )
    batch = one_hot[range(7)]
    y, narrower = (mix.on_batch(batch).y for mix in (usual, adaptive))
    right = one_hot[torch.where(y < 1, y, 0.0).fill_diagonal_(0).argmax(1)]
    met = y.diagonal() < 1
    expected = 1 - (1 - y.diagonal()) * (1 - distortion(M(batch, right), batch, right))
    assert met.any()
    torch.testing.assert_close(narrower.diagonal()[met], expected[met], rtol=1e-4, atol=1e-5)


def test_the_study_drops_light_edges_and_takes_others_for_whole_ones(graphs: Graphs) -> None:
    settings: dict[str, Any] = {"transport": "paper", "alpha": 1.0, "per_pair": False, "seed": 0}
    settings |= {"partners": None, "amount": None, "threshold": 0.0}
    plain, light, whole = (
        mix.fit(graphs, silent).on_batch(graphs[range(7)]).adj.to_dense()
        for mix in (
            SMixup(Uniform(), **settings),
            Study(Uniform(), **settings),
            Study(Uniform(), whole=True, **settings),
        )
    )
    expected = torch.where(plain < 0.1, 0.0, plain)
    assert 0 < (expected != 0).sum() < (plain != 0).sum(), "some go, some stay"
    torch.testing.assert_close(light, expected)
    torch.testing.assert_close(whole, (expected != 0).float())


def test_a_balanced_transport_keeps_constant_features_and_means(graphs: Graphs) -> None:
    left, right = graphs[range(7)], graphs[[3, 4, 5, 6, 0, 1, 2]]
    pairs, random = Pairs.of(left, right), torch.Generator().manual_seed(0)
    normalize = Sinkhorn(rounds=500)
    M = pairs.assigned(
        [normalize(2 * torch.randn(b.mask.shape, generator=random), b) for b in pairs.blocks()]
    )
    same = right.replace(x=torch.full_like(right.x, 3.0))
    moved = BalancedTransport()(M, left, same)
    torch.testing.assert_close(moved.x, torch.full_like(left.x, 3.0), rtol=1e-3, atol=1e-3)
    s = (left.sizes / right.sizes)[left.batch].unsqueeze(1)
    expected = s * (M @ right.adj @ M.T).without_loops().to_dense()
    torch.testing.assert_close(moved.adj.to_dense(), expected, rtol=1e-4, atol=1e-5)
