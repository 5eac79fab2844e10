"""Writing a packed set, part by part: the graphs need not fit into memory at once.

Columns are as small as what they hold allows: targets are class numbers unless one is soft, weights
are left out unless one is not one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from hashlib import blake2b, file_digest
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError
from smixup.files import swap_folder, unfinished_folder
from smixup.graphs.conversion import AnyGraphs
from smixup.graphs.graphs import Graphs
from smixup.graphs.packed import Array, PackedGraphs, open_packed
from smixup.packed_folder import FORMAT, MANIFEST, VERSION, is_packed

if TYPE_CHECKING:
    from smixup.graphs.codes import Encoding

PART = 4096
"""Graphs that are packed at once."""
ONES = 2**20
"""Ones that are written at once."""


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
        self._attributes: dict[str, dict[str, str]] = {}
        self._targets: list[Tensor] = []
        self._nodes = self._entries = self._classes = 0
        self._has_classes = self._symmetric = True
        with _writing(self.folder):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            hidden = unfinished_folder(self.folder.absolute())
            self._unfinished = self._leftovers.enter_context(hidden)

    def add(self, graphs: Graphs) -> None:
        """Write graphs behind those that are there."""
        with _writing(self.folder):
            if not self._attributes:
                self._begin(graphs)
            self._require_same(graphs)
            self._add_targets(graphs)
            x = graphs.x
            if self._in_bytes and x.dtype == torch.float and bool(((x == 0) | (x == 1)).all()):
                x = x.byte()
            self._append("x", x)
            self._add_edges(graphs)
            for kind, files in self._attributes.items():
                for name, file in files.items():
                    self._append(file, getattr(graphs, kind)[name], name)
        self._nodes += graphs.num_nodes

    def keep(self, name: str, rows: Tensor) -> None:
        """Write other numbers beside the graphs, under a name that is no column's."""
        with _writing(self.folder):
            np.save(self._unfinished / f"{name}.npy", _array(rows, name))

    def close(self) -> None:
        """Finish the set, and put it in place."""
        if not self._attributes:
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
        self._has_classes, self._classes = first.has_classes, first.num_classes
        self._attributes = {
            "edge_attrs": {n: f"edge_attr_{i}.weight" for i, n in enumerate(first.edge_attrs)},
            "node_attrs": {n: f"node_attr_{i}" for i, n in enumerate(first.node_attrs)},
            "graph_attrs": {n: f"graph_attr_{i}" for i, n in enumerate(first.graph_attrs)},
        }
        for name in ("ptr", "adj.ptr"):
            self._append(name, torch.zeros(1, dtype=torch.long))

    def _require_same(self, graphs: Graphs) -> None:
        """Refuse graphs that have other attributes, or targets of another kind, than those
        before.
        """
        for kind, known in self._attributes.items():
            if odd := {*getattr(graphs, kind)} ^ {*known}:
                raise SmixupError(
                    f"only some of the graphs to be packed have the attribute '{min(odd)}': remove "
                    "it from all of them, or add it to the others."
                )
        if graphs.has_classes != self._has_classes:
            raise SmixupError(
                "the targets of some graphs to be packed are classes and those of others are "
                "values: make y integer in all of them, or float."
            )

    def _append(self, name: str, rows: Tensor, what: str = "") -> None:
        array = _array(rows, what or name)
        if name not in self._columns:
            path, widens = self._unfinished / f"{name}.npy", self._in_bytes and name == "x"
            self._columns[name] = _Column(path, array, what or name, widens)
        self._columns[name].append(array)

    def _add_targets(self, graphs: Graphs) -> None:
        """Keep targets, which are few, until it is known whether all are class numbers."""
        numbers = _are_class_numbers(graphs)
        grow = numbers and all(y.dim() == 1 for y in self._targets)
        if not grow and graphs.num_classes != self._classes:
            raise SmixupError(
                f"targets have {graphs.num_classes} columns in some graphs and {self._classes} in "
                "those before: make them alike."
            )
        self._classes = max(self._classes, graphs.num_classes)
        self._targets.append(graphs.y.argmax(1).int().cpu() if numbers else graphs.y.cpu())

    def _add_edges(self, graphs: Graphs) -> None:
        """Write the adjacency, its columns numbered within each graph; weights from the first part
        on of which not all are one.
        """
        adj, ptr = graphs.adj, graphs.ptr
        begins = adj.row_ptr[ptr]
        local = adj.column - ptr[:-1].repeat_interleave(begins.diff())
        if bool(((local < 0) | (local >= ptr.diff().repeat_interleave(begins.diff()))).any()):
            raise SmixupError("an edge joins two different graphs, which cannot be packed.")
        self._append("ptr", ptr[1:] + self._nodes)
        self._append("adj.ptr", begins[1:] + self._entries)
        self._append("adj.count", adj.row_ptr.diff().int())
        self._append("adj.column", local.int())
        if "adj.weight" not in self._columns and not bool((adj.weight == 1).all()):
            for ones in torch.ones(self._entries, dtype=adj.weight.dtype).split(ONES):
                self._append("adj.weight", ones, "edge weights")
        if "adj.weight" in self._columns or not bool((adj.weight == 1).all()):
            self._append("adj.weight", adj.weight, "edge weights")
        self._entries += len(adj.column)
        self._symmetric &= adj.symmetric

    def _finished(self) -> dict[str, Any]:
        """Complete the columns, and tell what they are."""
        graphs = sum(map(len, self._targets))
        soft = [y if y.dim() > 1 else _shares(y, self._classes) for y in self._targets]
        hard = all(y.dim() == 1 for y in self._targets)
        self._append("y", torch.cat(self._targets if hard else soft))
        digest = blake2b(digest_size=16)
        for name, column in sorted(self._columns.items()):
            column.close()
            with column.path.open("rb") as file:
                digest.update(name.encode() + file_digest(file, "blake2b").digest())
        weight = "adj" if "adj.weight" in self._columns else None
        adj = {"pattern": "adj", "weight": weight, "symmetric": self._symmetric}
        edges = {
            name: [{**adj, "weight": file.removesuffix(".weight")}]
            for name, file in self._attributes["edge_attrs"].items()
        }
        return {
            "format": FORMAT,
            "version": VERSION,
            "digest": digest.hexdigest(),
            "graphs": graphs,
            "nodes": self._nodes,
            "classes": self._classes,
            "has_classes": self._has_classes,
            "adj": adj,
            **self._attributes,
            "edge_attrs": edges,
            "notes": self._notes,
        }


class _Column:
    """An `.npy` file that grows; how many rows it has is written at the end."""

    def __init__(self, path: Path, first: Array, what: str, widens: bool) -> None:
        self.path, self.what, self.widens = path, what, widens
        self._kind, self._rows = (first.dtype, first.shape[1:]), 0
        self._write_header()

    def append(self, rows: Array) -> None:
        """Write rows of the type and shape of the first ones; where it `widens`, bytes make room
        for floats.
        """
        dtype, shape = self._kind
        if self.widens and dtype != rows.dtype:
            if dtype == np.uint8:
                self._widen()
            rows = rows.astype(np.float32)
        if (rows.dtype, rows.shape[1:]) != self._kind:
            raise SmixupError(
                f"{self.what} is {rows.dtype} of the shape {list(rows.shape[1:])} in some graphs "
                f"and {dtype} of the shape {list(shape)} in those before: make them alike."
            )
        with self.path.open("ab") as file:
            file.write(rows.tobytes())
        self._rows += len(rows)

    def close(self) -> None:
        """Write how many rows there are; NumPy leaves room for that in its header."""
        self._write_header("r+b")

    def _write_header(self, mode: str = "wb") -> None:
        dtype, shape = self._kind
        header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False}
        with self.path.open(mode) as file:
            np.lib.format.write_array_header_1_0(file, header | {"shape": (self._rows, *shape)})

    def _widen(self) -> None:
        """Make floats of the bytes that there are."""
        self.close()
        narrow, aside = np.load(self.path, mmap_mode="r"), self.path.with_suffix(".bytes")
        self.path.rename(aside)
        self._kind = np.dtype(np.float32), self._kind[1]
        self._write_header()
        with self.path.open("ab") as file:
            for first in range(0, len(narrow), ONES):
                file.write(narrow[first : first + ONES].astype(np.float32).tobytes())
        aside.unlink()


def _are_class_numbers(graphs: Graphs) -> bool:
    y = graphs.y
    if not graphs.has_classes or y.dtype != torch.float or y.size(1) == 0:
        return False
    return bool(((y == 1).sum(1) == 1).all() and ((y == 0) | (y == 1)).all())


def _shares(numbers: Tensor, classes: int) -> Tensor:
    return torch.nn.functional.one_hot(numbers.long(), classes).float()


def _array(rows: Tensor, what: str) -> Array:
    if rows.dtype == torch.bfloat16 or rows.is_complex():
        raise SmixupError(
            f"{what} is {str(rows.dtype).removeprefix('torch.')}, which cannot be packed: make it "
            "float32."
        )
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
