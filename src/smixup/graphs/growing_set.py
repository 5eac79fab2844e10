"""The columns of a packed set while it grows: one for everything that its first graphs have.

Columns are as small as what they hold allows, and change when something larger comes: targets are
class numbers until one is soft, weights are left out until one is not one, attributes of edges
share the entries of the adjacency until one has others.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs.columns import ColumnWriter
from smixup.graphs.graphs import Graphs
from smixup.graphs.sparse import SparseOperator

ROWS_AT_ONCE = 1 << 20
PATTERN = ("ptr", "count", "column")
"""Where the entries of an operator are: of each graph, of each row, and their columns."""


class GrowingSet:
    """The columns of a set that grows."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._graphs = folder, 0
        self._columns: list[ColumnWriter] = []

    def begin(self, first: Graphs, in_bytes: bool) -> None:
        """Open a column for everything that the first graphs have."""
        if first.degree_encoding is not None:
            raise SmixupError(
                "features that were made of degrees cannot be packed with their rule: pack the "
                "graphs as they are loaded; degrees are encoded in training."
            )
        self._x, self._ptr = _Features(self, in_bytes), self.column("ptr")
        self._ptr.append(torch.zeros(1, dtype=torch.long))
        self._y = _Targets(self, first)
        self._adj = _Matrix(self, "adj", None)
        self._edge_attrs = {
            name: [_Matrix(self, f"edge_attr_{i}_{j}", self._adj) for j in range(len(columns))]
            for i, (name, columns) in enumerate(first.edge_attrs.items())
        }
        self._node_attrs = {
            name: self.column(f"node_attr_{i}", name) for i, name in enumerate(first.node_attrs)
        }
        self._graph_attrs = {
            name: self.column(f"graph_attr_{i}", name) for i, name in enumerate(first.graph_attrs)
        }

    def column(self, name: str, what: str = "") -> ColumnWriter:
        column = ColumnWriter(self._folder / f"{name}.npy", what)
        self._columns.append(column)
        return column

    def rewritten(self, column: ColumnWriter, change: Callable[[Tensor], Tensor]) -> ColumnWriter:
        """Return a column in the place of another, with its rows changed."""
        column.close()
        before = column.path.with_stem("before")
        column.path.rename(before)
        self._columns.remove(column)
        new = self.column(column.path.stem, column.path.stem)
        rows = np.load(before, mmap_mode="r")
        for first in range(0, len(rows), ROWS_AT_ONCE):
            new.append(change(torch.from_numpy(rows[first : first + ROWS_AT_ONCE].copy())))
        del rows
        before.unlink()
        return new

    def copied(self, column: ColumnWriter, name: str) -> ColumnWriter:
        """Return a new column with the rows of another so far."""
        copy = column.copied(self._folder / f"{name}.npy")
        self._columns.append(copy)
        return copy

    def add(self, graphs: Graphs) -> None:
        self._require_same(graphs)
        self._y.add(graphs)
        self._x.add(graphs.x)
        sparse = graphs.adj.to_sparse()
        attributes = {
            name: [each.to_sparse() for each in columns]
            for name, columns in graphs.edge_attrs.items()
        }
        for name, columns in attributes.items():
            for matrix, each in zip(self._edge_attrs[name], columns, strict=True):
                matrix.own_pattern_unless_like(each, sparse)
        self._adj.add(sparse, graphs.ptr)
        for name, columns in attributes.items():
            for matrix, each in zip(self._edge_attrs[name], columns, strict=True):
                matrix.add(each, graphs.ptr)
        self._ptr.append(graphs.ptr[1:] + self._x.rows - graphs.num_nodes)
        for name, column in self._node_attrs.items():
            column.append(graphs.node_attrs[name])
        for name, column in self._graph_attrs.items():
            column.append(graphs.graph_attrs[name])
        self._graphs += len(graphs)

    def _require_same(self, graphs: Graphs) -> None:
        for kind, known in (
            ("edge_attrs", self._edge_attrs),
            ("node_attrs", self._node_attrs),
            ("graph_attrs", self._graph_attrs),
        ):
            if odd := set(getattr(graphs, kind)) ^ set(known):
                raise SmixupError(
                    f"only some of the graphs to be packed have the attribute '{min(odd)}': remove "
                    "it from all of them, or add it to the others."
                )
        for name, columns in graphs.edge_attrs.items():
            if len(columns) != len(self._edge_attrs[name]):
                raise SmixupError(
                    f"the attribute '{name}' of edges has {len(columns)} columns in some graphs "
                    f"and {len(self._edge_attrs[name])} in those before: make them alike."
                )

    def close(self) -> dict[str, Any]:
        """Finish all files and tell what they are."""
        targets = self._y.close()
        digest = blake2b(digest_size=16)
        for column in self._columns:
            column.close()
            digest.update(f"{column.path.name}/{column.digest}/".encode())
        return {
            "digest": digest.hexdigest(),
            "graphs": self._graphs,
            "nodes": self._x.rows,
            **targets,
            "adj": self._adj.told(),
            "edge_attrs": {
                name: [each.told() for each in columns]
                for name, columns in self._edge_attrs.items()
            },
            "node_attrs": {name: each.path.stem for name, each in self._node_attrs.items()},
            "graph_attrs": {name: each.path.stem for name, each in self._graph_attrs.items()},
        }

    def abandon(self) -> None:
        """Close all files as they are."""
        for column in self._columns:
            column.abandon()


class _Matrix:
    """An operator on disk: entries by row, within each graph; weights once one is not one.

    An attribute of edges has its entries where the adjacency has them, as long as that is so.
    """

    def __init__(self, growing: GrowingSet, name: str, like: _Matrix | None) -> None:
        self._set, self._name, self._like = growing, name, like
        self._weight: ColumnWriter | None = None
        self._entries, self._symmetric = 0, True
        self._files: tuple[ColumnWriter, ...]
        if like is not None:
            self._files = like._files
            return
        self._files = tuple(growing.column(f"{name}.{each}") for each in PATTERN)
        self._files[0].append(torch.zeros(1, dtype=torch.long))

    def own_pattern_unless_like(self, each: SparseOperator, adj: SparseOperator) -> None:
        """Stop sharing entries with the adjacency if this part has others."""
        same = torch.equal(each.row_ptr, adj.row_ptr) and torch.equal(each.column, adj.column)
        if self._like is None or same:
            return
        names = (f"{self._name}.{each}" for each in PATTERN)
        pairs = zip(self._like._files, names, strict=True)
        self._files = tuple(self._set.copied(*pair) for pair in pairs)
        self._like = None

    def add(self, each: SparseOperator, ptr: Tensor) -> None:
        if self._like is None:
            entry_ptr, nodes = each.row_ptr[ptr], ptr.diff()
            counts = entry_ptr.diff()
            local = each.column - ptr[:-1].repeat_interleave(counts)
            _require_inside(local, nodes.repeat_interleave(counts))
            rows = entry_ptr[1:] + self._entries, each.row_ptr.diff().int(), local.int()
            for file, new in zip(self._files, rows, strict=True):
                file.append(new)
        self._add_weight(each.weight)
        self._entries += each.column.numel()
        self._symmetric &= each.symmetric

    def _add_weight(self, weight: Tensor) -> None:
        if self._weight is None:
            plain = weight.dtype == torch.float and weight.dim() == 1
            if plain and bool((weight == 1).all()):
                return
            self._weight = self._set.column(f"{self._name}.weight", "edge weights")
            for first in range(0, self._entries, ROWS_AT_ONCE):
                number = min(ROWS_AT_ONCE, self._entries - first)
                self._weight.append(torch.ones(number, *weight.shape[1:], dtype=weight.dtype))
        self._weight.append(weight)

    def told(self) -> dict[str, Any]:
        shared = self._name if self._like is None else self._like._name
        weight = None if self._weight is None else self._name
        return {"pattern": shared, "weight": weight, "symmetric": self._symmetric}


def _require_inside(local: Tensor, sizes: Tensor) -> None:
    if bool(((local < 0) | (local >= sizes)).any()):
        raise SmixupError("an edge joins two different graphs, which cannot be packed.")


class _Features:
    """Features on disk: in bytes, if that is wished, as long as all are zero or one."""

    def __init__(self, growing: GrowingSet, in_bytes: bool) -> None:
        self._set, self._column, self._in_bytes = growing, growing.column("x", "x"), in_bytes

    @property
    def rows(self) -> int:
        """Nodes so far."""
        return self._column.rows

    def add(self, x: Tensor) -> None:
        if self._in_bytes and x.dtype == torch.float:
            if bool(((x == 0) | (x == 1)).all()):
                x = x.to(torch.uint8)
            else:
                self._in_bytes = False
                if self._column.rows:
                    self._column = self._set.rewritten(self._column, Tensor.float)
        self._column.append(x)


class _Targets:
    """Targets on disk: class numbers as long as all rows are one-hot, rows once one is not."""

    def __init__(self, growing: GrowingSet, first: Graphs) -> None:
        self._set, self._column = growing, growing.column("y", "y")
        self._has_classes, self._width = first.has_classes, first.num_classes
        self._numbers = self._are_numbers(first)

    @staticmethod
    def _are_numbers(graphs: Graphs) -> bool:
        y = graphs.y
        if not graphs.has_classes or y.dtype != torch.float or y.size(1) == 0:
            return False
        return bool(((y == 1).sum(1) == 1).all() and ((y == 0) | (y == 1)).all())

    def add(self, graphs: Graphs) -> None:
        if graphs.has_classes != self._has_classes:
            raise SmixupError(
                "the targets of some graphs to be packed are classes and those of others are "
                "values: make y integer in all of them, or float."
            )
        numbers = self._are_numbers(graphs)
        if self._numbers and numbers:
            self._width = max(self._width, graphs.num_classes)
            self._column.append(graphs.y.argmax(1).int())
        elif graphs.num_classes != self._width:
            raise SmixupError(
                f"targets have {graphs.num_classes} columns in some graphs and {self._width} in "
                "those before: make them alike."
            )
        else:
            if self._numbers:
                self._become_rows()
            self._column.append(graphs.y)

    def _become_rows(self) -> None:
        """Write the class numbers so far as rows."""
        self._numbers = False
        self._column = self._set.rewritten(
            self._column, lambda numbers: F.one_hot(numbers.long(), self._width).float()
        )

    def close(self) -> dict[str, Any]:
        return {"classes": self._width, "has_classes": self._has_classes}
