"""Writing a packed set, part by part: the graphs need not fit into memory at once.

Columns are as small as what they hold allows: targets are class numbers unless one is soft, weights
are left out unless one is not one, attributes of edges share the entries of the adjacency unless
one has others. As that is known at the end alone, parts are put behind one another as they come,
and become columns when the set is closed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.errors import SmixupError, UsageError
from smixup.files import swap_folder, unfinished_folder
from smixup.graphs.conversion import AnyGraphs
from smixup.graphs.graphs import Graphs
from smixup.graphs.packed import PackedGraphs, open_packed
from smixup.graphs.sparse import SparseOperator
from smixup.packed_folder import FORMAT, MANIFEST, VERSION, is_packed

if TYPE_CHECKING:
    from smixup.graphs.codes import Encoding

PART = 4096
"""Graphs that are packed at once."""
PATTERN = ("ptr", "count", "column")
"""Where the entries of an operator are: of each graph, of each row, and their columns."""

Array = NDArray[Any]


def pack(
    graphs: AnyGraphs | PackedGraphs,
    folder: Path | str,
    encode: Encoding = None,
    notes: Mapping[str, Any] | None = None,
) -> PackedGraphs:
    """Write graphs to a folder of columns on disk, and open it.

    Example::

        smixup.pack(load_dataset("NCI1").graphs, "nci1")
        smixup.pack((make_data(i) for i in range(1_000_000)), "million")     # any iterable of Data

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


class PackedWriter:
    """Writes a packed set; it appears in its folder when all is written, or not at all.

    Example::

        with PackedWriter("million") as writer:
            for part in parts:          # `Graphs`, each a part that fits into memory
                writer.add(part)

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
        self.folder = Path(folder).expanduser()
        if self.folder.exists() and not is_packed(self.folder) and not _is_empty(self.folder):
            raise UsageError(
                f"{self.folder} exists and holds no packed graphs: name another folder, or remove "
                "it first."
            )
        try:
            self._notes = json.loads(json.dumps(dict(notes or {})))
        except (TypeError, ValueError) as reason:
            raise UsageError(
                f"notes beside packed graphs are numbers and texts: {reason}."
            ) from reason
        self._in_bytes, self._leftovers = indicators_in_bytes, ExitStack()
        self._columns: dict[str, _Column] = {}
        self._operators: dict[str, _Operator] = {}
        self._files: dict[str, dict[str, Any]] = {}
        self._graphs = self._nodes = self._classes = 0
        self._has_classes = self._class_numbers = True
        with _writing(self.folder):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            hidden = unfinished_folder(self.folder.absolute())
            self._unfinished = self._leftovers.enter_context(hidden)

    def add(self, graphs: Graphs) -> None:
        """Write graphs behind those that are there."""
        if not self._files:
            self._begin(graphs)
        _require_same(self._files, graphs)
        with _writing(self.folder):
            self._add(graphs)
        self._graphs, self._nodes = self._graphs + len(graphs), self._nodes + graphs.num_nodes

    def keep(self, name: str, rows: Tensor) -> None:
        """Write other numbers beside the graphs, under a name that is no column's."""
        with _writing(self.folder):
            np.save(self._unfinished / f"{name}.npy", _array(rows, name))

    def close(self) -> None:
        """Finish the set, and put it in place."""
        if not self._files:
            raise SmixupError(f"there are no graphs to pack into {self.folder}.")
        with _writing(self.folder):
            text = json.dumps(self._finished(), indent=1)
            (self._unfinished / MANIFEST).write_text(text, encoding="utf-8")
            swap_folder(self._unfinished, self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._leftovers:
            if kind is None:
                self.close()

    def _begin(self, first: Graphs) -> None:
        """Name a column for everything that the first graphs have."""
        if first.degree_encoding is not None:
            raise SmixupError(
                "features that were made of degrees cannot be packed with their rule: pack the "
                "graphs as they are loaded; degrees are encoded in training."
            )
        self._has_classes = first.has_classes
        self._files = {
            "edge_attrs": {
                name: [f"edge_attr_{i}_{j}" for j in range(len(columns))]
                for i, (name, columns) in enumerate(first.edge_attrs.items())
            },
            "node_attrs": {name: f"node_attr_{i}" for i, name in enumerate(first.node_attrs)},
            "graph_attrs": {name: f"graph_attr_{i}" for i, name in enumerate(first.graph_attrs)},
        }

    def _column(self, name: str, what: str = "") -> _Column:
        if name not in self._columns:
            self._columns[name] = _Column(self._unfinished / f"{name}.rows", what or name)
        return self._columns[name]

    def _add(self, graphs: Graphs) -> None:
        self._add_targets(graphs)
        x = _array(graphs.x, "x")
        in_bytes = self._in_bytes and x.dtype == np.float32 and bool(((x == 0) | (x == 1)).all())
        self._column("x").append(x, x.astype(np.uint8) if in_bytes else x)
        begins = graphs.ptr[1:] if "ptr" in self._columns else graphs.ptr
        self._column("ptr").append(_array(begins + self._nodes, "ptr"))
        adj = graphs.adj
        self._add_operator("adj", adj, graphs.ptr, adj)
        for name, columns in graphs.edge_attrs.items():
            for file, column in zip(self._files["edge_attrs"][name], columns, strict=True):
                self._add_operator(file, column, graphs.ptr, adj)
        for kind in ("node_attrs", "graph_attrs"):
            for name, values in getattr(graphs, kind).items():
                self._column(self._files[kind][name], name).append(_array(values, name))

    def _add_targets(self, graphs: Graphs) -> None:
        if graphs.has_classes != self._has_classes:
            raise SmixupError(
                "the targets of some graphs to be packed are classes and those of others are "
                "values: make y integer in all of them, or float."
            )
        numbers, width = _are_class_numbers(graphs), graphs.num_classes
        if "y" not in self._columns or (numbers and self._class_numbers):
            self._classes = max(self._classes, width)
        elif width != self._classes:
            raise SmixupError(
                f"targets have {width} columns in some graphs and {self._classes} in those before: "
                "make them alike."
            )
        self._class_numbers &= numbers
        y = graphs.y.argmax(1).int() if numbers else graphs.y
        self._column("y").put(_array(y, "y"))

    def _add_operator(
        self, name: str, matrix: SparseOperator, ptr: Tensor, adj: SparseOperator
    ) -> None:
        """Write an operator: where its entries are, only if not where the adjacency has them."""
        operator = self._operators.setdefault(name, _Operator(name, name == "adj"))
        operator.own_places |= not _same_places(matrix, adj)
        columns = [self._column(f"{name}.{each}") for each in PATTERN]
        if operator.own_places:
            begins, counts, local = _places(matrix, ptr)
            begins = begins[1:] if columns[0].pieces else begins
            arrays = (begins + operator.entries, counts, local)
            for column, rows in zip(columns, arrays, strict=True):
                column.append(_array(rows, column.what))
        else:
            for column, each in zip(columns, PATTERN, strict=True):
                column.pieces.append(self._columns[f"adj.{each}"].pieces[-1])
        weight = matrix.weight
        ones = weight.dtype == torch.float and weight.dim() == 1 and bool((weight == 1).all())
        self._column(f"{name}.weight", "edge weights").append(_array(weight, "weights"), ones=ones)
        operator.entries += matrix.column.numel()
        operator.weighted |= not ones
        operator.symmetric &= matrix.symmetric

    def _finished(self) -> dict[str, Any]:
        """Make columns of what was written, and tell what they are."""
        operators = self._operators.values()
        names = ["x", "ptr", "y", *_of_pattern("adj")]
        names += [*self._files["node_attrs"].values(), *self._files["graph_attrs"].values()]
        for operator in operators:
            if operator.own_places and operator.name != "adj":
                names += _of_pattern(operator.name)
        names += [f"{operator.name}.weight" for operator in operators if operator.weighted]
        # Backwards, as others may have rows in the files of the adjacency.
        texts = {name: self._finish(name) for name in reversed(names)}
        for column in self._columns.values():
            column.path.unlink(missing_ok=True)
        edge_attrs = {
            name: [self._operators[file].told() for file in files]
            for name, files in self._files["edge_attrs"].items()
        }
        digest = blake2b("".join(texts[name] for name in names).encode(), digest_size=16)
        return {
            "format": FORMAT,
            "version": VERSION,
            "digest": digest.hexdigest(),
            "graphs": self._graphs,
            "nodes": self._nodes,
            "classes": self._classes,
            "has_classes": self._has_classes,
            "adj": self._operators["adj"].told(),
            **self._files,
            "edge_attrs": edge_attrs,
            "notes": self._notes,
        }

    def _finish(self, name: str) -> str:
        """Make a column of the rows that were written, and return a text that tells it from
        others.
        """
        column = self._columns[name]
        rows, (dtype, shape) = sum(len(piece) for piece in column.pieces), column.kind()
        shape = (self._classes,) if name == "y" and shape else shape
        digest = blake2b(digest_size=16)
        with (self._unfinished / f"{name}.npy").open("wb") as file:
            header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False}
            np.lib.format.write_array_header_1_0(file, header | {"shape": (rows, *shape)})
            for piece in column.pieces:
                content = piece.read(dtype, shape).tobytes()
                file.write(content)
                digest.update(content)
        column.path.unlink(missing_ok=True)
        return f"{name}.npy/{digest.hexdigest()}/{dtype}/{rows}/{shape}/"


@dataclass
class _Operator:
    """What is known of an operator so far."""

    name: str
    own_places: bool
    weighted: bool = False
    symmetric: bool = True
    entries: int = 0

    def told(self) -> dict[str, Any]:
        pattern = self.name if self.own_places else "adj"
        weight = self.name if self.weighted else None
        return {"pattern": pattern, "weight": weight, "symmetric": self.symmetric}


@dataclass(frozen=True)
class _Piece:
    """Rows of one part in a file; without a file, they are ones."""

    path: Path | None
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return self.shape[0]

    def read(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
        """Return the rows in the type and shape of the whole column: class numbers become rows."""
        if self.path is None:
            return np.ones(self.shape, dtype)
        count = math.prod(self.shape)
        array = np.fromfile(self.path, self.dtype, count, offset=self.offset).reshape(self.shape)
        if len(self.shape) == 1 + len(shape):
            converted: Array = array.astype(dtype, copy=False)
            return converted
        rows = np.zeros((len(self), *shape), dtype)
        rows[np.arange(len(self)), array] = 1
        return rows


class _Column:
    """The rows of a column as they come, part behind part, in a file of its own."""

    def __init__(self, path: Path, what: str) -> None:
        """Begin a file; `what` names the numbers in an error, such as "x"."""
        self.path, self.what, self._end = path, what, 0
        self.pieces: list[_Piece] = []
        self._first: tuple[np.dtype[Any], tuple[int, ...]] | None = None

    def append(self, rows: Array, stored: Array | None = None, ones: bool = False) -> None:
        """Write rows of the type and shape of the first ones, in the form `stored` if given."""
        kind = rows.dtype, rows.shape[1:]
        self._first = self._first or kind
        if kind != self._first:
            raise SmixupError(
                f"{self.what} is {kind[0]} of the shape {list(kind[1])} in some graphs and "
                f"{self._first[0]} of the shape {list(self._first[1])} in those before: make them "
                "alike."
            )
        if ones:
            self.pieces.append(_Piece(None, 0, rows.dtype, rows.shape))
        else:
            self.put(rows if stored is None else stored)

    def put(self, rows: Array) -> None:
        """Write rows of whatever type and shape."""
        self.pieces.append(_Piece(self.path, self._end, rows.dtype, rows.shape))
        with self.path.open("ab") as file:
            self._end += file.write(rows.tobytes())

    def kind(self) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Return type and shape of the whole column: those of its most general rows."""
        general = max(self.pieces, key=lambda piece: (len(piece.shape), piece.dtype.kind == "f"))
        return general.dtype, general.shape[1:]


def _require_same(files: Mapping[str, Any], graphs: Graphs) -> None:
    """Refuse graphs that have other attributes than those before."""
    for kind, known in files.items():
        if odd := {*getattr(graphs, kind)} ^ {*known}:
            raise SmixupError(
                f"only some of the graphs to be packed have the attribute '{min(odd)}': remove it "
                "from all of them, or add it to the others."
            )
    for name, columns in files["edge_attrs"].items():
        if len(columns) != (number := len(graphs.edge_attrs[name])):
            raise SmixupError(
                f"the attribute '{name}' of edges has {number} columns in some graphs and "
                f"{len(columns)} in those before: make them alike."
            )


def _of_pattern(name: str) -> list[str]:
    return [f"{name}.{each}" for each in PATTERN]


def _are_class_numbers(graphs: Graphs) -> bool:
    y = graphs.y
    if not graphs.has_classes or y.dtype != torch.float or y.size(1) == 0:
        return False
    return bool(((y == 1).sum(1) == 1).all() and ((y == 0) | (y == 1)).all())


def _same_places(one: SparseOperator, other: SparseOperator) -> bool:
    return torch.equal(one.row_ptr, other.row_ptr) and torch.equal(one.column, other.column)


def _places(matrix: SparseOperator, ptr: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return where the entries of each graph begin, how many each row has, and their columns,
    numbered within each graph.
    """
    begins = matrix.row_ptr[ptr]
    counts = begins.diff()
    local = matrix.column - ptr[:-1].repeat_interleave(counts)
    if bool(((local < 0) | (local >= ptr.diff().repeat_interleave(counts))).any()):
        raise SmixupError("an edge joins two different graphs, which cannot be packed.")
    return begins, matrix.row_ptr.diff().int(), local.int()


def _array(rows: Tensor, what: str) -> Array:
    if rows.dtype == torch.bfloat16 or rows.is_sparse:
        raise SmixupError(
            f"{what} is {str(rows.dtype).removeprefix('torch.')}, which cannot be packed: make it "
            "float32."
        )
    if rows.is_complex():
        raise SmixupError(f"{what} is complex, which cannot be packed: make it real.")
    array: Array = rows.detach().cpu().contiguous().numpy()
    return array


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Say in a sentence why something cannot be written."""
    try:
        yield
    except OSError as reason:
        raise SmixupError(
            f"cannot write packed graphs to {folder}: {reason.strerror or reason}."
        ) from reason


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
    from torch.utils.data import DataLoader
    from torch_geometric.data import Batch, Data  # takes a second to import

    from smixup.graphs.codes import layout_of
    from smixup.graphs.conversion import as_graphs
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
    following = iter(source.dataset if isinstance(source, DataLoader) else source)
    while part := list(islice(following, PART)):
        yield from_pyg(part, encode=layout)
