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
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.graphs.edge_features import EDGE_ATTR
from smixup.graphs.graphs import Graphs, batch_order
from smixup.graphs.operator import Operator
from smixup.graphs.packed_columns import Columns
from smixup.graphs.packed_fingerprint import packed_fingerprint
from smixup.graphs.packed_reading import read_graphs, read_targets
from smixup.graphs.required_targets import require_classes

if TYPE_CHECKING:
    from smixup.graphs.packed_loader import PackedLoader


def open_packed(folder: Path | str) -> PackedGraphs:
    """Open a packed set; nothing is read but what it is.

    Example::

        graphs = smixup.open_packed("million")
        batch = graphs[[3, 0, 7]]                       # `Graphs` in memory
        train = graphs.subset(torch.arange(900_000))    # still on disk
    """
    return PackedGraphs(Columns(Path(folder).expanduser()))


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
        return int(self._told["graphs"]) if self.index is None else self.index.numel()

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self.columns.folder

    @property
    def notes(self) -> dict[str, Any]:
        """What was written down beside the graphs, such as the name of a dataset."""
        return dict(self._told["notes"])

    def extra(self, name: str) -> Tensor:
        """Read numbers that were written beside the graphs."""
        return torch.from_numpy(self.columns[name].copy())

    @property
    def _told(self) -> dict[str, Any]:
        return self.columns.manifest

    @cached_property
    def num_features(self) -> int:
        """Width of the node features, d."""
        return self[:0].num_features

    @cached_property
    def num_edge_features(self) -> int:
        """Width of `edge_attr`, the features of edges; zero if there are none."""
        return sum(each.width for each in self.edge_attrs.get(EDGE_ATTR, ()))

    @cached_property
    def edge_attrs(self) -> Mapping[str, tuple[Operator, ...]]:
        """The attributes of edges by name, as of no graph at all."""
        return self[:0].edge_attrs

    @property
    def num_classes(self) -> int:
        """Width of the targets, C."""
        return int(self._told["classes"])

    @property
    def has_classes(self) -> bool:
        """Whether targets are shares of classes; otherwise they are values."""
        return bool(self._told["has_classes"])

    @property
    def has_class_numbers(self) -> bool:
        """Whether each graph has one class, and not shares of several."""
        return self.columns["y"].ndim == 1

    @property
    def unweighted(self) -> bool:
        """Whether all edges have the weight one."""
        return self._told["adj"]["weight"] is None

    @property
    def symmetric(self) -> bool:
        """Whether every edge has its like in the other direction."""
        return bool(self._told["adj"]["symmetric"])

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
        return int(self._told["nodes"]) if self.index is None else int(self.sizes.sum())

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
        return read_targets(self.columns, slice(None) if self.index is None else self.index.numpy())

    @property
    def ids(self) -> Tensor:
        """The number of each graph `[G]`: its place in the whole set, or in this subset if that was
        numbered anew.
        """
        every = torch.arange(len(self))
        return every if self.set_id or self.index is None else self.index

    def fingerprint(self) -> str:
        """Return the fingerprint of the same graphs in memory."""
        return packed_fingerprint(self)

    def typical_weight(self) -> float:
        """Return the mean size of the edges' weights, one where there are none."""
        if self.unweighted:
            return 1.0
        number, total = 0, 0.0
        for part in self.parts():
            weight = part.adj.to_sparse().weight
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
        graphs = read_graphs(self.columns, own.numpy(), whole)
        graphs = graphs.replace(ids=place if self.set_id else own, set_id=self.set_id)
        if self.classes is not None:
            y = F.one_hot(self.classes[place], self.num_classes).float()
            graphs = graphs.replace(y=y)
        graphs = graphs if self.prepare is None else self.prepare(graphs)
        return graphs.to(self.device)

    def loader(
        self, batch_size: int, shuffle: bool = False, generator: torch.Generator | None = None
    ) -> PackedLoader:
        """Return a loader of PyG batches, for a loop of one's own; see `PackedLoader`."""
        from smixup.graphs.packed_loader import PackedLoader  # takes PyG

        return PackedLoader(self, batch_size, shuffle, generator)

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
