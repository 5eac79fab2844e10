"""Graphs at some places of a packed set, read from its columns into memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from smixup.graphs.graphs import Graphs
from smixup.graphs.packed_columns import Columns
from smixup.graphs.ragged import offsets, ranges
from smixup.graphs.sparse import SparseOperator
from smixup.packed_folder import damaged

Integers = NDArray[np.int64]
Selection = Integers | slice
"""Rows of a column: some, or neighbours, which need not be gathered."""


def read_graphs(columns: Columns, graphs: Integers, neighbours: bool) -> Graphs:
    """Read the graphs at some places of the whole set.

    Args:
        columns: the files.
        graphs: `[B]`, the places.
        neighbours: whether they stand one behind another, so that nothing has to be gathered.
    """
    told, ptr = columns.manifest, columns["ptr"]
    nodes, counts = _rows(ptr, graphs, neighbours)
    rows = slice(graphs[0], graphs[-1] + 1) if neighbours and len(graphs) else graphs
    new_ptr = offsets(counts)

    def operator(each: Mapping[str, Any]) -> SparseOperator:
        return _operator(columns, each, graphs, neighbours, nodes, new_ptr)

    return Graphs(
        x=_taken(columns["x"], nodes),
        adj=operator(told["adj"]),
        y=read_targets(columns, rows),
        ptr=new_ptr,
        has_classes=bool(told["has_classes"]),
        edge_attrs={name: tuple(map(operator, each)) for name, each in told["edge_attrs"].items()},
        node_attrs={
            name: _taken(columns[each], nodes) for name, each in told["node_attrs"].items()
        },
        graph_attrs={
            name: _taken(columns[each], rows) for name, each in told["graph_attrs"].items()
        },
    )


def read_targets(columns: Columns, rows: Selection) -> Tensor:
    """Read the targets of some graphs, `[B, C]`; class numbers become one-hot."""
    found = _taken(columns["y"], rows)
    if found.dim() > 1:
        return found
    number = int(columns.manifest["classes"])
    if found.numel() and not 0 <= int(found.min()) <= int(found.max()) < number:
        raise damaged(columns.folder, "y.npy holds classes that there are not")
    return F.one_hot(found.long(), number).float()


def _operator(
    columns: Columns,
    told: Mapping[str, Any],
    graphs: Integers,
    neighbours: bool,
    nodes: Selection,
    ptr: Tensor,
) -> SparseOperator:
    """Read diagonal blocks; the nodes of the i-th are counted from `ptr[i]`."""
    pattern = told["pattern"]
    entries, counts = _rows(columns[f"{pattern}.ptr"], graphs, neighbours)
    row_ptr = offsets(_taken(columns[f"{pattern}.count"], nodes))
    column = _taken(columns[f"{pattern}.column"], entries).long()
    size = torch.diff(ptr).repeat_interleave(counts)
    apart = not torch.equal(row_ptr[ptr], offsets(counts))
    if apart or ((column < 0) | (column >= size)).any():
        raise damaged(columns.folder, f"{pattern}.column.npy joins nodes that no graph has")
    column += ptr[:-1].repeat_interleave(counts)
    if told["weight"]:
        weight = _taken(columns[f"{told['weight']}.weight"], entries)
    else:
        weight = torch.ones(column.numel())
    return SparseOperator(row_ptr, column, weight, row_ptr.numel() - 1, bool(told["symmetric"]))


def _rows(ptr: NDArray[Any], graphs: Integers, neighbours: bool) -> tuple[Selection, Tensor]:
    """Return the rows of graphs in a column of nodes or edges, and how many each has `[B]`."""
    first = ptr[graphs]
    counts = torch.from_numpy(ptr[graphs + 1] - first)
    if neighbours:
        return slice(first[0], ptr[graphs[-1] + 1]) if len(graphs) else slice(0), counts
    return ranges(torch.from_numpy(first), counts).numpy(), counts


def _taken(column: NDArray[Any], rows: Selection) -> Tensor:
    return torch.from_numpy(column[rows].copy() if isinstance(rows, slice) else column[rows])
