"""Graphs on disk: a set that may be larger than memory, drawn from by index.

A packed set is a folder of columns, one `.npy` file each, and `packed.json`, which tells of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import blake2b, file_digest
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader

from smixup.errors import SmixupError, UsageError, shown
from smixup.files import whole_folder
from smixup.graphs.codes import Encoding, is_integer, layout_of
from smixup.graphs.graphs import (
    AnyGraphs,
    Graphs,
    as_graphs,
    batch_order,
    fingerprint,
)
from smixup.graphs.ragged import offsets, ranges
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import MOST_CLASSES, require_classes
from smixup.packed_folder import FORMAT, MANIFEST, VERSION, damaged, is_packed, read_manifest

if TYPE_CHECKING:
    from torch_geometric.data import Batch

Array = NDArray[Any]
Rows = Array | slice
"""Rows of a column: some, or neighbours, which need not be gathered."""
PART = 4096
"""Graphs that are packed at once."""
ROWS = 2**20
"""Rows that are made at once where a column changes while it grows."""


def open_packed(folder: Path | str) -> PackedGraphs:
    """Open a packed set; nothing is read but what it is.

    Example::

        graphs = smixup.open_packed("million")
        batch = graphs[[3, 0, 7]]                       # `Graphs` in memory
        train = graphs.subset(torch.arange(900_000))    # still on disk
    """
    return PackedGraphs(Columns(Path(folder).expanduser()))


class Columns:
    """The files of a packed set, all opened at once, so that one which is replaced meanwhile stays
    what it was; in another process they are opened there again.
    """

    def __init__(self, folder: Path, digest: str | None = None) -> None:
        self.folder, self.manifest = folder.absolute(), read_manifest(folder)
        if digest not in (None, self.manifest.get("digest")):
            raise SmixupError(
                f"the packed graphs in {folder} were replaced while they were in use: start again."
            )
        self._opened: dict[str, Array] = {}
        try:
            self._check()
        except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as reason:
            raise damaged(folder, f"{MANIFEST}: {shown(repr(reason), 200)}") from reason

    def __reduce__(self) -> tuple[type[Columns], tuple[Path, str]]:
        return Columns, (self.folder, str(self.manifest["digest"]))

    def __getitem__(self, name: str) -> Array:
        if name not in self._opened:
            try:
                column = np.load(self.folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
                plain = isinstance(column, np.ndarray) and column.dtype.kind in "biuf"
                if not plain or not column.dtype.isnative:
                    raise ValueError("it holds no plain numbers of this machine")
            except Exception as reason:  # NumPy has the header parsed by Python: it may be anything
                raise damaged(self.folder, f"{shown(name)}.npy: {shown(reason, 200)}") from reason
            self._opened[name] = np.asarray(column)
        return self._opened[name]

    def _check(self) -> None:
        """Open all files; refuse those that are missing or of other sizes than they should be."""
        told = self.manifest
        graphs, nodes = told["graphs"], self._end("ptr", told["graphs"])
        self._require("x", nodes, 2)
        widths = self._require("y", graphs, 1, 2).shape[1:] or range(MOST_CLASSES + 1)
        kinds = {"has_classes": bool, "notes": dict, "classes": int}
        for name, kind in kinds.items():
            value = told[name]
            if type(value) is not kind or (kind is int and value not in widths):
                raise ValueError(f"{name} is {value!r}")
        for known in (told["adj"], *chain.from_iterable(told["edge_attrs"].values())):
            if type(known["symmetric"]) is not bool:
                raise ValueError(f"symmetric is {known['symmetric']!r}")
            entries = self._end(f"{known['pattern']}.ptr", graphs)
            self._require(f"{known['pattern']}.count", nodes, 1, whole=True)
            self._require(f"{known['pattern']}.column", entries, 1, whole=True)
            if known["weight"] is not None:
                self._require(known["weight"] + ".weight", entries, 1, 2)
        for of, rows in (("node_attrs", nodes), ("graph_attrs", graphs)):
            for name in told[of].values():
                self._require(name, rows, *range(1, 6))

    def _require(self, name: str, rows: int, *dimensions: int, whole: bool = False) -> Array:
        column = self[name]
        if column.shape[:1] != (rows,) or column.ndim not in dimensions:
            raise damaged(self.folder, f"{shown(name)}.npy has the shape {list(column.shape)}")
        if whole and column.dtype.kind not in "iu":
            raise damaged(self.folder, f"{shown(name)}.npy holds no whole numbers")
        return column

    def _end(self, name: str, graphs: int) -> int:
        """Refuse offsets that do not begin at zero and go up, and return where they end."""
        ptr = self._require(name, graphs + 1, 1, whole=True)
        if ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
            raise damaged(self.folder, f"{shown(name)}.npy does not hold offsets")
        return int(ptr[-1])

    def read(self, graphs: Array) -> Graphs:
        """Read the graphs `[B]` at some places."""
        told = self.manifest
        nodes, sizes = _rows(self["ptr"], graphs)
        ptr = offsets(sizes)

        def matrix(known: Mapping[str, Any]) -> SparseOperator:
            """Read diagonal blocks; the nodes of the i-th are counted from `ptr[i]`."""
            pattern, weight = known["pattern"], known["weight"]
            entries, counts = _rows(self[f"{pattern}.ptr"], graphs)
            row_ptr = offsets(_taken(self[f"{pattern}.count"], nodes))
            column = _taken(self[f"{pattern}.column"], entries).long()
            outside = (column < 0) | (column >= sizes.repeat_interleave(counts))
            if outside.any() or not torch.equal(row_ptr[ptr], offsets(counts)):
                raise damaged(self.folder, f"{pattern}.column.npy joins nodes that no graph has")
            column += ptr[:-1].repeat_interleave(counts)
            ones = torch.ones(len(column))
            values = ones if weight is None else _taken(self[f"{weight}.weight"], entries)
            return SparseOperator(row_ptr, column, values, len(row_ptr) - 1, known["symmetric"])

        def attribute(columns: Sequence[Mapping[str, Any]]) -> Tensor:
            """Read an attribute of edges `[m, k]`; before 0.3 each of its columns could have places
            of its own.
            """
            values = []
            for known in columns:
                own, part = known["pattern"] == told["adj"]["pattern"], matrix(known)
                values.append(part.weight if own else part.values_at(adj))
            return torch.cat([v if v.dim() > 1 else v.unsqueeze(1) for v in values], 1)

        adj = matrix(told["adj"])
        return Graphs(
            x=_taken(self["x"], nodes),
            adj=adj,
            y=self.targets(graphs),
            ptr=ptr,
            has_classes=told["has_classes"],
            edge_attrs={name: attribute(of) for name, of in told["edge_attrs"].items()},
            node_attrs={name: _taken(self[of], nodes) for name, of in told["node_attrs"].items()},
            graph_attrs={
                name: _taken(self[of], graphs) for name, of in told["graph_attrs"].items()
            },
        )

    def targets(self, rows: Rows) -> Tensor:
        """Read the targets of some graphs, `[B, C]`; class numbers become one-hot."""
        y, classes = _taken(self["y"], rows), self.manifest["classes"]
        if y.dim() > 1:
            return y
        if y.numel() and not 0 <= int(y.min()) <= int(y.max()) < classes:
            raise damaged(self.folder, "y.npy holds classes that there are not")
        return F.one_hot(y.long(), classes).float()


def _rows(ptr: Array, graphs: Array) -> tuple[Rows, Tensor]:
    """Return the rows of graphs in a column of nodes or edges, and how many each has `[B]`."""
    first, end = ptr[graphs].astype(np.int64), ptr[graphs + 1].astype(np.int64)
    counts = torch.from_numpy(end - first)
    if len(graphs) and (end[:-1] == first[1:]).all():
        return slice(first[0], end[-1]), counts
    return ranges(torch.from_numpy(first), counts).numpy(), counts


def _taken(column: Array, rows: Rows) -> Tensor:
    return torch.from_numpy(column[rows].copy() if isinstance(rows, slice) else column[rows])


@dataclass(frozen=True, eq=False)
class PackedGraphs:
    """A set of graphs on disk, or some of them; what is selected by index comes as `Graphs`.

    Only the numbers that an index asks for are read; this object and its subsets hold eight bytes
    per graph. Files are mapped, so that a system monitor may count pages of them as resident memory
    (`RssFile`), which the system drops when there is no room.

    Example::

        graphs = open_packed("million")
        for batch in graphs.batches(256, torch.Generator()):
            ...

    Attributes:
        columns: the files.
        index: `[G]`, the graphs that belong to this subset; None for all.
        prepare: what is done to every selection in turn, such as encoding of features.
        classes: `[G]`, class numbers in place of those on disk, where they were changed.
        set_id: as in `Graphs`; where it is given, graphs are numbered by their place in this
            subset.
        device: where selections go.
    """

    columns: Columns
    index: Tensor | None = None
    prepare: tuple[Callable[[Graphs], Graphs], ...] = ()
    classes: Tensor | None = None
    set_id: str = ""
    device: torch.device | str = "cpu"

    def __len__(self) -> int:
        return int(self.columns.manifest["graphs"]) if self.index is None else self.index.numel()

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.columns.folder

    @property
    def notes(self) -> dict[str, Any]:
        """What was written down beside the graphs, such as the name of a dataset."""
        return dict(self.columns.manifest["notes"])

    def extra(self, name: str) -> Tensor:
        """Read numbers that were written beside the graphs."""
        return torch.from_numpy(self.columns[name].copy())

    @property
    def num_features(self) -> int:
        """Width of the node features, d."""
        return self[:0].num_features

    @property
    def num_edge_features(self) -> int:
        """Width of `edge_attr`, the features of edges; zero if there are none."""
        return self[:0].num_edge_features

    @property
    def edge_attrs(self) -> Mapping[str, Tensor]:
        """The attributes of edges by name, as of no graph at all."""
        return self[:0].edge_attrs

    @property
    def num_classes(self) -> int:
        """Width of the targets, C."""
        return int(self.columns.manifest["classes"])

    @property
    def has_classes(self) -> bool:
        """Whether targets are shares of classes; otherwise they are values."""
        return bool(self.columns.manifest["has_classes"])

    @property
    def symmetric(self) -> bool:
        """Whether every edge has its like in the other direction."""
        return bool(self.columns.manifest["adj"]["symmetric"])

    @property
    def sizes(self) -> Tensor:
        """Nodes of each graph `[G]`."""
        return torch.from_numpy(np.diff(self.columns["ptr"])[self._own])

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together, n."""
        return int(self.sizes.sum())

    @property
    def labels(self) -> Tensor:
        """The most likely class of each graph `[G]`."""
        require_classes(self)
        if self.classes is not None:
            return self.classes
        y = _taken(self.columns["y"], self._own)
        if y.dim() == 1:
            return y.long()
        return y.argmax(1) if self.num_classes else torch.zeros(len(self), dtype=torch.long)

    @property
    def y(self) -> Tensor:
        """Targets of all graphs `[G, C]`, read into memory."""
        if self.classes is not None:
            return F.one_hot(self.classes, self.num_classes).float()
        return self.columns.targets(self._own)

    @property
    def ids(self) -> Tensor:
        """The number of each graph `[G]`: its place in the whole set, or in this subset if that was
        numbered anew.
        """
        every = torch.arange(len(self))
        return every if self.set_id or self.index is None else self.index

    @property
    def is_whole(self) -> bool:
        """Whether these are all graphs on disk, as they are there."""
        return self.index is None and self.classes is None and not self.prepare

    @property
    def _own(self) -> Rows:
        return slice(None) if self.index is None else self.index.numpy()

    def fingerprint(self) -> str:
        """Return the fingerprint of the same graphs in memory."""
        return fingerprint(self.parts)

    def typical_weight(self) -> float:
        """Return the mean size of the edges' weights, one where there are none."""
        if self.columns.manifest["adj"]["weight"] is None:
            return 1.0
        number, total = 0, 0.0
        for part in self.parts():
            weight = part.adj.weight
            number, total = number + weight.numel(), total + float(weight.abs().double().sum())
        return total / number if number else 1.0

    def sample(self, graphs: int, nodes: int, generator: torch.Generator) -> Graphs:
        """Read a random part of the set that has so many graphs and nodes at most, but one graph at
        least; the whole set, in order, if it is no larger.
        """
        sizes = self.sizes
        if len(self) <= graphs and int(sizes.sum()) <= nodes:
            return self[:]
        order = torch.randperm(len(self), generator=generator)[:graphs]
        fitting = int((sizes[order].cumsum(0) <= nodes).sum())
        return self[order[: max(fitting, 1)]]

    def subset(self, index: Tensor | Sequence[int]) -> PackedGraphs:
        """Return some of the graphs, in that order, still on disk."""
        place = self._places(index)
        classes = None if self.classes is None else self.classes[place]
        own = place if self.index is None else self.index[place]
        return replace(self, index=own, classes=classes, set_id="")

    def renumbered(self) -> PackedGraphs:
        """Return the graphs as a set of their own, in which they are number 0, 1, ..."""
        return replace(self, set_id=uuid4().hex)

    def with_classes(self, classes: Tensor) -> PackedGraphs:
        """Return the graphs with other class numbers `[G]`."""
        return replace(self, classes=classes.cpu().long())

    def preparing(self, prepare: Callable[[Graphs], Graphs]) -> PackedGraphs:
        """Return the graphs with something done to every selection, behind what is done already."""
        return replace(self, prepare=(*self.prepare, prepare))

    def to(self, device: torch.device | str) -> PackedGraphs:
        """Return the graphs so that what is selected goes to `device`."""
        return replace(self, device=device)

    def batches(
        self, batch_size: int, generator: torch.Generator | None = None
    ) -> Iterator[Graphs]:
        """Go through all graphs once; in random order if a generator is given."""
        return (self[index].floating() for index in batch_order(len(self), batch_size, generator))

    def parts(self, graphs: int = PART) -> Iterator[Graphs]:
        """Go through all graphs in order, as they are, so many at a time; one part at least."""
        for first in range(0, max(len(self), 1), graphs):
            yield self[first : first + graphs]

    def __getitem__(self, index: Tensor | Sequence[int] | slice) -> Graphs:
        """Read the graphs at `index`, in that order, into memory."""
        place = self._places(index)
        own = place if self.index is None else self.index[place]
        graphs = self.columns.read(own.numpy())
        graphs = graphs.replace(ids=place if self.set_id else own, set_id=self.set_id)
        if self.classes is not None:
            y = F.one_hot(self.classes[place], self.num_classes).float()
            graphs = graphs.replace(y=y)
        for prepare in self.prepare:
            graphs = prepare(graphs)
        return graphs.to(self.device)

    def loader(
        self, batch_size: int, shuffle: bool = False, generator: torch.Generator | None = None
    ) -> DataLoader[int]:
        """Return a loader of PyG batches, for a loop of one's own; no `Data` is made on the way.

        Features are floats, `y` holds class numbers where each graph has one class, and
        `edge_weight` is there where weights are not all one.
        """
        every: Any = range(len(self))
        return DataLoader(
            every, batch_size, shuffle, generator=generator, collate_fn=self._pyg_batch
        )

    def _pyg_batch(self, index: Sequence[int]) -> Batch:
        from smixup.graphs.pyg import to_pyg  # takes a second to import

        graphs = self[index].floating()
        batch = to_pyg(graphs)
        if self.columns["y"].ndim == 1:
            batch.y = graphs.labels
        if self.columns.manifest["adj"]["weight"] is None:
            del batch.edge_weight
        return batch

    def _places(self, index: Tensor | Sequence[int] | slice) -> Tensor:
        """Return the places of graphs in this subset, counted from its beginning."""
        if isinstance(index, slice):
            return torch.from_numpy(np.arange(*index.indices(len(self))))
        place = torch.as_tensor(index, device="cpu")
        if place.dtype == torch.bool and place.shape == (len(self),):
            place = place.nonzero().squeeze(1)
        if place.dim() != 1 or (place.numel() and not is_integer(place)):
            raise TypeError(
                "graphs are selected by a list of whole numbers, a slice, or a mask of all graphs."
            )
        place = place.long()
        if place.numel() and not -len(self) <= int(place.min()) <= int(place.max()) < len(self):
            raise IndexError(f"a graph outside of 0 to {len(self) - 1} was asked for.")
        return torch.where(place < 0, place + len(self), place)


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


def _parts(source: Any, encode: Encoding) -> Iterator[Graphs]:
    """Yield graphs of any kind some thousands at a time."""
    layout = layout_of(encode)
    if layout is not None and layout.known is None:
        raise UsageError(
            f"encode={encode!r} would read the parts of a set differently: say how many values "
            "there are, encode=Codes(nodes=(28,), edges=(4,))."
        )
    if isinstance(source, PackedGraphs):
        yield from source.parts()
    elif isinstance(source, Graphs) or hasattr(source, "edge_index"):
        yield as_graphs(source, layout)
    elif isinstance(source, Iterable):
        following = iter(source.dataset if isinstance(source, DataLoader) else source)
        while part := list(islice(following, PART)):
            yield as_graphs(part, layout)
    else:
        raise UsageError(
            "graphs to pack are Graphs, a PyG dataset or an iterable of Data, not "
            f"{type(source).__name__}."
        )


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
        target = Path(folder).expanduser()
        empty = target.is_dir() and not any(target.iterdir())
        if target.exists() and not is_packed(target) and not empty:
            raise UsageError(
                f"{target} exists and holds no packed graphs: name another folder, or remove it "
                "first."
            )
        self._notes, self._in_bytes = json.loads(json.dumps(dict(notes or {}))), indicators_in_bytes
        self._like: Graphs | None = None
        self._few: dict[str, list[Tensor]] = {"ptr": [], "adj.ptr": [], "y": []}
        self._parts: dict[str, list[tuple[np.dtype[Any], tuple[int, ...]]]] = {}
        self._classes, self._symmetric, self._whole = 0, True, ExitStack()
        self._folder = self._whole.enter_context(whole_folder(target, "packed graphs to"))

    def add(self, graphs: Graphs) -> None:
        """Write graphs behind those that are there."""
        self._like = graphs[:0] if self._like is None else self._like
        _require_alike(graphs, self._like)
        x, y, adj, ptr = graphs.x, graphs.y.cpu(), graphs.adj, graphs.ptr
        counts = adj.row_ptr[ptr].diff()
        numbers = graphs.has_classes and y.size(1) > 0 and bool(((y == 1).sum(1) == 1).all())
        self._few["ptr"].append(graphs.sizes.cpu())
        self._few["adj.ptr"].append(counts.cpu())
        self._few["y"].append(y.argmax(1).int() if numbers and _are_bits(y) else y)
        self._classes = max(self._classes, y.size(1))
        self._symmetric &= adj.symmetric
        self._append("x", x.byte() if self._in_bytes and _are_bits(x) else x)
        self._append("adj.count", adj.row_ptr.diff().int())
        self._append("adj.column", (adj.column - ptr[:-1].repeat_interleave(counts)).int())
        ones = bool((adj.weight == 1).all())
        self._append("adj.weight", adj.weight.byte() if ones else adj.weight)
        for kind, files in _files(graphs).items():
            for name, file in files.items():
                self._append(file, getattr(graphs, kind)[name])

    def keep(self, name: str, rows: Tensor) -> None:
        """Write other numbers beside the graphs, under a name that is no column's."""
        np.save(self._folder / f"{name}.npy", rows.cpu().numpy())

    def close(self) -> None:
        """Finish the set, and put it in place."""
        with self._whole:
            if self._like is None:
                raise SmixupError("there are no graphs to pack.")
            text = json.dumps(self._finished(self._like), indent=1)
            (self._folder / MANIFEST).write_text(text, encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        else:
            self._whole.__exit__(kind, error, trace)

    def _append(self, name: str, rows: Tensor) -> None:
        """Write a part of a column, an array of its own, behind the parts before."""
        part = rows.detach().cpu().contiguous().numpy()
        self._parts.setdefault(name, []).append((part.dtype, part.shape))
        with (self._folder / f"{name}.parts").open("ab") as file:
            np.save(file, part)

    def _join(self, name: str) -> None:
        """Make one array of the parts of a column, of the type that holds them all."""
        parts, path = self._parts[name], self._folder / f"{name}.parts"
        if len(parts) == 1:
            path.rename(path.with_suffix(".npy"))
            return
        dtype, rows = np.result_type(*(kind for kind, _ in parts)), sum(s[0] for _, s in parts)
        header = {"descr": dtype.str, "fortran_order": False, "shape": (rows, *parts[0][1][1:])}
        with path.open("rb") as source, path.with_suffix(".npy").open("wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            for _ in parts:
                file.write(np.load(source).astype(dtype, copy=False).tobytes())
        path.unlink()

    def _finished(self, like: Graphs) -> dict[str, Any]:
        """Complete the columns, and tell what they are."""
        sizes, counts, y = self._few["ptr"], self._few["adj.ptr"], self._few["y"]
        if any(part.dim() > 1 for part in y):
            y = [F.one_hot(n.long(), self._classes).float() if n.dim() == 1 else n for n in y]
        if len(widths := {part.size(1) for part in y if part.dim() > 1}) > 1:
            raise SmixupError(
                f"targets have {min(widths)} to {max(widths)} columns: make them alike."
            )
        self.keep("ptr", offsets(torch.cat(sizes)))
        self.keep("adj.ptr", offsets(torch.cat(counts)))
        self.keep("y", torch.cat(y))
        weighted = any(kind != np.uint8 for kind, _ in self._parts["adj.weight"])
        if not weighted:  # all are one
            del self._parts["adj.weight"]
            (self._folder / "adj.weight.parts").unlink()
        for name in self._parts:
            self._join(name)
        digest, files = blake2b(digest_size=16), _files(like)
        for path in sorted(self._folder.iterdir()):
            with path.open("rb") as file:
                digest.update(path.stem.encode() + file_digest(file, "blake2b").digest())
        weight = "adj" if weighted else None
        adj = {"pattern": "adj", "weight": weight, "symmetric": self._symmetric}
        of_edges = {
            name: [{**adj, "weight": file.removesuffix(".weight")}]
            for name, file in files["edge_attrs"].items()
        }
        return {
            "format": FORMAT,
            "version": VERSION,
            "digest": digest.hexdigest(),
            "graphs": sum(map(len, sizes)),
            "nodes": int(torch.cat(sizes).sum()),
            "classes": self._classes,
            "has_classes": like.has_classes,
            "adj": adj,
            **files,
            "edge_attrs": of_edges,
            "notes": self._notes,
        }


def _files(graphs: Graphs) -> dict[str, dict[str, str]]:
    """Return in which column each attribute is kept."""
    return {
        "edge_attrs": {name: f"edge_attr_{i}.weight" for i, name in enumerate(graphs.edge_attrs)},
        "node_attrs": {name: f"node_attr_{i}" for i, name in enumerate(graphs.node_attrs)},
        "graph_attrs": {name: f"graph_attr_{i}" for i, name in enumerate(graphs.graph_attrs)},
    }


def _are_bits(values: Tensor) -> bool:
    return values.dtype == torch.float and bool(((values == 0) | (values == 1)).all())


def _require_alike(graphs: Graphs, first: Graphs) -> None:
    if graphs.degree_encoding is not None:
        raise SmixupError(
            "features that were made of degrees cannot be packed with their rule: pack the "
            "graphs as they are loaded; degrees are encoded in training."
        )
    kinds, before = _kinds(graphs), _kinds(first)
    for name in {**before, **kinds}:
        own, known = kinds.get(name, "missing"), before.get(name, "missing")
        if own != known:
            raise SmixupError(
                f"'{name}' is {own} in some graphs and {known} in those before: make them alike."
            )


def _kinds(graphs: Graphs) -> dict[str, str]:
    """Return of what kind features, weights, attributes and targets are."""
    columns = {"x": graphs.x, "edge weights": graphs.adj.weight, **graphs.edge_attrs}
    columns |= {**graphs.node_attrs, **graphs.graph_attrs}
    kinds = {"y": "classes" if graphs.has_classes else f"{graphs.num_classes} values"}
    for name, rows in columns.items():
        if rows.dtype == torch.bfloat16 or rows.is_complex():
            raise SmixupError(f"'{name}' is {rows.dtype}, which cannot be packed: make it float32.")
        kinds[name] = f"{rows.dtype} of the shape {list(rows.shape[1:])}"
    return kinds
