"""Row sums by hand."""

from __future__ import annotations

import pytest
import torch

from smixup.analysis.row_sums import RowSums
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Identity


def test_by_hand() -> None:
    dense = torch.tensor([[0.5, 1.0, 0.5], [0.5, 0.0, 0.5], [0.0, 0.0, 0.0]])
    row, column = dense.nonzero(as_tuple=True)
    found = RowSums.of(SparseOperator.from_entries(row, column, dense[row, column], (3, 3)))
    assert (found.mean, found.largest) == (1, 2)
    assert found.deviation == pytest.approx((2 / 3) ** 0.5)


def test_one_to_one(graphs: Graphs) -> None:
    assert RowSums.of(Identity()(graphs, graphs)) == RowSums(1, 0, 1)
