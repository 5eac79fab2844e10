"""Compressed rows: built, cut, added and multiplied as the matrices they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator


def matrix(entries: list[tuple[int, int, float]], rows: int, columns: int) -> SparseOperator:
    row, column, weight = (torch.tensor([entry[i] for entry in entries]) for i in range(3))
    return SparseOperator.from_entries(row.long(), column.long(), weight.float(), (rows, columns))


@pytest.fixture
def graphs(graphs: Graphs, device: torch.device) -> Graphs:
    return graphs.to(device)


@pytest.fixture
def path() -> SparseOperator:
    """0 - 1 - 2 with weights 1 and 2, and node 3 alone."""
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    return SparseOperator.from_edges(edge_index, torch.tensor([1.0, 1.0, 2.0, 2.0]), 4)


def test_path_by_hand(path: SparseOperator) -> None:
    expected = torch.tensor([[0.0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 0], [0, 0, 0, 0]])
    h = torch.tensor([[1.0], [10.0], [100.0], [1000.0]])
    torch.testing.assert_close(path.to_dense(), expected)
    assert (path @ h).squeeze(1).tolist() == [10.0, 201.0, 20.0, 0.0]
    assert path.row_sums().tolist() == [1.0, 3.0, 2.0, 0.0]
    assert path.symmetric


def test_entries_at_one_place_add_up() -> None:
    assert matrix([(1, 0, 0.5), (0, 2, 1.0), (1, 0, 0.25)], 2, 3).to_dense().tolist() == [
        [0, 0, 1],
        [0.75, 0, 0],
    ]


def test_edges_come_back_as_pyg_wrote_them() -> None:
    edge_index, weight = torch.tensor([[3, 0, 2], [1, 1, 0]]), torch.tensor([1.0, 2.0, 3.0])
    found_index, found_weight = SparseOperator.from_edges(edge_index, weight, 4).edges()
    found = {
        (*edge, w) for edge, w in zip(found_index.T.tolist(), found_weight.tolist(), strict=True)
    }
    assert {tuple(each) for each in found} == {(3, 1, 1.0), (0, 1, 2.0), (2, 0, 3.0)}


def test_a_map_without_entries(path: SparseOperator) -> None:
    nothing = SparseOperator.from_edges(torch.zeros(2, 0, dtype=torch.long), torch.zeros(0), 3)
    h = torch.randn(3, 2, requires_grad=True)
    out = nothing @ h
    assert out.tolist() == [[0.0, 0.0]] * 3
    out.sum().backward()
    assert h.grad is not None
    assert not h.grad.any()
    torch.testing.assert_close(
        SparseOperator.stack([nothing, path]).to_dense()[3:, 3:], path.to_dense()
    )


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (2, 0), (0, 2)])
def test_entries_of_any_shape_come_back(shape: tuple[int, int]) -> None:
    dense = torch.arange(1.0, 1.0 + shape[0] * shape[1]).view(shape)
    row, column = dense.nonzero(as_tuple=True)
    found = SparseOperator.from_entries(row, column, dense[row, column], shape)
    assert found.shape == shape
    torch.testing.assert_close(found.to_dense(), dense)


@pytest.mark.parametrize(
    "own",
    [[], [(1, 1, 5.0)], [(0, 0, 2.0), (1, 2, 3.0)]],
    ids=["no entry", "one entry", "two entries"],
)
def test_values_where_another_map_has_entries(own: list[tuple[int, int, float]]) -> None:
    """Before the first entry, at it, between two, and behind the last."""
    map_, other = matrix(own, 3, 3), SparseOperator.from_entries(*_everywhere(3), (3, 3))
    assert map_.values_at(other).view(3, 3).tolist() == map_.to_dense().tolist()
    last = matrix([(2, 2, 1.0)], 3, 3)
    assert map_.values_at(last).tolist() == [0.0]


def _everywhere(n: int) -> tuple[Tensor, Tensor, Tensor]:
    place = torch.arange(n * n)
    return place // n, place % n, torch.ones(n * n)


def test_rectangles_transpose_and_multiply() -> None:
    left, right = (
        matrix([(0, 1, 2.0), (1, 2, -1.0), (1, 0, 3.0)], 2, 3),
        matrix([(0, 3, 1.0), (2, 0, 4.0)], 3, 4),
    )
    assert left.T.shape == (3, 2)
    torch.testing.assert_close(left.T.to_dense(), left.to_dense().T)
    torch.testing.assert_close(left.matmul(right).to_dense(), left.to_dense() @ right.to_dense())
    torch.testing.assert_close(left.add(left).to_dense(), 2 * left.to_dense())


def test_loops_are_removed_and_nothing_else() -> None:
    looped = matrix([(0, 0, 1.0), (0, 1, 2.0), (2, 2, 3.0), (2, 0, 4.0)], 3, 3)
    assert looped.without_loops().to_dense().tolist() == [[0, 2, 0], [0, 0, 0], [4, 0, 0]]


def random_dense(n: int, symmetric: bool, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    dense = torch.rand(n, n, generator=generator) * (torch.rand(n, n, generator=generator) < 0.3)
    return dense + dense.T if symmetric else dense


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n=st.integers(1, 9), symmetric=st.booleans(), seed=st.integers(0, 10**6))
def test_every_result_that_claims_symmetry_has_it(
    device: torch.device, n: int, symmetric: bool, seed: int
) -> None:
    dense = random_dense(n, symmetric, seed).to(device)
    target, source = dense.nonzero(as_tuple=True)
    A = SparseOperator.from_edges(torch.stack([source, target]), dense[target, source], n)
    scale = torch.rand(n, generator=torch.Generator().manual_seed(seed)).to(device)
    torch.testing.assert_close(A.to_dense(), dense)
    results = [
        A,
        A.conjugated(scale),
        A.add(A),
        A.matmul(A),
        A.without_loops(),
        SparseOperator.stack([A, A]),
        A.T,
    ]
    for result in results:
        torch.testing.assert_close(result.T.to_dense(), result.to_dense().T)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.integers(0, 7), min_size=1, max_size=6),
    seed=st.integers(0, 100),
    data=st.data(),
)
def test_any_choice_of_blocks(
    make_graphs: Callable[..., Graphs],
    device: torch.device,
    sizes: list[int],
    seed: int,
    data: st.DataObject,
) -> None:
    graphs = make_graphs(sizes, seed=seed).to(device)
    choice = data.draw(st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=8))
    dense, ptr = graphs.adj.to_dense(), graphs.ptr.tolist()
    chosen = graphs.adj.blocks_of(graphs.ptr, torch.tensor(choice, device=device))
    expected = torch.block_diag(*[dense[ptr[i] : ptr[i + 1], ptr[i] : ptr[i + 1]] for i in choice])
    n = sum(sizes[i] for i in choice)
    assert chosen.shape == (n, n)
    torch.testing.assert_close(chosen.to_dense(), expected.reshape(-1)[: n * n].reshape(n, n))


def test_gradient_by_finite_differences(path: SparseOperator) -> None:
    rectangle = matrix([(0, 1, 2.0), (1, 2, -1.0), (1, 0, 3.0)], 2, 3)
    for operator in (path, rectangle):
        h = torch.randn(operator.shape[1], 2, dtype=torch.double, requires_grad=True)
        assert torch.autograd.gradcheck(lambda h, operator=operator: operator @ h, h)
        assert torch.autograd.gradgradcheck(lambda h, operator=operator: (operator @ h).pow(2), h)


def test_rows_and_columns_are_chosen_and_spread(graphs: Graphs) -> None:
    dense, chosen = graphs.adj.to_dense(), torch.arange(30, device=graphs.device) % 3 != 1
    part = graphs.adj.subgraph(chosen)
    assert torch.equal(part.to_dense(), dense[chosen][:, chosen])
    place = (chosen.nonzero().squeeze(1) + 2).flip(0)
    expected = dense.new_zeros(35, 35)
    expected[place.unsqueeze(1), place] = part.to_dense()
    assert torch.equal(part.scatter(place, 35).to_dense(), expected)
    assert part.symmetric


def test_two_maps_side_by_side_add_up(graphs: Graphs) -> None:
    odd = graphs.adj.mask_entries(graphs.adj.row + graphs.adj.column > 12)
    for other in (odd, graphs.adj):
        both = graphs.adj.add_unmerged(other)
        assert torch.equal(both.to_dense(), graphs.adj.to_dense() + other.to_dense())
        assert both.column.numel() == graphs.adj.column.numel() + other.column.numel()
        assert torch.equal(both.row, both.row.sort().values)


def test_rows_of_a_map(graphs: Graphs) -> None:
    adj = graphs.adj.to_sparse()
    rows = torch.tensor([3, 0, 3, graphs.num_nodes - 1], device=graphs.device)
    assert torch.equal(adj.rows_at(rows).to_dense(), adj.to_dense()[rows])
    assert adj.rows_at(rows[:0]).shape == (0, graphs.num_nodes)


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
    for left in parts:
        for right in parts:
            found = left.add(right)
            row, column = (
                torch.cat([getattr(each, name) for each in (left, right)])
                for name in ("row", "column")
            )
            weight = torch.cat([left.weight, right.weight])
            expected = SparseOperator.from_entries(row, column, weight, (8, 8))
            assert found.has_entries_of(expected)
            assert torch.equal(found.weight, expected.weight)


def test_entries_are_merged_if_any_are_out_of_order_or_double() -> None:
    ptr, ones = torch.tensor([0, 3, 4]), torch.ones(4)
    in_order = SparseOperator(ptr, torch.tensor([0, 1, 2, 0]), ones, 3)
    assert in_order.merged() is in_order
    for columns in ([0, 2, 1, 0], [0, 1, 1, 0]):
        mixed = SparseOperator(ptr, torch.tensor(columns), ones, 3)
        merged = mixed.merged()
        places = merged.row * 3 + merged.column
        assert (places[1:] > places[:-1]).all()
        torch.testing.assert_close(merged.to_dense(), mixed.to_dense())


def test_a_sum_is_symmetric_if_both_parts_are() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    one = replace(SparseOperator.from_edges(edges, torch.ones(2), 2), symmetric=True)
    other = replace(SparseOperator.from_edges(edges, torch.tensor([1.0, 2.0]), 2), symmetric=False)
    assert one.add(one).symmetric
    assert not one.add(other).symmetric
    assert not other.add(one).symmetric
    torch.testing.assert_close(one.add(other).to_dense(), torch.tensor([[0.0, 3.0], [2.0, 0.0]]))
