"""Several maps as one do what each of them does."""

from __future__ import annotations

import pytest
import torch

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.bundle import Bundle


@pytest.fixture
def bundle(graphs: Graphs) -> Bundle:
    adj = graphs.adj.to_sparse()
    return Bundle((adj, adj.mask_entries(adj.weight > 1.0)))


def parts(operator: Bundle | SparseOperator) -> list[torch.Tensor]:
    return [each.to_dense() for each in operator.unbind()]


def scattered(bundle: Bundle) -> SparseOperator:
    """A map that is not symmetric."""
    adj = bundle.parts[0].to_sparse()
    up = adj.row < adj.column
    return SparseOperator.from_entries(adj.row[up], adj.column[up], adj.weight[up], adj.shape)


def test_entries_are_wherever_one_has_them(bundle: Bundle) -> None:
    found = bundle.to_sparse()
    assert found.weight.shape == (bundle.parts[0].to_sparse().column.numel(), 2)
    torch.testing.assert_close(parts(found), parts(bundle))


def test_each_is_scaled_composed_added_and_turned(bundle: Bundle) -> None:
    A, B = parts(bundle)
    scale = torch.arange(1.0, len(A) + 1)
    S = scale.unsqueeze(1)
    torch.testing.assert_close(parts(scale * bundle), [S * A, S * B])
    torch.testing.assert_close(parts(bundle @ bundle.parts[0]), [A @ A, B @ A])
    torch.testing.assert_close(parts(bundle + bundle.to_sparse()), [2 * A, 2 * B])
    (A, B), turned = parts(bundle @ scattered(bundle)), (bundle @ scattered(bundle)).T
    torch.testing.assert_close(parts(turned), [A.T, B.T])
    assert turned.shape == tuple(A.shape)


def test_loops_go_from_all(bundle: Bundle) -> None:
    n = bundle.shape[0]
    eye = SparseOperator.from_edges(torch.arange(n).expand(2, -1), torch.ones(n), n)
    both = SparseOperator.from_entries(eye.row, eye.column, torch.ones(n, 2), (n, n))
    torch.testing.assert_close(parts((bundle + both).without_loops()), parts(bundle))


def test_it_has_no_product(bundle: Bundle) -> None:
    with pytest.raises(TypeError, match="take one of"):
        bundle.product(torch.ones(bundle.shape[1], 1))
