"""Graphs on disk: a set that may be larger than memory, drawn from by index.

A packed set is a folder of columns, one `.npy` file each, and `packed.json`, which tells what they
are. Features keep their small type, edges are numbers within their graph in 32 bits, weights are
there only if they are not all one, targets are class numbers unless they are soft. How one is made:
`graphs/packing.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader

from smixup.errors import SmixupError, shown
from smixup.graphs.graphs import Graphs, batch_order
from smixup.graphs.ragged import offsets, ranges
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import MOST_CLASSES, require_classes
from smixup.packed_folder import damaged, read_manifest

if TYPE_CHECKING:
    from torch_geometric.data import Batch

Array = NDArray[Any]
Selection = Array | slice
"""Rows of a column: some, or neighbours, which need not be gathered."""
KINDS = {"graphs": int, "nodes": int, "classes": int, "has_classes": bool, "notes": dict}
KINDS |= {"digest": str, "adj": dict, "edge_attrs": dict, "node_attrs": dict, "graph_attrs": dict}


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
        self.folder = folder.absolute()
        self.manifest = read_manifest(folder)
        if digest not in (None, self.manifest.get("digest")):
            raise SmixupError(
                f"the packed graphs in {folder} were replaced while they were in use: start again."
            )
        self._opened: dict[str, Array] = {}
        try:
            self._check()
        except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as reason:
            raise damaged(folder, f"packed.json: {shown(repr(reason))}") from reason

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
        """Open all files; refuse those that are missing, cut short or of other sizes than they
        should be.
        """
        manifest = self.manifest
        for name, kind in KINDS.items():
            most = MOST_CLASSES if name == "classes" and manifest["has_classes"] else 2**62
            value = manifest[name]
            if type(value) is not kind or (kind is int and not 0 <= value <= most):
                raise ValueError(f"{name} is {value!r}")
        graphs, nodes = manifest["graphs"], manifest["nodes"]
        if self._offsets("ptr", graphs) != nodes:
            raise damaged(self.folder, "ptr.npy and the number of nodes differ")
        self._require_rows("x", nodes, 2)
        self._require_rows("y", graphs, 1, 2)
        for known in (manifest["adj"], *(k for of in manifest["edge_attrs"].values() for k in of)):
            pattern, weight = known["pattern"], known["weight"]
            if type(known["symmetric"]) is not bool:
                raise ValueError(f"symmetric is {known['symmetric']!r}")
            entries = self._offsets(f"{pattern}.ptr", graphs)
            for name, rows in ((f"{pattern}.count", nodes), (f"{pattern}.column", entries)):
                self._require_rows(name, rows, 1)
                if self[name].dtype.kind not in "iu":
                    raise damaged(self.folder, f"{shown(name)}.npy holds no whole numbers")
            if weight is not None:
                self._require_rows(weight + ".weight", entries, 1, 2)
        for kind, rows in (("node_attrs", nodes), ("graph_attrs", graphs)):
            for name in manifest[kind].values():
                self._require_rows(name, rows, *range(1, 6))

    def _require_rows(self, name: str, rows: int, *dimensions: int) -> None:
        shape = self[name].shape
        if shape[:1] != (rows,) or len(shape) not in dimensions:
            raise damaged(self.folder, f"{shown(name)}.npy has the shape {list(shape)}")

    def _offsets(self, name: str, graphs: int) -> int:
        """Refuse offsets that do not begin at zero and go up, and return where they end."""
        self._require_rows(name, graphs + 1, 1)
        ptr = self[name]
        if ptr.dtype.kind not in "iu" or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
            raise damaged(self.folder, f"{name}.npy does not hold offsets")
        return int(ptr[-1])

    def read(self, graphs: Array, neighbours: bool) -> Graphs:
        """Read the graphs `[B]` at some places; of neighbours, nothing has to be gathered."""
        manifest = self.manifest
        nodes, counts = _rows(self["ptr"], graphs, neighbours)
        rows = slice(graphs[0], graphs[-1] + 1) if neighbours and len(graphs) else graphs
        ptr = offsets(counts)

        def matrix(known: Mapping[str, Any]) -> SparseOperator:
            """Read diagonal blocks; the nodes of the i-th are counted from `ptr[i]`."""
            pattern, weight = known["pattern"], known["weight"]
            entries, counts = _rows(self[f"{pattern}.ptr"], graphs, neighbours)
            row_ptr = offsets(_taken(self[f"{pattern}.count"], nodes))
            column = _taken(self[f"{pattern}.column"], entries).long()
            apart = not torch.equal(row_ptr[ptr], offsets(counts))
            if apart or ((column < 0) | (column >= ptr.diff().repeat_interleave(counts))).any():
                raise damaged(self.folder, f"{pattern}.column.npy joins nodes that no graph has")
            column += ptr[:-1].repeat_interleave(counts)
            ones = torch.ones(len(column))
            values = ones if weight is None else _taken(self[f"{weight}.weight"], entries)
            return SparseOperator(row_ptr, column, values, len(row_ptr) - 1, known["symmetric"])

        def attribute(adj: SparseOperator, columns: Sequence[Mapping[str, Any]]) -> Tensor:
            """Return an attribute of edges `[m, k]`; before 0.3 each of its columns could have
            places of its own.
            """
            parts = [(known, matrix(known)) for known in columns]
            values = [
                part.weight
                if known["pattern"] == manifest["adj"]["pattern"]
                else part.values_at(adj)
                for known, part in parts
            ]
            return torch.cat([rows if rows.dim() > 1 else rows.unsqueeze(1) for rows in values], 1)

        def attributes(kind: str, rows: Selection) -> dict[str, Tensor]:
            return {name: _taken(self[file], rows) for name, file in manifest[kind].items()}

        adj = matrix(manifest["adj"])
        return Graphs(
            x=_taken(self["x"], nodes),
            adj=adj,
            y=self.targets(rows),
            ptr=ptr,
            has_classes=manifest["has_classes"],
            edge_attrs={name: attribute(adj, of) for name, of in manifest["edge_attrs"].items()},
            node_attrs=attributes("node_attrs", nodes),
            graph_attrs=attributes("graph_attrs", rows),
        )

    def targets(self, rows: Selection) -> Tensor:
        """Read the targets of some graphs, `[B, C]`; class numbers become one-hot."""
        y = _taken(self["y"], rows)
        if y.dim() > 1:
            return y
        number = self.manifest["classes"]
        if y.numel() and not 0 <= int(y.min()) <= int(y.max()) < number:
            raise damaged(self.folder, "y.npy holds classes that there are not")
        return F.one_hot(y.long(), number).float()


def _rows(ptr: Array, graphs: Array, neighbours: bool) -> tuple[Selection, Tensor]:
    """Return the rows of graphs in a column of nodes or edges, and how many each has `[B]`."""
    first = ptr[graphs]
    counts = torch.from_numpy(ptr[graphs + 1] - first)
    if neighbours:
        return slice(first[0], ptr[graphs[-1] + 1]) if len(graphs) else slice(0), counts
    return ranges(torch.from_numpy(first), counts).numpy(), counts


def _taken(column: Array, rows: Selection) -> Tensor:
    return torch.from_numpy(column[rows].copy() if isinstance(rows, slice) else column[rows])


@dataclass(frozen=True, eq=False)
class PackedGraphs:
    """A set of graphs on disk, or some of them; what is selected by index comes as `Graphs`.

    Only the numbers that an index asks for are read. This object and its subsets hold eight bytes
    per graph and no more. Beyond that, files are mapped, not loaded: the system keeps pages of them
    in memory as long as there is room and drops them when there is none. Such pages count in what
    a system monitor shows as resident memory (`RssFile`), not in what a process needs (`RssAnon`).

    Example::

        graphs = open_packed("million")
        for batch in graphs.batches(256, torch.Generator()):
            ...

    Attributes:
        columns: the files.
        index: `[G]`, the graphs that belong to this subset; None for all.
        prepare: what is done to every selection, such as encoding of features.
        classes: `[G]`, class numbers in place of those on disk, where they were changed.
        set_id: as in `Graphs`; where it is given, graphs are numbered by their place in this
            subset.
        device: where selections go.
    """

    columns: Columns
    index: Tensor | None = None
    prepare: Callable[[Graphs], Graphs] | None = None
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

    @cached_property
    def num_features(self) -> int:
        """Width of the node features, d."""
        return self[:0].num_features

    @cached_property
    def num_edge_features(self) -> int:
        """Width of `edge_attr`, the features of edges; zero if there are none."""
        return self[:0].num_edge_features

    @cached_property
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
    def unweighted(self) -> bool:
        """Whether all edges have the weight one."""
        return self.columns.manifest["adj"]["weight"] is None

    @property
    def symmetric(self) -> bool:
        """Whether every edge has its like in the other direction."""
        return bool(self.columns.manifest["adj"]["symmetric"])

    @property
    def sizes(self) -> Tensor:
        """Nodes of each graph `[G]`."""
        ptr = self.columns["ptr"]
        if self.index is None:
            return torch.from_numpy(np.diff(ptr))
        place = self.index.numpy()
        return torch.from_numpy(ptr[place + 1] - ptr[place])

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together, n."""
        return int(self.columns.manifest["nodes"]) if self.index is None else int(self.sizes.sum())

    @property
    def labels(self) -> Tensor:
        """The most likely class of each graph `[G]`."""
        if self.classes is not None:
            return self.classes
        y = self.columns["y"]
        found = y if self.index is None else y[self.index.numpy()]
        if found.ndim == 1:
            return torch.from_numpy(found.astype(np.int64))
        require_classes(self)
        return torch.from_numpy(found.argmax(1) if found.shape[1] else np.zeros(len(self), int))

    @property
    def y(self) -> Tensor:
        """Targets of all graphs `[G, C]`, read into memory."""
        if self.classes is not None:
            return F.one_hot(self.classes, self.num_classes).float()
        return self.columns.targets(slice(None) if self.index is None else self.index.numpy())

    @property
    def ids(self) -> Tensor:
        """The number of each graph `[G]`: its place in the whole set, or in this subset if that was
        numbered anew.
        """
        every = torch.arange(len(self))
        return every if self.set_id or self.index is None else self.index

    def fingerprint(self) -> str:
        """Return the fingerprint of the same graphs in memory."""
        digest, first, n = sha256(), next(self.parts(), self[:0]), self.num_nodes
        m = sum(part.adj.column.numel() for part in self.parts())
        shapes = {"x": (n, first.num_features), "row_ptr": (n + 1,), "column": (m,), "weight": (m,)}
        shapes |= {"y": (len(self), first.num_classes), "ptr": (len(self) + 1,)}
        for name, shape in shapes.items():  # in the order of `Graphs.fingerprint`
            digest.update(str(shape).encode())
            for piece in self._pieces(name):
                digest.update(piece.cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def _pieces(self, name: str) -> Iterator[Tensor]:
        """Yield one field of all graphs in pieces, counted through."""
        nodes = entries = 0
        for part in self.parts():
            adj, first = part.adj, 1 if nodes else 0  # of the later ones, zero was told
            yield {
                "x": part.x,
                "row_ptr": adj.row_ptr[first:] + entries,
                "column": adj.column + nodes,
                "weight": adj.weight,
                "y": part.y,
                "ptr": part.ptr[first:] + nodes,
            }[name]
            nodes, entries = nodes + part.num_nodes, entries + adj.column.numel()

    def typical_weight(self) -> float:
        """Return the mean size of the edges' weights, one where there are none."""
        if self.unweighted:
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
        before = self.prepare
        return replace(self, prepare=prepare if before is None else _Both(before, prepare))

    def to(self, device: torch.device | str) -> PackedGraphs:
        """Return the graphs so that what is selected goes to `device`."""
        return replace(self, device=device)

    def batches(
        self, batch_size: int, generator: torch.Generator | None = None
    ) -> Iterator[Graphs]:
        """Go through all graphs once; in random order if a generator is given."""
        return (self[index].floating() for index in batch_order(len(self), batch_size, generator))

    def parts(self, graphs: int = 4096) -> Iterator[Graphs]:
        """Go through all graphs in order, as they are, so many at a time."""
        for first in range(0, len(self), graphs):
            yield self[first : first + graphs]

    def __getitem__(self, index: Tensor | Sequence[int] | slice) -> Graphs:
        """Read the graphs at `index`, in that order, into memory."""
        place = self._places(index)
        whole = isinstance(index, slice) and self.index is None and index.step in (None, 1)
        own = place if self.index is None else self.index[place]
        graphs = self.columns.read(own.numpy(), whole)
        graphs = graphs.replace(ids=place if self.set_id else own, set_id=self.set_id)
        if self.classes is not None:
            y = F.one_hot(self.classes[place], self.num_classes).float()
            graphs = graphs.replace(y=y)
        graphs = graphs if self.prepare is None else self.prepare(graphs)
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
        if self.unweighted:
            del batch.edge_weight
            del batch._slice_dict["edge_weight"], batch._inc_dict["edge_weight"]
        return batch

    def _places(self, index: Tensor | Sequence[int] | slice) -> Tensor:
        """Return the places of graphs in this subset, counted from its beginning."""
        if isinstance(index, int):
            raise TypeError(f"graphs are selected by several numbers or a slice: [[{index}]].")
        if isinstance(index, slice):
            every = range(len(self))[index]
            return torch.arange(len(every)) * every.step + every.start
        given = torch.as_tensor(index, device="cpu")
        if given.dtype == torch.bool and given.shape == (len(self),):
            return given.nonzero().squeeze(1)
        if given.dim() != 1 or (given.numel() and _is_no_number(given)):
            raise TypeError(
                "graphs are selected by a list of whole numbers, a slice, or a mask of all graphs."
            )
        place = given.long()
        if place.numel() and not -len(self) <= int(place.min()) <= int(place.max()) < len(self):
            raise IndexError(f"a graph outside of 0 to {len(self) - 1} was asked for.")
        return torch.where(place < 0, place + len(self), place)


def _is_no_number(given: Tensor) -> bool:
    return given.is_floating_point() or given.is_complex() or given.dtype == torch.bool


@dataclass(frozen=True)
class _Both:
    """One change of graphs after another."""

    first: Callable[[Graphs], Graphs]
    second: Callable[[Graphs], Graphs]

    def __call__(self, graphs: Graphs) -> Graphs:
        return self.second(self.first(graphs))
