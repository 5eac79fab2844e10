"""The one-to-one part of an assignment, against scipy on every pair alone."""

from __future__ import annotations

import torch
from scipy.optimize import linear_sum_assignment

from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Identity, RandomOrder, Uniform
from smixup.matching.pairs import Pairs
from smixup.matching.rounding import is_one_to_one, one_to_one


def test_what_is_one_to_one_stays(graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 2]], graphs[[5, 0, 4]]
    M = RandomOrder(partial=True)(left, right)
    assert torch.equal(one_to_one(M, left, right).to_dense(), M.to_dense())


def test_weights_become_one() -> None:
    M = SparseOperator.from_entries(
        torch.tensor([0, 2]), torch.tensor([1, 0]), torch.tensor([0.3, 0.7]), (3, 2)
    )
    left = right = Graphs(torch.zeros(0, 1), M, torch.zeros(0, 1), torch.zeros(1).long())
    expected = torch.tensor([[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    assert torch.equal(one_to_one(M, left, right).to_dense(), expected)


def test_anything_else_is_rounded_pair_by_pair(graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 3, 6]], graphs[[5, 0, 4, 1]]
    pairs = Pairs.of(left, right)
    random = torch.Generator().manual_seed(0)
    blocks = [torch.rand(mask.shape, generator=random) * mask for mask in pairs.masks()]
    M = pairs.operator(blocks).to_sparse()
    found = one_to_one(M, left, right)
    assert is_one_to_one(found)
    dense, rounded = M.to_dense(), found.to_dense()
    for place in range(4):
        rows = slice(*left.ptr[place : place + 2].tolist())
        columns = slice(*right.ptr[place : place + 2].tolist())
        i, j = linear_sum_assignment(dense[rows, columns].numpy(), maximize=True)
        expected = torch.zeros_like(dense[rows, columns])
        expected[i, j] = 1.0
        assert torch.equal(rounded[rows, columns], expected)


def test_no_match_without_a_share(graphs: Graphs) -> None:
    """All nodes of G2 go to the first node of G1: one of them finds a place, the others none."""
    left, right = graphs[[4]], graphs[[0]]
    M = torch.zeros(9, 4)
    M[0] = torch.tensor([0.1, 0.2, 0.9, 0.3])
    i, j = M.nonzero(as_tuple=True)
    found = one_to_one(SparseOperator.from_entries(i, j, M[i, j], (9, 4)), left, right)
    assert (found.row.tolist(), found.column.tolist()) == ([0], [2])


def test_two_in_a_row_or_in_a_column_are_too_many(graphs: Graphs) -> None:
    larger, smaller = graphs[[4]], graphs[[0]]
    assert not is_one_to_one(Uniform()(larger, smaller).to_sparse())
    assert not is_one_to_one(Identity()(smaller, larger).to_sparse()), "two in a row"
    assert is_one_to_one(Identity()(larger, smaller).to_sparse())
    assert not is_one_to_one(Identity()(smaller, larger).T.to_sparse()), "two in a column"


def test_one_column_with_two_entries_is_one_too_many() -> None:
    row, column = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 1, 1, 2])
    M = SparseOperator.from_entries(row, column, torch.ones(4), (4, 3))
    assert not is_one_to_one(M)
    assert not is_one_to_one(M.T.to_sparse()), "one row with two entries"
