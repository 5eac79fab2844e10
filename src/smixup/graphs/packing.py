"""Making a packed set, part by part: the graphs need not fit into memory at once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.errors import SmixupError, UsageError
from smixup.files import swap_folder
from smixup.graphs.columns import ColumnWriter
from smixup.graphs.graphs import AnyGraphs, Graphs
from smixup.graphs.packed import PackedGraphs, open_packed
from smixup.graphs.sparse import SparseOperator
from smixup.packed_folder import FORMAT, MANIFEST, VERSION, is_packed

if TYPE_CHECKING:
    from smixup.graphs.codes import Encoding

PART = 4096
"""Graphs that are packed at once."""
ROWS_AT_ONCE = 1 << 20
PATTERN = ("ptr", "count", "column")
"""Where the entries of an operator are: of each graph, of each row, and their columns."""


def pack(
    graphs: AnyGraphs | PackedGraphs,
    folder: Path | str,
    encode: Encoding = None,
    notes: Mapping[str, Any] | None = None,
) -> PackedGraphs:
    """Write graphs to a folder of columns on disk, and open it.

    ```python
    smixup.pack(load_dataset("NCI1").graphs, "nci1")
    smixup.pack((make_data(i) for i in range(1_000_000)), "million")     # any iterable of Data
    ```

    Args:
        graphs: `Graphs`, a PyG dataset, or any iterable of `Data`, of which a few thousand at a
            time are in memory.
        folder: to write to; a packed set that is there is replaced once the new one is whole.
        encode: how to read `x` and `edge_attr` of PyG graphs that are codes of categories, with the
            number of values of each: `"ogb"`, `"from-smiles"`, `Codes(nodes=(28,))`.
        notes: numbers and texts to keep beside the graphs.
    """
    with PackedWriter(folder, notes) as writer:
        for part in _parts(graphs, encode):
            writer.add(part)
    return open_packed(folder)


def _parts(graphs: AnyGraphs | PackedGraphs, encode: Encoding) -> Iterator[Graphs]:
    """Yield graphs of any kind some thousands at a time."""
    if isinstance(graphs, PackedGraphs):
        yield from graphs.parts(PART)
    elif isinstance(graphs, Graphs):
        for first in range(0, len(graphs), PART):
            yield graphs[first : first + PART]
    else:
        yield from _pyg_parts(graphs, encode)


def _pyg_parts(source: Any, encode: Encoding) -> Iterator[Graphs]:
    from torch_geometric.data import Batch, Data  # takes a second to import

    from smixup.graphs.codes import layout_of
    from smixup.graphs.graphs import as_graphs
    from smixup.graphs.pyg import from_pyg

    layout = layout_of(encode)
    if layout is not None and layout.known is None:
        raise UsageError(
            f"encode={encode!r} would read the parts of a set differently: say how many values "
            "there are, encode=Codes(nodes=(28,), edges=(4,))."
        )
    if isinstance(source, Batch | Data):
        yield as_graphs(source, layout)
        return
    if not isinstance(source, Iterable):
        raise UsageError(
            "graphs to pack are Graphs, a PyG dataset or an iterable of Data, not "
            f"{type(source).__name__}."
        )
    following = iter(getattr(source, "dataset", source) if _is_loader(source) else source)
    while part := list(islice(following, PART)):
        yield from_pyg(part, encode=layout)


def _is_loader(source: object) -> bool:
    from torch.utils.data import DataLoader

    return isinstance(source, DataLoader)


class PackedWriter:
    """Writes a packed set; it appears in its folder when all is written, or not at all.

    ```python
    with PackedWriter("million") as writer:
        for part in parts:          # `Graphs`, each a part that fits into memory
            writer.add(part)
    ```

    All parts must have the same features and attributes. Class numbers may go up from part to part.
    """

    def __init__(
        self,
        folder: Path | str,
        notes: Mapping[str, Any] | None = None,
        indicators_in_bytes: bool = False,
    ) -> None:
        """Begin a set in a hidden folder beside `folder`.

        Args:
            folder: where the set will be.
            notes: numbers and texts to keep beside the graphs.
            indicators_in_bytes: keep features that are floats and all zero or one in bytes, a
                quarter of the room; `floating` gives them back.
        """
        self._in_bytes = indicators_in_bytes
        self.folder = Path(folder).expanduser()
        if self.folder.exists() and not is_packed(self.folder) and not _is_empty(self.folder):
            raise UsageError(
                f"{self.folder} exists and holds no packed graphs: name another folder, or remove "
                "it first."
            )
        self._notes = _plain(notes or {})
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self._unfinished = Path(mkdtemp(prefix=f".{self.folder.name}.", dir=self.folder.parent))
        except OSError as reason:
            raise _unwritable(self.folder, reason) from reason
        self._parts: _Parts | None = None

    def add(self, graphs: Graphs) -> None:
        """Write graphs behind those that are there."""
        try:
            if self._parts is None:
                self._parts = _Parts(self._unfinished)
                self._parts.begin(graphs, self._in_bytes)
            self._parts.add(graphs)
        except OSError as reason:
            raise _unwritable(self.folder, reason) from reason

    def keep(self, name: str, rows: Tensor) -> None:
        """Write other numbers beside the graphs, under a name that is no column's."""
        column = ColumnWriter(self._unfinished / f"{name}.npy")
        column.append(rows)
        column.close()

    def close(self) -> None:
        """Finish the set, and put it in place."""
        if self._parts is None:
            raise SmixupError(f"there are no graphs to pack into {self.folder}.")
        try:
            told = {"format": FORMAT, "version": VERSION} | self._parts.close()
            text = json.dumps(told | {"notes": self._notes}, indent=1)
            (self._unfinished / MANIFEST).write_text(text, encoding="utf-8")
            self._unfinished.chmod(0o755)  # a temporary folder is for its owner alone
            swap_folder(self._unfinished, self.folder)
        except OSError as reason:
            raise _unwritable(self.folder, reason) from reason

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            if self._parts is not None:
                self._parts.abandon()
            shutil.rmtree(self._unfinished, ignore_errors=True)


def _plain(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return notes as they will be read again."""
    try:
        found: dict[str, Any] = json.loads(json.dumps(dict(notes)))
    except (TypeError, ValueError) as reason:
        raise UsageError(f"notes beside packed graphs are numbers and texts: {reason}.") from reason
    return found


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _unwritable(folder: Path, reason: OSError) -> SmixupError:
    return SmixupError(f"cannot write packed graphs to {folder}: {reason.strerror or reason}.")


class _Parts:
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

    def __init__(self, parts: _Parts, name: str, like: _Matrix | None) -> None:
        self._parts, self._name, self._like = parts, name, like
        self._weight: ColumnWriter | None = None
        self._entries, self._symmetric = 0, True
        self._files: tuple[ColumnWriter, ...]
        if like is not None:
            self._files = like._files
            return
        self._files = tuple(parts.column(f"{name}.{each}") for each in PATTERN)
        self._files[0].append(torch.zeros(1, dtype=torch.long))

    def own_pattern_unless_like(self, each: SparseOperator, adj: SparseOperator) -> None:
        """Stop sharing entries with the adjacency if this part has others."""
        same = torch.equal(each.row_ptr, adj.row_ptr) and torch.equal(each.column, adj.column)
        if self._like is None or same:
            return
        names = (f"{self._name}.{each}" for each in PATTERN)
        pairs = zip(self._like._files, names, strict=True)
        self._files = tuple(self._parts.copied(*pair) for pair in pairs)
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
            if weight.dtype == torch.float and bool((weight == 1).all()):
                return
            self._weight = self._parts.column(f"{self._name}.weight", "edge weights")
            for first in range(0, self._entries, ROWS_AT_ONCE):
                number = min(ROWS_AT_ONCE, self._entries - first)
                self._weight.append(torch.ones(number, dtype=weight.dtype))
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

    def __init__(self, parts: _Parts, in_bytes: bool) -> None:
        self._parts, self._column, self._in_bytes = parts, parts.column("x", "x"), in_bytes

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
                    self._column = self._parts.rewritten(self._column, Tensor.float)
        self._column.append(x)


class _Targets:
    """Targets on disk: class numbers as long as all rows are one-hot, rows once one is not."""

    def __init__(self, parts: _Parts, first: Graphs) -> None:
        self._parts, self._column = parts, parts.column("y", "y")
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
        self._column = self._parts.rewritten(
            self._column, lambda numbers: F.one_hot(numbers.long(), self._width).float()
        )

    def close(self) -> dict[str, Any]:
        return {"classes": self._width, "has_classes": self._has_classes}
