"""Messages equal the plain formula, their gradients those of autograd and of finite differences."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from smixup.classifiers.edge_messages import EdgeMessages
from smixup.graphs import Graphs, SparseOperator


@pytest.fixture
def edges(graphs: Graphs) -> EdgeMessages:
    """Directed edges, some of weight zero and some negative."""
    adj = graphs.adj.to_sparse()
    random = torch.Generator().manual_seed(3)
    m = adj.column.numel()
    weight = torch.randn(m, generator=random) * (torch.arange(m) % 5 != 0)
    features = torch.randn(m, 4, generator=random)
    return EdgeMessages(replace(adj, weight=weight, symmetric=False), features)


def plain(edges: EdgeMessages, h: Tensor, encoder: Tensor) -> Tensor:
    """One edge after the other."""
    out = torch.zeros_like(h)
    rows, columns = edges.adj.row.tolist(), edges.adj.column.tolist()
    for i, j, w, e in zip(rows, columns, edges.adj.weight, edges.features, strict=True):
        message = w.to(h.dtype) * (h[j] + encoder @ e.to(h.dtype)).relu()
        out = out.index_add(0, torch.tensor([i]), message.unsqueeze(0))
    return out


def inputs(edges: EdgeMessages, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(4)
    shapes = (edges.adj.num_columns, 5), (5, 4)
    h, encoder = (torch.randn(shape, generator=random, dtype=dtype) for shape in shapes)
    return h.requires_grad_(), encoder.requires_grad_()


def test_sums_and_gradients_are_those_of_the_plain_formula(edges: EdgeMessages) -> None:
    h, encoder = inputs(edges, torch.float)
    outcomes = []
    for found in (edges.sums(h, encoder), plain(edges, h, encoder)):
        outcomes.append((found, *torch.autograd.grad(found.square().sum(), (h, encoder))))
    torch.testing.assert_close(*outcomes, rtol=1e-4, atol=1e-4)


def test_gradients_by_finite_differences(edges: EdgeMessages) -> None:
    h, encoder = inputs(edges, torch.double)
    assert torch.autograd.gradcheck(edges.sums, (h, encoder))


def test_inputs_stay_as_they_were(edges: EdgeMessages) -> None:
    h, encoder = inputs(edges, torch.float)
    before = h.detach().clone(), encoder.detach().clone(), edges.features.clone()
    edges.sums(h, encoder).sum().backward()
    torch.testing.assert_close((h.detach(), encoder.detach(), edges.features), before)


def test_no_edges_send_nothing() -> None:
    none = SparseOperator.from_edges(torch.empty(2, 0, dtype=torch.long), torch.empty(0), 3)
    edges = EdgeMessages(none, torch.empty(0, 4))
    h, encoder = inputs(edges, torch.float)
    out = edges.sums(h, encoder)
    assert torch.equal(out, torch.zeros(3, 5))
    out.sum().backward()
    assert h.grad is not None
    assert encoder.grad is not None
    assert not h.grad.any()
    assert not encoder.grad.any()


def test_weights_of_zero_send_nothing_and_negative_ones_turn_the_sign(edges: EdgeMessages) -> None:
    h, encoder = inputs(edges, torch.float)
    zeros = replace(edges, adj=replace(edges.adj, weight=torch.zeros_like(edges.adj.weight)))
    turned = replace(edges, adj=replace(edges.adj, weight=-edges.adj.weight))
    assert not zeros.sums(h, encoder).any()
    torch.testing.assert_close(turned.sums(h, encoder), -edges.sums(h, encoder))


def test_degrees_count_the_sizes_of_weights(edges: EdgeMessages) -> None:
    normal, degree = edges.normalised()
    A = edges.adj.to_dense()
    expected = 1 + A.abs().sum(1)
    assert (A.sum(1) + 1 < 0).any()  # of which a root would not exist
    torch.testing.assert_close(degree, expected)
    root = expected.sqrt()
    torch.testing.assert_close(normal.adj.to_dense(), A / torch.outer(root, root))


def test_half_width_numbers_stay_so(edges: EdgeMessages) -> None:
    h, encoder = inputs(edges, torch.float)
    found = edges.sums(h.bfloat16(), encoder)
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.float(), edges.sums(h, encoder), rtol=0.05, atol=0.1)
    found.float().sum().backward()
    assert encoder.grad is not None
    assert encoder.grad.dtype == torch.float
