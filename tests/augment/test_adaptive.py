"""How far G2' is from G2, against a plain loop; and labels by teachers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from smixup import Augmentation, DropEdge, MMixup, SMixup, Taught, Until
from smixup.augment.adaptive import distortion, narrow_ratio
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.matching import Identity
from smixup.matching.assign import Columns, Rows
from smixup.matching.pairs import Pairs


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
    lam, lost = torch.tensor([0.5, 0.5, 0.5, 0.75]), torch.tensor([0.0, 0.5, 1.0, 0.5])
    torch.testing.assert_close(narrow_ratio(lam, lost), torch.tensor([0.5, 0.75, 1.0, 0.875]))


@pytest.mark.parametrize("normalise", [Columns(), Rows()])
def test_pairs_of_all_sizes_equal_a_plain_loop(graphs: Graphs, normalise: Any) -> None:
    left, right = graphs[range(7)], graphs[[3, 4, 5, 6, 0, 1, 2]]
    pairs, random = Pairs.of(left, right), torch.Generator().manual_seed(0)
    M: Operator = pairs.operator(
        [normalise(3 * torch.randn(b.mask.shape, generator=random), b) for b in pairs.blocks()]
    )
    expected = []
    for place in range(7):
        rows, columns = (
            slice(int(side.ptr[place]), int(side.ptr[place + 1])) for side in (left, right)
        )
        A2 = right.adj.to_dense()[columns, columns]
        expected.append(slowly(M.to_dense()[rows, columns], A2, right.x[columns]))
    values = distortion(M, left, right)
    torch.testing.assert_close(values, torch.tensor(expected), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(distortion(M.to_sparse(), left, right), values, rtol=1e-4, atol=1e-5)
    assert values.max() > 0.2


def slowly(M: Tensor, A2: Tensor, X2: Tensor) -> float:
    """Compare every edge and node of G2' with every one of G2, weighted by M."""
    M, A2, X2 = M.double(), A2.double(), X2.double()
    n = len(A2)
    M = M / M.sum(0)
    apart = ~torch.eye(n, dtype=torch.bool)
    A = torch.where(apart, A2 - A2[apart].mean(), 0.0) if n > 1 else A2
    X = X2 - X2.mean(0)
    C, Y = (M @ A @ M.T).fill_diagonal_(0), M @ X
    C4, A4 = C[:, None, :, None], A[None, :, None, :]
    edges = (C4 - A4).square(), C4**2 + A4**2
    sizes = Y[:, None].square().sum(2) + X[None].square().sum(2)
    nodes = (Y[:, None] - X[None]).square().sum(2), sizes
    both = M[:, :, None, None] * M[None, None]
    cost, terms = (
        (both * edge).sum() + (M * node).sum() for edge, node in zip(edges, nodes, strict=True)
    )
    return 1 - math.sqrt(float(1 - cost / terms)) if terms > 0 else 0.0


def by_odds(odds: float) -> Callable[[Graphs], Tensor]:
    """A teacher who finds class 0 so many times as likely as class 1."""
    row = torch.tensor([[odds, 1.0]]).log()
    return lambda graphs: row.expand(len(graphs), 2)


def mixing(**settings: Any) -> SMixup:
    return SMixup(Identity(partial=True), partners=None, seed=0, **settings)


def test_new_graphs_get_the_mean_of_probabilities_and_originals_keep_their_labels(
    graphs: Graphs,
) -> None:
    """By hand: odds of 3 and of 1 are probabilities of 3/4 and 1/2, their mean is 5/8."""
    batch = graphs[range(7)]
    teachers = [by_odds(3.0), by_odds(1.0)]
    for method, new in ((mixing(), 7), (Augmentation(), 7), (MMixup(seed=0), 7)):
        out = Taught(method, teachers).on_batch(batch)
        assert len(out) == 7 + new and torch.equal(out.y[:7], batch.y)
        torch.testing.assert_close(out.y[7:], torch.tensor([[5 / 8, 3 / 8]]).expand(new, 2))
    for method in (mixing(amount=None), DropEdge(seed=0)):  # in the place of originals
        out = Taught(method, teachers).on_batch(batch)
        torch.testing.assert_close(out.y, torch.tensor([[5 / 8, 3 / 8]]).expand(7, 2))
    taught = Taught(Until(mixing(), share=0.5), teachers)
    taught.set_epoch(1, 2)
    assert len(taught.on_batch(batch)) == 14
    taught.set_epoch(2, 2)
    assert taught.on_batch(batch) is batch


class Dropping(nn.Module):
    """A module that tells how it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.modes = nn.Parameter(torch.ones(2)), list[tuple[bool, bool]]()

    def forward(self, graphs: Graphs) -> Tensor:
        self.modes.append((self.training, torch.is_grad_enabled()))
        return self.weight.expand(len(graphs), 2)


def test_teachers_are_asked_as_in_evaluation_and_left_as_they_were(graphs: Graphs) -> None:
    teacher = Dropping()
    out = Taught(Augmentation(), [teacher]).on_batch(graphs[range(3)])
    assert teacher.modes == [(False, False)]
    assert teacher.training and not out.y.requires_grad
