"""The one container of this package: many graphs as one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from uuid import uuid4

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs.ragged import offsets, row_of
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import require_classes

if TYPE_CHECKING:
    from torch_geometric.data import Batch, Data

    from smixup.graphs.codes import Encoding

AnyGraphs: TypeAlias = "Graphs | Batch | Data | Iterable[Data]"

# Which field speaks of what. Selecting, joining, moving and cutting ask here, and nowhere else.
NODE, EDGE, GRAPH = {"kind": "node"}, {"kind": "edge"}, {"kind": "graph"}

EDGE_ATTR = "edge_attr"
"""The attribute that backbones take for features of edges, by PyG's name."""
SHARE = "share of an edge's attributes"
"""The attribute that counts in averages of others where weights are not all positive."""


@dataclass(frozen=True)
class Graphs:
    """Many graphs as one: nodes concatenated, adjacency block-diagonal.

    A dataset, a split, a batch, and what an augmentation makes of a batch: all of them are
    `Graphs`. Shapes: G graphs with n nodes in all, d features, C classes.

    Example::

        graphs = from_pyg(dataset)          # or load_dataset("MOTIF").graphs
        batch = graphs[[3, 0, 7]]           # these three, in this order
        first = graphs[:10]                 # a slice; cheaper
        both = Graphs.cat([batch, first])

    Attributes:
        x: node features `[n, d]`; one-hot ones may be kept in bytes, see `floating`. `d` may be 0.
        adj: the adjacency, `[n, n]`, a weight on every edge.
        y: targets `[G, C]`, float; one-hot for originals, soft for mixes.
        ptr: `[G + 1]`, where the nodes of each graph begin.
        has_classes: whether the columns of `y` are shares of classes; otherwise they are values, as
            of regression.
        ids: `[G]`, each graph's position in the set it was taken from; of a mix, its first graph's.
        set_id: names that set where it was numbered on purpose, see `renumbered`; empty where the
            nodes are no longer those of the graph with that number.
        edge_attrs: attributes of edges by name, `[m, k]`, a row for every entry of the adjacency.
            They are weight times attribute, so that attributes are mixed as the adjacency is.
        node_attrs: further attributes of nodes by name, `[n, ...]`.
        graph_attrs: further attributes of graphs by name, `[G, ...]`.
        degree_encoding: turns degrees `[n]` into features where `x` was made from degrees, so that
            a method that changes the structure can encode its graphs by the dataset's own rule.
    """

    x: Tensor = field(metadata=NODE)
    adj: SparseOperator
    y: Tensor = field(metadata=GRAPH)
    ptr: Tensor
    ids: Tensor = field(default=None, metadata=GRAPH)  # type: ignore[assignment]
    edge_attrs: Mapping[str, Tensor] = field(default_factory=dict, metadata=EDGE)
    node_attrs: Mapping[str, Tensor] = field(default_factory=dict, metadata=NODE)
    graph_attrs: Mapping[str, Tensor] = field(default_factory=dict, metadata=GRAPH)
    degree_encoding: Callable[[Tensor], Tensor] | None = None
    set_id: str = ""
    has_classes: bool = True

    def __post_init__(self) -> None:
        if getattr(self, "ids", None) is None:  # graphs that are nobody's part
            every = torch.arange(self.y.size(0), device=self.ptr.device)
            object.__setattr__(self, "ids", every)

    def __len__(self) -> int:
        return self.y.size(0)

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together, n."""
        return self.x.size(0)

    @property
    def num_features(self) -> int:
        """Width of the node features, d."""
        return self.x.size(1)

    @property
    def num_edge_features(self) -> int:
        """Width of `edge_attr`, the features of edges by PyG's name; zero if there are none."""
        return self.edge_attrs[EDGE_ATTR].size(1) if EDGE_ATTR in self.edge_attrs else 0

    @property
    def num_classes(self) -> int:
        """Width of the targets, C."""
        return self.y.size(1)

    @property
    def labels(self) -> Tensor:
        """The most likely class of each graph `[G]`; class 0 where there are no labels."""
        require_classes(self)
        return self.y.argmax(1) if self.num_classes else torch.zeros_like(self.ids)

    @property
    def sizes(self) -> Tensor:
        """Nodes of each graph `[G]`."""
        return self.ptr.diff()

    @cached_property
    def batch(self) -> Tensor:
        """The graph of every node `[n]`."""
        return row_of(self.ptr)

    @property
    def motif(self) -> Tensor | None:
        """Ground truth of which nodes matter `[n]`, where a dataset has it."""
        return self.node_attrs.get("motif")

    @property
    def device(self) -> torch.device:
        """Where the numbers live."""
        return self.ptr.device

    def totals(self, values: Tensor, node: Tensor | None = None) -> Tensor:
        """Add up numbers of nodes `[n]` graph by graph, `[G]`.

        Args:
            values: one per node, or one per entry of `node`; rows `[n, k]` give `[G, k]`.
            node: `[m]`, the nodes to which values belong, such as the rows of edges.
        """
        graph = self.batch if node is None else self.batch[node]
        return values.new_zeros(len(self), *values.shape[1:]).index_add_(0, graph, values)

    def __getitem__(self, index: Tensor | Sequence[int] | slice) -> Graphs:
        """Return the graphs at `index`, in that order."""
        if isinstance(index, slice):
            first, end, step = index.indices(len(self))
            if step == 1:
                return self._window(first, max(first, end))
            index = range(first, end, step)
        index = torch.as_tensor(index, dtype=torch.long, device=self.device)
        adj, entries, nodes = self.adj.select_blocks(self.ptr, index)
        return self._map(
            node=lambda value: value.index_select(0, nodes),  # six times as fast as `value[nodes]`
            edge=lambda value: value.index_select(0, entries),
            graph=lambda value: value.index_select(0, index),
            adj=adj,
            ptr=offsets(self.ptr[index + 1] - self.ptr[index]),
        )

    def _window(self, first: int, end: int) -> Graphs:
        """Return neighbouring graphs; nothing has to be gathered."""
        if end - first == len(self):
            return self
        a, b = int(self.ptr[first]), int(self.ptr[end])
        adj, entries = self.adj.select_window(a, b)
        return self._map(
            node=lambda value: value[a:b],
            edge=lambda value: value[entries],
            graph=lambda value: value[first:end],
            adj=adj,
            ptr=self.ptr[first : end + 1] - a,
        )

    def subgraph(self, nodes: Tensor) -> Graphs:
        """Return the graphs with only the nodes marked in `nodes [n]`, and the edges among them."""
        return self.map_edges(lambda edges: edges.subgraph(nodes))._map(
            node=lambda value: value[nodes],
            ptr=offsets(torch.bincount(self.batch[nodes], minlength=len(self))),
            set_id="",
        )

    def edges(self, names: Iterable[str] | None = None) -> SparseOperator:
        """Return weights and attributes of edges side by side, `[m, 1 + k]`; the adjacency itself
        if there are no attributes, or `names` of none are given.
        """
        columns = [self.edge_attrs[name] for name in (self.edge_attrs if names is None else names)]
        if not columns:
            return self.adj
        weight = torch.cat([self.adj.weight.unsqueeze(1), *columns], 1)
        return replace(self.adj, weight=weight)

    def with_edges(self, edges: SparseOperator) -> Graphs:
        """Return a copy with other edges and the attributes beside them, as of `edges`."""
        if not self.edge_attrs:
            return self.replace(adj=edges)
        widths = [1, *(rows.size(1) for rows in self.edge_attrs.values())]
        weight, *columns = edges.weight.split(widths, 1)
        return self.replace(
            adj=replace(edges, weight=weight.squeeze(1).contiguous()),
            edge_attrs=dict(zip(self.edge_attrs, columns, strict=True)),
        )

    def map_edges(self, change: Callable[[SparseOperator], SparseOperator]) -> Graphs:
        """Return a copy with the adjacency and the edge attributes changed alike."""
        return self.with_edges(change(self.edges()))

    def map_nodes(self, change: Callable[[Tensor], Tensor]) -> Graphs:
        """Return a copy with the features and the node attributes changed alike."""
        return self._map(node=change)

    def with_adj(self, adj: SparseOperator) -> Graphs:
        """Return a copy with only some of the edges; of edge attributes, what belongs to them."""
        if not self.edge_attrs:
            return self.replace(adj=adj)
        kept = self.with_edges(replace(adj, weight=self.edges().values_at(adj)))
        return kept.replace(adj=adj)

    @classmethod
    def cat(cls, parts: Sequence[Graphs]) -> Graphs:
        """Put graphs one behind another.

        All parts must have the same attributes; the first one's degree encoding stays.
        """
        names = [each.name for each in fields(cls) if "kind" in each.metadata]
        joined = {name: _joined([getattr(part, name) for part in parts]) for name in names}
        sizes = torch.cat([part.sizes for part in parts])
        adj = SparseOperator.stack([part.adj for part in parts])
        return replace(parts[0], ptr=offsets(sizes), adj=adj, **joined)

    def to(self, device: torch.device | str) -> Graphs:
        """Move everything to `device`."""
        if torch.device(device) == self.device:
            return self
        return self.apply(methodcaller("to", device))

    def apply(self, change: Callable[[Tensor], Tensor]) -> Graphs:
        """Return a copy with every tensor changed alike."""
        ptr, adj = change(self.ptr), self.adj.apply(change)
        return self._map(change, change, change, ptr=ptr, adj=adj)

    def edge_features(self, name: str = EDGE_ATTR) -> tuple[SparseOperator, Tensor]:
        """Return the adjacency with one entry for every edge, and an attribute of these `[m, k]`.

        An edge of a mix has the average over the edges that it comes from, by their shares of its
        weight. An attribute's share is the size of the weight, and one where the weight is zero; an
        edge whose share is zero has attributes of zero.
        """
        merged = self.map_edges(SparseOperator.merged)
        share = merged.edge_attrs.get(SHARE, merged.adj.weight.unsqueeze(1))
        return merged.adj, merged.edge_attrs[name] / torch.where(share == 0, 1.0, share)

    def floating(self) -> Graphs:
        """Return a copy with features in single precision, to compute with."""
        return self if self.x.is_floating_point() else self.replace(x=self.x.float())

    def without_attributes(self) -> Graphs:
        """Return the graphs with features, edges and targets alone."""
        return self.replace(edge_attrs={}, node_attrs={}, graph_attrs={})

    def renumbered(self) -> Graphs:
        """Return the graphs as a set of their own, in which they are number 0, 1, ...

        Whoever keeps something by number can tell by `set_id` whether a number is meant for it.
        """
        every = torch.arange(len(self), device=self.device)
        return self.replace(ids=every, set_id=uuid4().hex)

    def batches(
        self, batch_size: int, generator: torch.Generator | None = None
    ) -> Iterator[Graphs]:
        """Go through all graphs once; in random order if a generator is given."""
        return (self[index].floating() for index in batch_order(len(self), batch_size, generator))

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        changed = replace(self, **changes)
        if "batch" in vars(self) and changed.ptr is self.ptr:
            vars(changed)["batch"] = self.batch
        return changed

    def fingerprint(self) -> str:
        """Return a text that differs between sets of graphs: features, edges, targets, order."""
        from smixup.graphs.content import fingerprint

        return fingerprint(lambda: [self])

    def _map(
        self,
        node: Callable[[Tensor], Tensor] | None = None,
        edge: Callable[[Tensor], Tensor] | None = None,
        graph: Callable[[Tensor], Tensor] | None = None,
        **changes: Any,
    ) -> Graphs:
        """Return a copy with every field changed by the function of its kind; None leaves it."""
        functions = {"node": node, "edge": edge, "graph": graph}
        for each in fields(self):
            function = functions.get(each.metadata.get("kind", ""))
            if function is not None:
                changes[each.name] = _apply(function, getattr(self, each.name))
        return replace(self, **changes)


def batch_order(
    number: int, batch_size: int, generator: torch.Generator | None
) -> Iterator[Tensor]:
    """Go through the places of each batch's graphs; in random order if a generator is given."""
    order = torch.arange(number)
    if generator is not None:
        order = torch.randperm(number, generator=generator)
    yield from order.split(batch_size)


def columns_of(graphs: Graphs, nodes: int, entries: int, first: bool) -> dict[str, Tensor]:
    """Return features, edges and targets of a part of a set, behind so many nodes and entries."""
    adj, begin = graphs.adj, int(not first)  # of later parts, where the first row begins is known
    return {
        "x": graphs.x,
        "row_ptr": adj.row_ptr[begin:] + entries,
        "column": adj.column + nodes,
        "weight": adj.weight,
        "y": graphs.y,
        "ptr": graphs.ptr[begin:] + nodes,
    }


def _apply(function: Callable[[Tensor], Tensor], value: Any) -> Any:
    """Apply a function to a tensor, or to each of several."""
    if isinstance(value, Mapping):
        return {name: function(each) for name, each in value.items()}
    return function(value)


def _joined(values: Sequence[Any]) -> Any:
    """Join one field of several parts."""
    if not isinstance(values[0], Mapping):
        return torch.cat(list(values))
    for value in values:
        if odd := value.keys() ^ values[0].keys():
            raise SmixupError(
                f"only some of the graphs have '{min(odd)}': give it to all, or to none."
            )
    return {name: torch.cat([value[name] for value in values]) for name in values[0]}


def as_graphs(graphs: AnyGraphs, encode: Encoding = None, keep_codes: bool = False) -> Graphs:
    """Return PyG graphs (a dataset, a list, a `Batch`, one `Data`, the dataset of a `DataLoader`)
    as `Graphs`; these stay.

    For `encode` and `keep_codes` see `from_pyg`.
    """
    if isinstance(graphs, Graphs):
        return graphs
    from smixup.graphs.packed import PackedGraphs

    if isinstance(graphs, PackedGraphs):
        raise SmixupError(
            "these graphs are on disk, and graphs in memory are needed here: read some of them, "
            "graphs[:5000], or all, graphs[:]."
        )
    from smixup.graphs.pyg import from_pyg  # takes a second to import

    return from_pyg(graphs, _known_classes(graphs), encode, keep_codes)


def _known_classes(dataset: Any) -> int | None:
    """Return how many classes a PyG dataset has, also if only a part of it is at hand."""
    while isinstance(inner := getattr(dataset, "dataset", None), Sized):
        dataset = inner  # of a loader, of a subset
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that targets are no integers, which is seen later
        return getattr(dataset, "num_classes", None) if isinstance(dataset, Sized) else None
