"""Graphs on disk: a set that may be larger than memory, drawn from by index.

A packed set is a folder with a file of plain numbers for every column, and `packed.json`, which
tells of which type and shape they are. The columns are those of `Graphs`, mapped into memory.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import torch
from torch import Tensor

from smixup.errors import shown
from smixup.graphs.content import fingerprint
from smixup.graphs.graphs import Graphs, batch_order
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import require_classes
from smixup.packed_folder import damaged, read_manifest

PART = 4096
"""Graphs that are read, or packed, at once."""
ATTRIBUTES = ("edge_attrs", "node_attrs", "graph_attrs")


def open_packed(folder: Path | str) -> PackedGraphs:
    """Open a packed set; nothing is read but what it is.

    Example::

        graphs = smixup.open_packed("million")
        batch = graphs[[3, 0, 7]]                       # `Graphs` in memory
        train = graphs.subset(torch.arange(900_000))    # still on disk
    """
    return PackedGraphs(PackedFiles(Path(folder).expanduser()))


class PackedFiles:
    """The columns of a packed set as they lie on disk; in another process they are opened again.

    Attributes:
        columns: every column by name, read-only.
        graphs: the same as `Graphs`; weights that are all one, and indicators, are bytes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder.absolute(), read_manifest(folder)
        try:
            self.columns = {
                name: _mapped(self.folder / f"{place}.bin", **known)
                for place, (name, known) in enumerate(self.manifest["columns"].items())
            }
            self.graphs = self._graphs()
            ptr, nodes = self.graphs.ptr, self.graphs.num_nodes
            if ptr[0] != 0 or ptr[-1] != nodes or (ptr.diff() < 0).any():
                raise ValueError("the graphs do not share out the nodes")
        except Exception as reason:
            raise damaged(folder, shown(f"{type(reason).__name__}: {reason}", 200)) from reason

    def __reduce__(self) -> tuple[type[PackedFiles], tuple[Path]]:
        return PackedFiles, (self.folder,)

    def _graphs(self) -> Graphs:
        told, columns = self.manifest, self.columns

        def attributes(kind: str) -> dict[str, Tensor]:
            paths = {path: path.partition("/") for path in columns}
            return {name: columns[path] for path, (of, _, name) in paths.items() if of == kind}

        row_ptr, n = columns["row_ptr"], len(columns["x"])
        return Graphs(
            x=columns["x"],
            adj=SparseOperator(row_ptr, columns["column"], columns["weight"], n, told["symmetric"]),
            y=columns["y"],
            ptr=columns["ptr"],
            edge_attrs=attributes("edge_attrs"),
            node_attrs=attributes("node_attrs"),
            graph_attrs=attributes("graph_attrs"),
            has_classes=told["has_classes"],
        )

    def read(self, index: Tensor) -> Graphs:
        """Read the graphs at `index [B]` into memory."""
        first = int(index[0]) if len(index) else 0
        together = torch.equal(index, torch.arange(first, first + len(index)))
        try:
            if together:  # nothing has to be gathered
                graphs = self.graphs[first : first + len(index)].apply(torch.clone)
            else:
                graphs = self.graphs[index]
            adj = graphs.adj
            if not _is_sound(adj):
                raise IndexError("edges lead out of their graphs")
        except (IndexError, RuntimeError) as reason:
            raise damaged(self.folder, shown(reason, 200)) from reason
        if adj.weight.is_floating_point():
            return graphs
        return graphs.replace(adj=replace(adj, weight=adj.weight.float()))


def _is_sound(adj: SparseOperator) -> bool:
    """Tell whether all entries have a place, so that nothing can be computed outside of memory."""
    counts, column = adj.row_ptr.diff(), adj.column
    if adj.row_ptr[-1] != len(column) or bool((counts < 0).any()):
        return False
    return not len(column) or bool(column.min() >= 0 and column.max() < adj.num_columns)


def _mapped(path: Path, dtype: str, shape: Sequence[int]) -> Tensor:
    """Return a column that stays on disk, and must not be written to."""
    kind, size = getattr(torch, dtype), path.stat().st_size
    if size != math.prod(shape) * kind.itemsize:
        raise ValueError(f"{path.name} has {size} bytes, not {shape} numbers of {dtype}")
    if size == 0:
        return torch.empty(shape, dtype=kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of memory that is read-only
        content = torch.from_numpy(np.memmap(path, np.uint8, "r"))
    return content.view(kind).view(shape)


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
        files: the columns on disk.
        index: `[G]`, the graphs that belong to this subset; None for all.
        numbers: `[G]`, by which `ids` call them; None where they keep their numbers on disk.
        set_id: as in `Graphs`.
        prepare: what is done to every selection in turn, such as encoding of features.
        device: where selections go.
    """

    files: PackedFiles
    index: Tensor | None = None
    numbers: Tensor | None = None
    set_id: str = ""
    prepare: tuple[Callable[[Graphs], Graphs], ...] = ()
    device: torch.device | str = "cpu"

    def __len__(self) -> int:
        return len(self._places)

    @property
    def _places(self) -> Tensor:
        return self.files.graphs.ids if self.index is None else self.index

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.files.folder

    @property
    def notes(self) -> dict[str, Any]:
        """What was written down beside the graphs, such as the name of a dataset."""
        return dict(self.files.manifest["notes"])

    def extra(self, name: str) -> Tensor:
        """Read numbers that were written beside the graphs."""
        return self.files.columns[f"extra/{name}"].clone()

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
        return self.files.graphs.num_classes

    @property
    def has_classes(self) -> bool:
        """Whether targets are shares of classes; otherwise they are values."""
        return self.files.graphs.has_classes

    @property
    def symmetric(self) -> bool:
        """Whether every edge has its like in the other direction."""
        return self.files.graphs.adj.symmetric

    @property
    def sizes(self) -> Tensor:
        """Nodes of each graph `[G]`."""
        return self.files.graphs.sizes[self._places]

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together, n."""
        return int(self.sizes.sum())

    @property
    def labels(self) -> Tensor:
        """The most likely class of each graph `[G]`; class 0 where there are no labels."""
        require_classes(self)
        return self.y.argmax(1) if self.num_classes else torch.zeros_like(self._places)

    @property
    def y(self) -> Tensor:
        """Targets of all graphs `[G, C]`, read into memory."""
        return self.files.graphs.y[self._places]

    @property
    def ids(self) -> Tensor:
        """The number of each graph `[G]`: its place on disk, or here if it was numbered anew."""
        return self._places if self.numbers is None else self.numbers

    @property
    def is_whole(self) -> bool:
        """Whether these are all graphs on disk, as they are there."""
        return self.index is None and not self.prepare

    def fingerprint(self) -> str:
        """Return the fingerprint of the same graphs in memory."""
        return fingerprint(self.parts)

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
        return replace(self, index=self._places[index], numbers=None, set_id="")

    def renumbered(self) -> PackedGraphs:
        """Return the graphs as a set of their own, in which they are number 0, 1, ..."""
        return replace(self, numbers=torch.arange(len(self)), set_id=uuid4().hex)

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
        index = index.cpu() if isinstance(index, Tensor) else index
        place = self._places[index]
        ids = place if self.numbers is None else self.numbers[index]
        graphs = self.files.read(place).replace(ids=ids, set_id=self.set_id)
        for prepare in self.prepare:
            graphs = prepare(graphs)
        return graphs.to(self.device)
