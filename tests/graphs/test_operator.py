"""The algebra of operators agrees with dense matrices, and so do its gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from smixup.datasets import load_dataset
from smixup.graphs import (
    BlockOperator,
    Diagonal,
    Graphs,
    Operator,
    SparseOperator,
    Stacked,
    padding_of,
)


@pytest.fixture
def graphs(graphs: Graphs, device: torch.device) -> Graphs:
    return graphs.to(device)


def kinds(graphs: Graphs) -> dict[str, tuple[Operator, Tensor]]:
    """Each kind of operator beside the dense matrix it must equal."""
    A = graphs.adj
    dense = A.weight.new_zeros(A.shape).index_put((A.row, A.column), A.weight)
    scale = torch.rand(A.shape[0], device=A.device)
    of_graphs = torch.rand(len(graphs), device=A.device).repeat_interleave(graphs.sizes)
    padding = padding_of(graphs.ptr, waste=40)
    blocks = BlockOperator.from_sparse(A, padding, padding)
    D = torch.diag(scale)
    return {
        "sparse": (A, dense),
        "blocks": (blocks, dense),
        "diagonal": (Diagonal(scale), D),
        "scaled": (of_graphs * A, of_graphs.diag() @ dense),
        "sum": (A + blocks, 2 * dense),
        "sum with a diagonal": (A + Diagonal(scale), dense + D),
        "product of blocks": (blocks @ blocks, dense @ dense),
        "mixed product": (blocks @ A.conjugated(scale), dense @ D @ dense @ D),
        "conjugated sum": ((A + blocks).conjugated(scale), 2 * D @ dense @ D),
        "conjugated stack": (
            Stacked((A, blocks)).conjugated(scale.repeat(2)),
            torch.block_diag(*[D @ dense @ D] * 2),
        ),
        "scaled stack": (
            of_graphs.repeat(2) * Stacked((A, blocks)),
            torch.block_diag(*[of_graphs.diag() @ dense] * 2),
        ),
        "scaled sum": (of_graphs * (A + blocks), 2 * of_graphs.diag() @ dense),
        "stacked": (Stacked((A, blocks)), torch.block_diag(dense, dense)),
    }


NAMES = list(kinds(load_dataset("MOTIF", num_graphs=3).graphs))


@pytest.mark.parametrize("name", NAMES)
def test_product_transpose_and_sparse_form_equal_the_dense_matrix(
    graphs: Graphs, name: str
) -> None:
    operator, dense = kinds(graphs)[name]
    h = torch.randn(operator.shape[1], 3, device=graphs.device)
    assert operator.shape == tuple(dense.shape)
    torch.testing.assert_close(operator @ h, dense @ h)
    torch.testing.assert_close(operator.T @ h, dense.T @ h)
    torch.testing.assert_close(operator.row_sums(), dense.sum(1))
    torch.testing.assert_close(operator.to_dense(), dense)
    torch.testing.assert_close(operator.to_sparse().to_dense(), dense)


@pytest.mark.parametrize("name", NAMES)
def test_row_sizes_are_sums_of_absolute_entries(graphs: Graphs, name: str) -> None:
    operator, _ = kinds(graphs)[name]
    assert not operator.has_negative
    assert torch.equal(operator.row_sizes(), operator.row_sums()), "to the bit"
    adj = graphs.adj.to_sparse()
    sign = torch.where((adj.row + adj.column) % 3 == 0, -1.0, 1.0)
    operator, dense = kinds(graphs.replace(adj=adj.scaled(sign)))[name]
    assert operator.has_negative == (name != "diagonal")
    torch.testing.assert_close(operator.row_sizes(), dense.abs().sum(1))


def test_entries_that_stand_twice_are_added_before_their_size_is_taken() -> None:
    edge_index = torch.tensor([[0, 1], [1, 0]])
    plus, minus = (SparseOperator.from_edges(edge_index, w * torch.ones(2), 2) for w in (3.0, -1.0))
    assert plus.add_unmerged(minus).row_sizes().tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", NAMES)
def test_gradient_reaches_the_signal_twice(graphs: Graphs, name: str) -> None:
    torch.manual_seed(0)
    operator, dense = kinds(graphs)[name]
    h = torch.randn(operator.shape[1], 2, device=graphs.device, requires_grad=True)
    first, expected = (
        torch.autograd.grad((M @ h).pow(3).sum(), h, create_graph=True)[0]
        for M in (operator, dense)
    )
    torch.testing.assert_close(first, expected)
    second, expected = (torch.autograd.grad(g.pow(2).sum(), h)[0] for g in (first, expected))
    torch.testing.assert_close(second, expected, rtol=1e-4, atol=1e-4)


def test_directed_graphs_are_told_from_undirected_ones(graphs: Graphs) -> None:
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    directed = SparseOperator.from_edges(edge_index, torch.tensor([1.0, 2.0, 3.0]), 4)
    assert graphs.adj.symmetric
    assert not directed.symmetric
    h = torch.eye(4)
    assert (directed @ h)[1, 0] == 1.0, "a message runs from source 0 to target 1"
    torch.testing.assert_close(directed.T @ h, (directed @ h).T)


def test_an_operator_moves_with_all_its_parts(graphs: Graphs) -> None:
    for operator, _ in kinds(graphs).values():
        moved = operator.to("meta")
        assert moved.device.type == "meta"


@pytest.mark.parametrize("name", ["sparse", "blocks", "product of blocks", "mixed product", "sum"])
def test_loops_small_entries_and_asymmetry_can_be_removed(graphs: Graphs, name: str) -> None:
    operator, dense = kinds(graphs)[name]
    torch.testing.assert_close(operator.without_loops().to_dense(), dense - dense.diagonal().diag())
    small = torch.where(dense < 0.9, 0.0, dense)
    torch.testing.assert_close(operator.without_small(0.9).to_dense(), small)
    symmetric = operator.symmetrised().to_sparse()
    assert symmetric.symmetric
    assert torch.equal(symmetric.to_dense(), symmetric.to_dense().T), "to the last bit"
    torch.testing.assert_close(symmetric.to_dense(), (dense + dense.T) / 2)
