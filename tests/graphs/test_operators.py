"""Maps between nodes do what the dense matrices do that they stand for, and so do their
gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packed_kinds import assert_identical
from small_graphs import matrix
from torch import Tensor

from smixup.datasets import load_dataset
from smixup.graphs import Graphs, Padding, SparseOperator, buckets_of_pairs, from_blocks, to_blocks
from smixup.graphs.padding import carried
from smixup.graphs.ragged import offsets, row_means

close = torch.testing.assert_close
shared = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
WASTES = [1, 20, 2**17]


def kinds(graphs: Graphs) -> dict[str, tuple[SparseOperator, Tensor]]:
    """Maps of every make beside the dense matrix that each must equal."""
    A = graphs.adj
    dense = A.weight.new_zeros(A.shape).index_put((A.row, A.column), A.weight)
    scale = torch.rand(A.shape[0])
    lam = torch.rand(len(graphs)).repeat_interleave(graphs.sizes)
    D, L = torch.diag(scale), torch.diag(lam)
    return {
        "original": (A, dense),
        "scaled": (lam * A, L @ dense),
        "sum": (A + lam * A, dense + L @ dense),
        "product": (A @ A, dense @ dense),
        "conjugated": (A.conjugated(scale), D @ dense @ D),
        "stacked": (SparseOperator.stack([A, lam * A]), torch.block_diag(dense, L @ dense)),
    }


NAMES = list(kinds(load_dataset("MOTIF", num_graphs=3).graphs))


@pytest.mark.parametrize("name", NAMES)
def test_every_map_equals_its_dense_matrix(graphs: Graphs, name: str) -> None:
    operator, dense = kinds(graphs)[name]
    h = torch.randn(operator.shape[1], 3)
    assert operator.shape == tuple(dense.shape) == operator.T.shape[::-1]
    close(operator @ h, dense @ h)
    close(operator.T @ torch.ones(len(dense), 2), dense.T.sum(1, keepdim=True).expand(-1, 2))
    close(operator.T.to_dense(), dense.T)
    close(operator.row_sums(), dense.sum(1))
    close(operator.to_dense(), dense)
    assert operator.to("meta").device.type == "meta"
    h = torch.randn(operator.shape[1], 2, requires_grad=True)
    first, expected = (
        torch.autograd.grad((M @ h).pow(3).sum(), h, create_graph=True)[0]
        for M in (operator, dense)
    )
    close(first, expected)
    second, expected = (torch.autograd.grad(g.pow(2).sum(), h)[0] for g in (first, expected))
    close(second, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_row_sizes_are_sums_of_absolute_entries(graphs: Graphs, name: str) -> None:
    operator, _ = kinds(graphs)[name]
    assert torch.equal(operator.row_sizes(), operator.row_sums()), "to the bit"
    adj = graphs.adj
    sign = torch.where((adj.row + adj.column) % 3 == 0, -1.0, 1.0)
    operator, dense = kinds(graphs.replace(adj=adj.scaled(sign)))[name]
    close(operator.row_sizes(), dense.abs().sum(1))


@pytest.mark.parametrize("name", ["original", "product", "sum"])
def test_loops_small_entries_and_asymmetry_can_be_removed(graphs: Graphs, name: str) -> None:
    operator, dense = kinds(graphs)[name]
    close(operator.without_loops().to_dense(), dense - dense.diagonal().diag())
    for sign in (1.0, -1.0):
        small = torch.where(dense < 0.9, 0.0, sign * dense)
        signed = torch.full((30,), sign) * operator
        close(signed.without_small(0.9).to_dense(), small)
    symmetric = operator.symmetrised()
    assert symmetric.symmetric
    assert torch.equal(symmetric.to_dense(), symmetric.to_dense().T), "to the last bit"
    close(symmetric.to_dense(), (dense + dense.T) / 2)


def test_path_by_hand() -> None:
    """0 - 1 - 2 with weights 1 and 2, and node 3 alone."""
    ends, weight = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.tensor([1.0, 1.0, 2.0, 2.0])
    path = SparseOperator.from_edges(ends, weight, 4)
    h = torch.tensor([[1.0], [10.0], [100.0], [1000.0]])
    assert path.to_dense().tolist() == [[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 0], [0, 0, 0, 0]]
    assert (path @ h).squeeze(1).tolist() == [10.0, 201.0, 20.0, 0.0]
    assert path.symmetric
    directed = SparseOperator.from_edges(torch.tensor([[3, 0], [1, 1]]), torch.tensor([1.0, 2]), 4)
    assert not directed.symmetric
    assert (directed @ h).flatten().tolist() == [0, 1002, 0, 0], "messages run source to target"
    index, weight = directed.edges()
    assert sorted((*e, w) for e, w in zip(index.T.tolist(), weight.tolist(), strict=True)) == [
        (0, 1, 2.0),
        (3, 1, 1.0),
    ]
    nothing = SparseOperator.from_edges(torch.zeros(2, 0, dtype=torch.long), torch.zeros(0), 3)
    h = torch.randn(3, 2, requires_grad=True)
    (nothing @ h).sum().backward()
    assert h.grad is not None and not h.grad.any()
    close(SparseOperator.stack([nothing, path]).to_dense()[3:, 3:], path.to_dense())


def test_rectangles_are_built_turned_multiplied_and_added() -> None:
    left = matrix([(0, 1, 2.0), (1, 2, -1.0), (1, 0, 3.0)], 2, 3)
    right = matrix([(0, 3, 1.0), (2, 0, 4.0)], 3, 4)
    assert left.T.shape == (3, 2)
    close(left.T.to_dense(), left.to_dense().T)
    close((left @ right).to_dense(), left.to_dense() @ right.to_dense())
    close((left + left).to_dense(), 2 * left.to_dense())
    assert matrix([(1, 0, 0.5), (0, 2, 1.0), (1, 0, 0.25)], 2, 3).to_dense().tolist() == [
        [0, 0, 1],
        [0.75, 0, 0],
    ], "entries at one place add up"
    looped = matrix([(0, 0, 1.0), (0, 1, 2.0), (2, 2, 3.0), (2, 0, 4.0)], 3, 3)
    assert looped.without_loops().to_dense().tolist() == [[0, 2, 0], [0, 0, 0], [4, 0, 0]]
    for shape in ((3, 2), (2, 0), (0, 2)):
        dense = torch.arange(1.0, 1.0 + shape[0] * shape[1]).view(shape)
        row, column = dense.nonzero(as_tuple=True)
        close(SparseOperator.from_entries(row, column, dense[row, column], shape).to_dense(), dense)
    h = torch.randn(3, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda h: left @ h, h)


@shared
@given(n=st.integers(1, 9), symmetric=st.booleans(), seed=st.integers(0, 10**6))
def test_every_result_that_claims_symmetry_has_it(n: int, symmetric: bool, seed: int) -> None:
    random = torch.Generator().manual_seed(seed)
    dense = torch.rand(n, n, generator=random) * (torch.rand(n, n, generator=random) < 0.3)
    dense = dense + dense.T if symmetric else dense
    target, source = dense.nonzero(as_tuple=True)
    A = SparseOperator.from_edges(torch.stack([source, target]), dense[target, source], n)
    assert A.symmetric == torch.equal(dense, dense.T)
    close(A.to_dense(), dense)
    scale = torch.rand(n, generator=random)
    results = [A.conjugated(scale), A + A, A @ A, A.without_loops(), A.T]
    for result in (*results, SparseOperator.stack([A, A]), A.add_unmerged(A)):
        close(result.T.to_dense(), result.to_dense().T)
    assert SparseOperator.stack([A, A]).symmetric == (A + A).symmetric == A.symmetric


def test_a_result_is_symmetric_if_all_parts_are() -> None:
    one = replace(matrix([(0, 1, 1.0), (1, 0, 1.0)], 2, 2), symmetric=True)
    other = replace(matrix([(0, 1, 1.0), (1, 0, 2.0)], 2, 2), symmetric=False)
    for join in (SparseOperator.__add__, SparseOperator.add_unmerged, lambda *p: one.stack(p)):
        assert [join(a, b).symmetric for a, b in ((one, one), (one, other), (other, one))] == [
            True,
            False,
            False,
        ]
    close((one + other).to_dense(), torch.tensor([[0.0, 2.0], [3.0, 0.0]]))


@shared
@given(st.lists(st.integers(0, 7), min_size=1, max_size=6), st.integers(0, 100), st.data())
def test_any_choice_of_blocks(
    make_graphs: Callable[..., Graphs], sizes: list[int], seed: int, data: st.DataObject
) -> None:
    graphs = make_graphs(sizes, seed=seed)
    choice = data.draw(st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=8))
    dense, ptr = graphs.adj.to_dense(), graphs.ptr.tolist()
    blocks, *_ = graphs.adj.select_blocks(graphs.ptr, torch.tensor(choice))
    expected = torch.block_diag(*[dense[ptr[i] : ptr[i + 1], ptr[i] : ptr[i + 1]] for i in choice])
    n = sum(sizes[i] for i in choice)
    assert blocks.shape == (n, n)
    close(blocks.to_dense(), expected.reshape(-1)[: n * n].reshape(n, n))


def test_rows_and_columns_are_chosen_and_spread(graphs: Graphs) -> None:
    adj, chosen = graphs.adj, torch.arange(30) % 3 != 1
    dense = adj.to_dense()
    part = adj.subgraph(chosen)
    assert torch.equal(part.to_dense(), dense[chosen][:, chosen])
    place = (chosen.nonzero().squeeze(1) + 2).flip(0)
    expected = dense.new_zeros(35, 35)
    expected[place.unsqueeze(1), place] = part.to_dense()
    assert torch.equal(part.scatter(place, 35).to_dense(), expected)
    assert part.symmetric and part.scatter(place, 35).symmetric


@pytest.mark.parametrize("columns", [(), (3,)])
def test_sums_of_maps_are_those_of_their_entries_to_the_bit(columns: tuple[int, ...]) -> None:
    """Also where an operand has several entries at one place, or none at all."""
    random = torch.Generator().manual_seed(5)
    parts = []
    for number in (60, 90, 0):
        row, column = (torch.randint(8, (number,), generator=random) for _ in range(2))
        weight = torch.randn(number, *columns, generator=random)
        row, order = row.sort(stable=True)
        ptr = torch.searchsorted(row, torch.arange(9))
        parts.append(SparseOperator(ptr, column[order], weight[order], 8))
    for left, right in ((left, right) for left in parts for right in parts):
        row, column, weight = (
            torch.cat([getattr(part, name) for part in (left, right)])
            for name in ("row", "column", "weight")
        )
        expected = SparseOperator.from_entries(row, column, weight, (8, 8))
        assert_identical(left + right, expected)


def test_entries_are_merged_if_any_are_out_of_order_or_double() -> None:
    ptr, ones = torch.tensor([0, 3, 4]), torch.ones(4)
    in_order = SparseOperator(ptr, torch.tensor([0, 1, 2, 0]), ones, 3)
    assert in_order.merged() is in_order
    for columns in ([0, 2, 1, 0], [0, 1, 1, 0]):
        mixed = SparseOperator(ptr, torch.tensor(columns), ones, 3)
        merged = mixed.merged()
        assert (merged._places().diff() > 0).all()
        close(merged.to_dense(), mixed.to_dense())


@pytest.mark.parametrize("own", [[], [(1, 1, 5.0)], [(0, 0, 2.0), (1, 2, 3.0)]])
def test_values_where_another_map_has_entries(own: list[tuple[int, int, float]]) -> None:
    """Before the first entry, at it, between two, and behind the last."""
    everywhere = matrix([(i, j, 1.0) for i in range(3) for j in range(3)], 3, 3)
    own_map = matrix(own, 3, 3)
    assert own_map.values_at(everywhere).view(3, 3).tolist() == own_map.to_dense().tolist()
    assert own_map.values_at(matrix([(2, 2, 1.0)], 3, 3)).tolist() == [0.0]


@pytest.mark.parametrize("waste", WASTES)
def test_blocks_of_any_size_hold_what_a_sparse_map_does(waste: int) -> None:
    left, right = torch.tensor([2, 5, 1, 3]), torch.tensor([4, 1, 5, 3])
    M, dense = assignments(left, right, "soft")
    groups = buckets_of_pairs(left, right, waste=waste)
    rows, columns = (Padding.of(offsets(sizes), groups) for sizes in (left, right))
    again = from_blocks(to_blocks(M, rows, columns), rows, columns)
    assert torch.equal(again.to_dense(), dense)
    assert_identical(again, M)
    wide = replace(M, weight=torch.stack([M.weight, torch.zeros_like(M.weight)], 1))
    again = from_blocks(to_blocks(wide, rows, columns), rows, columns)
    assert torch.equal(again.weight, wide.weight)


@pytest.mark.parametrize("kind", ["soft", "few", "one-to-one"])
@pytest.mark.parametrize("width", [None, 2])
def test_edges_are_carried_pair_by_pair(
    make_graphs: Callable[..., Graphs], kind: str, width: int | None
) -> None:
    left, right = torch.tensor([6, 5, 1, 3]), torch.tensor([4, 1, 5, 3])
    graphs = make_graphs(right.tolist())
    A, (M, dense) = graphs.adj, assignments(left, right, kind)
    if width:
        A = replace(A, weight=A.weight.unsqueeze(1) * torch.rand(len(A.column), width))
    moved = carried(M, A, offsets(left), graphs.ptr)
    for k in range(width or 1):
        before, after = (
            replace(m, weight=m.weight.view(len(m.column), -1)[:, k]).to_dense() for m in (A, moved)
        )
        close(after, dense @ before @ dense.T)
    assert (moved._places().diff() > 0).all()


def assignments(left: Tensor, right: Tensor, kind: str) -> tuple[SparseOperator, Tensor]:
    """A random assignment of every pair, also as a dense matrix."""
    random = torch.Generator().manual_seed(1)
    parts = []
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        M = torch.rand(a, b, generator=random) + 0.1
        if kind != "soft":
            M[torch.arange(a).unsqueeze(1) != torch.arange(b)] = 0
        if kind == "few":
            M[0, -1] = 0.5
        parts.append(M)
    dense = torch.block_diag(*parts)
    i, j = dense.nonzero(as_tuple=True)
    return SparseOperator.from_entries(i, j, dense[i, j], tuple(dense.shape)), dense


def test_a_graph_without_nodes_reads_zero_and_takes_no_gradient() -> None:
    h = torch.tensor([[4.0], [6.0]], requires_grad=True)
    out = row_means(h, torch.tensor([0, 0, 2, 2]))
    assert out.tolist() == [[0.0], [5.0], [0.0]]
    out.sum().backward()
    assert h.grad is not None and h.grad.tolist() == [[0.5], [0.5]]
