"""The graph convolution equals PyG's and the formula of Kipf and Welling."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch_geometric.nn import GCNConv

from smixup.classifiers import GCN
from smixup.classifiers.gcn import GCNLayer, symmetric_normalisation
from smixup.graphs import BlockOperator, Diagonal, Graphs, SparseOperator, padding_of


def test_normalisation_of_an_edge_by_hand() -> None:
    """One edge of weight 3: both degrees are 4; the third node is alone and keeps itself."""
    adj = SparseOperator.from_edges(torch.tensor([[0, 1], [1, 0]]), torch.tensor([3.0, 3.0]), 3)
    expected = torch.tensor([[0.25, 0.75, 0.0], [0.75, 0.25, 0.0], [0.0, 0.0, 1.0]])
    torch.testing.assert_close(symmetric_normalisation(adj).to_dense(), expected)


def test_normalisation_of_unequal_degrees_by_hand() -> None:
    """The path 0 - 1 - 2: degrees with loops 2, 3, 2."""
    adj = SparseOperator.from_edges(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.ones(4), 3)
    a = 1 / math.sqrt(6)
    expected = torch.tensor([[1 / 2, a, 0], [a, 1 / 3, a], [0, a, 1 / 2]])
    torch.testing.assert_close(symmetric_normalisation(adj).to_dense(), expected)


def directed() -> SparseOperator:
    edge_index = torch.tensor([[0, 1, 3, 3], [1, 2, 0, 2]])
    return SparseOperator.from_edges(edge_index, torch.tensor([0.5, 2.0, 1.0, 3.0]), 5)


@pytest.mark.parametrize("kind", ["weighted", "unit", "directed"])
def test_layer_equals_pyg_with_equal_weights(graphs: Graphs, kind: str) -> None:
    adj = directed() if kind == "directed" else graphs.adj
    edge_index, edge_weight = adj.edges()
    if kind == "unit":
        adj, edge_weight = (
            SparseOperator.from_edges(edge_index, torch.ones_like(edge_weight), adj.shape[0]),
            None,
        )
    ours, theirs = GCNLayer(3, 8, batch_norm=False), GCNConv(3, 8)
    torch.nn.init.normal_(ours.bias)
    theirs.load_state_dict({"lin.weight": ours.linear.weight, "bias": ours.bias})
    x = torch.randn(adj.shape[0], 3)
    expected = theirs(x, edge_index, edge_weight).relu()
    out = ours(x, symmetric_normalisation(adj))
    torch.testing.assert_close(out, expected)
    mine, other = (
        torch.autograd.grad(out.pow(2).sum(), [ours.linear.weight, ours.bias]),
        torch.autograd.grad(expected.pow(2).sum(), [theirs.lin.weight, theirs.bias]),
    )
    torch.testing.assert_close(mine, other)


def signed_matrices(number: int, n: int, symmetric: bool) -> list[Tensor]:
    """Matrices with entries of both signs, some zero, and a first row whose sum is below -1."""
    random = torch.Generator().manual_seed(0)
    found = []
    for _ in range(number):
        A = torch.randn(n, n, generator=random).fill_diagonal_(0)
        A = torch.where(A.abs() < 0.3, 0.0, A)
        A[0] = -A[0].abs()
        found.append((A + A.T) / 2 if symmetric else A)
    return found


def plain_convolution(A: Tensor, h: Tensor) -> Tensor:
    """`sum_j A_ij h_j / sqrt(d_i d_j) + h_i / d_i` with `d_i = 1 + sum_j |A_ij|`, by loops."""
    n, out = len(A), torch.zeros_like(h)
    degree = [1 + sum(abs(float(A[i, j])) for j in range(n)) for i in range(n)]
    for i in range(n):
        out[i] += h[i] / degree[i]
        for j in range(n):
            out[i] += A[i, j] * h[j] / math.sqrt(degree[i] * degree[j])
    return out


@pytest.mark.parametrize("symmetric", [True, False])
def test_negative_weights_turn_messages_and_count_by_their_size(symmetric: bool) -> None:
    matrices = signed_matrices(3, 6, symmetric)
    row, column = torch.block_diag(*matrices).nonzero(as_tuple=True)
    weight = torch.block_diag(*matrices)[row, column]
    sparse = SparseOperator.from_edges(torch.stack([column, row]), weight, 18)
    padding = padding_of(torch.tensor([0, 6, 12, 18]))
    h = torch.randn(18, 4)
    expected = torch.cat(
        [plain_convolution(A, h[6 * i : 6 * i + 6]) for i, A in enumerate(matrices)]
    )
    for adj in (sparse, BlockOperator.from_sparse(sparse, padding, padding)):
        torch.testing.assert_close(symmetric_normalisation(adj) @ h, expected)


def test_a_mix_of_signed_matrices_is_normalised_as_the_matrix_that_it_is() -> None:
    """Sums of weights and sums of sizes differ where signs of the two sides do."""
    A, B = signed_matrices(2, 6, symmetric=True)
    first, second = (
        SparseOperator.from_edges(torch.stack(M.nonzero(as_tuple=True)), M[M != 0], 6)
        for M in (A, B)
    )
    h, half = torch.randn(6, 4), torch.full((6,), 0.5)
    found = symmetric_normalisation(half * first + half * second) @ h
    torch.testing.assert_close(found, plain_convolution((A + B) / 2, h))


def test_no_eigenvalue_of_a_signed_matrix_is_larger_than_one() -> None:
    for A in signed_matrices(5, 8, symmetric=True):
        adj = SparseOperator.from_edges(torch.stack(A.nonzero(as_tuple=True)), 50 * A[A != 0], 8)
        values = torch.linalg.eigvalsh(symmetric_normalisation(adj).to_dense().double())
        assert values.abs().max() <= 1 + 1e-6


def test_without_negative_weights_numbers_are_those_of_sums_to_the_bit(graphs: Graphs) -> None:
    padding = padding_of(graphs.ptr)
    blocks = BlockOperator.from_sparse(graphs.adj.to_sparse(), padding, padding)
    for adj in (graphs.adj, blocks, graphs.adj + blocks):
        degree = adj.row_sums() + 1.0
        usual = adj.conjugated(degree.rsqrt()) + Diagonal(degree.reciprocal())
        assert torch.equal(symmetric_normalisation(adj).to_dense(), usual.to_dense())


def test_batch_norm_is_off_unless_asked_for() -> None:
    norms = [
        sum(
            isinstance(module, torch.nn.BatchNorm1d)
            for module in GCN(3, 2, batch_norm=batch_norm).modules()
        )
        for batch_norm in (False, True)
    ]
    assert norms == [0, 4]
    assert not any(isinstance(module, torch.nn.BatchNorm1d) for module in GCN(3, 2).modules())
