"""Small graphs of PyG, and maps written entry by entry."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from smixup.graphs import SparseOperator


def path(n: int = 3, **fields: object) -> Data:
    """A path of n nodes in both directions; a field that is None is left out."""
    line = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    own = {"x": torch.rand(n, 2), "edge_index": torch.cat([line, line.flip(0)], 1)}
    own |= {"y": torch.tensor([0])}
    return Data(**{name: value for name, value in (own | fields).items() if value is not None})


def triangle(**fields: object) -> Data:
    edge_index = torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]])
    return Data(**{"x": torch.eye(3), "edge_index": edge_index, "y": torch.tensor([0])} | fields)


def matrix(entries: list[tuple[int, int, float]], rows: int, columns: int) -> SparseOperator:
    row, column, weight = (torch.tensor([entry[i] for entry in entries]) for i in range(3))
    return SparseOperator.from_entries(row.long(), column.long(), weight.float(), (rows, columns))


def operator(dense: Tensor) -> SparseOperator:
    """The entries of a matrix that are not zero."""
    row, column = dense.nonzero(as_tuple=True)
    return SparseOperator.from_entries(row, column, dense[row, column], tuple(dense.shape))
