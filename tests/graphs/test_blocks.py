"""Padded blocks equal the sparse map they were made from, pair by pair, in buckets of any size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smixup.graphs import (
    BlockOperator,
    Graphs,
    Padding,
    SparseOperator,
    Stacked,
    buckets_of_pairs,
    padding_of,
)
from smixup.graphs.blocks import padded_graphs
from smixup.graphs.ragged import offsets

BUDGETS = [1, 20, 40, 2**17]


def pair_blocks(
    left: list[int], right: list[int], budget: int, device: torch.device | str = "cpu"
) -> tuple[BlockOperator, list[torch.Tensor]]:
    """A random assignment of every pair, in blocks and as a list of matrices."""
    generator = torch.Generator().manual_seed(1)
    dense = [
        torch.rand(n1, n2, generator=generator).to(device) + 0.1
        for n1, n2 in zip(left, right, strict=True)
    ]
    parts = [
        SparseOperator.from_entries(*M.nonzero(as_tuple=True), M.flatten(), tuple(M.shape))
        for M in dense
    ]
    sizes = torch.tensor(left, device=device), torch.tensor(right, device=device)
    groups = buckets_of_pairs(*sizes, waste=budget)
    rows, columns = (Padding.of(offsets(size), groups) for size in sizes)
    return BlockOperator.from_sparse(SparseOperator.stack(parts), rows, columns), dense


def test_two_graphs_by_hand() -> None:
    edges = torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])
    adj = SparseOperator.from_edges(edges, torch.tensor([1.0, 1.0, 5.0, 5.0]), 5)
    padding = padding_of(torch.tensor([0, 2, 5]))
    (block,) = BlockOperator.from_sparse(adj, padding, padding).blocks
    assert block.tolist() == [
        [[0, 5, 0], [5, 0, 0], [0, 0, 0]],
        [[0, 1, 0], [1, 0, 0], [0, 0, 0]],
    ], "largest first"


@pytest.mark.parametrize("budget", BUDGETS)
def test_assignments_between_graphs_of_different_sizes(budget: int, device: torch.device) -> None:
    left, right = [2, 5, 1, 3], [4, 1, 3, 3]
    M, dense = pair_blocks(left, right, budget, device)
    whole = torch.block_diag(*dense)
    h = torch.randn(sum(right), 3, device=device)
    assert M.shape == (sum(left), sum(right))
    torch.testing.assert_close(M @ h, whole @ h)
    torch.testing.assert_close(M.T @ h.new_ones(sum(left), 1), whole.T.sum(1, keepdim=True))
    torch.testing.assert_close(M.to_sparse().to_dense(), whole)


@pytest.mark.parametrize("budget", BUDGETS)
def test_equation_5_pair_by_pair(
    make_graphs: Callable[..., Graphs], budget: int, device: torch.device
) -> None:
    sizes = [4, 1, 5, 3]
    A2 = make_graphs(sizes).adj.to(device)
    M, assignments = pair_blocks([2, 5, 1, 3], sizes, budget, device)
    adjacencies = A2.to_dense().split(sizes)
    ptr = offsets(torch.tensor(sizes)).tolist()
    expected = [
        m @ a[:, b : b + n] @ m.T
        for m, a, b, n in zip(assignments, adjacencies, ptr, sizes, strict=False)
    ]
    mixed = M @ BlockOperator.from_sparse(A2, M.columns, M.columns) @ M.T
    assert isinstance(mixed, BlockOperator)
    torch.testing.assert_close(mixed.to_dense(), torch.block_diag(*expected))
    torch.testing.assert_close((M @ A2 @ M.T).to_dense(), torch.block_diag(*expected))
    hollow = torch.block_diag(*[each - each.diagonal().diag() for each in expected])
    torch.testing.assert_close(mixed.without_loops().to_dense(), hollow)
    torch.testing.assert_close(
        mixed.to_dense(), torch.block_diag(*expected), msg="the input was changed"
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.integers(0, 7), min_size=1, max_size=6).filter(any),
    seed=st.integers(0, 100),
    budget=st.sampled_from(BUDGETS),
)
def test_any_graphs_in_any_buckets(
    make_graphs: Callable[..., Graphs], sizes: list[int], seed: int, budget: int
) -> None:
    graphs = make_graphs(sizes, seed=seed)
    padding = padding_of(graphs.ptr, waste=budget)
    blocks = BlockOperator.from_sparse(graphs.adj, padding, padding)
    torch.testing.assert_close(blocks @ graphs.x, graphs.adj @ graphs.x)
    torch.testing.assert_close(blocks.row_sums(), graphs.adj.row_sums())
    row_ptr, column, weight = (
        getattr(blocks.to_sparse(), name) for name in ("row_ptr", "column", "weight")
    )
    assert row_ptr.tolist() == graphs.adj.row_ptr.tolist()
    assert column.tolist() == graphs.adj.column.tolist()
    torch.testing.assert_close(weight, graphs.adj.weight)


@pytest.mark.parametrize("budget", BUDGETS)
def test_gradient_by_finite_differences(budget: int) -> None:
    M, _ = pair_blocks([2, 3], [4, 1], budget)
    h = torch.randn(5, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda h: M @ h, h)
    assert torch.autograd.gradgradcheck(lambda h: (M @ h).pow(2), h)


def test_rows_of_stacked_rectangles_are_scaled() -> None:
    first, second = (
        pair_blocks(left, right, 20)[0] for left, right in (([2, 3], [4, 1]), ([1], [3]))
    )
    both = Stacked((first, second))
    scale = torch.tensor([0.5] * 2 + [2.0] * 3 + [3.0])
    torch.testing.assert_close((scale * both).to_dense(), scale.diag() @ both.to_dense())


@pytest.mark.parametrize("budget", BUDGETS)
def test_sums_scales_and_symmetric_parts_are_those_of_the_dense_map(budget: int) -> None:
    sizes = [3, 5, 1, 3]
    M, dense = pair_blocks(sizes, sizes, budget)
    whole = torch.block_diag(*dense)
    torch.testing.assert_close((M + M.T).to_dense(), whole + whole.T)
    half = M.symmetrised()
    assert half.symmetric and not M.symmetric
    torch.testing.assert_close(half.to_dense(), (whole + whole.T) / 2)
    scale = torch.arange(1.0, 13.0)
    torch.testing.assert_close((scale * M).to_dense(), scale[:, None] * whole)
    torch.testing.assert_close(M.conjugated(scale).to_dense(), scale[:, None] * whole * scale)
    cleared = half.without_small(0.6)
    assert cleared.symmetric
    kept = half.to_dense()
    torch.testing.assert_close(cleared.to_dense(), torch.where(kept < 0.6, 0.0, kept))


@pytest.mark.parametrize("budget", BUDGETS)
def test_padded_graphs_hold_every_node_and_edge_and_zeros_elsewhere(
    graphs: Graphs, budget: int
) -> None:
    padding = padding_of(graphs.ptr, waste=budget)
    blocks = list(padded_graphs(graphs, padding))
    assert torch.equal(padding.unpad([x for x, _, _ in blocks]), graphs.x)
    torch.testing.assert_close(padding.unpad([A @ x for x, A, _ in blocks]), graphs.adj @ graphs.x)
    for x, A, mask in blocks:
        assert not x[~mask].any()
        assert not A[~(mask.unsqueeze(2) & mask.unsqueeze(1))].any()


def test_a_map_with_several_numbers_at_an_entry_is_composed_number_by_number() -> None:
    M, dense = pair_blocks([2, 3], [3, 2], 2**17)
    ends = torch.tensor([[0, 1, 3, 4], [1, 2, 4, 3]])
    numbers = torch.tensor([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]])
    found = M.compose(SparseOperator.from_edges(ends, numbers, 5))
    for place, each in enumerate(found.unbind()):
        one = SparseOperator.from_edges(ends, numbers[:, place], 5).to_dense()
        torch.testing.assert_close(each.to_dense(), torch.block_diag(*dense) @ one)
