"""To and from PyTorch Geometric's `Data` and `Batch`: attributes come along, each in its own way,
and what cannot come along is refused by name.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor
from torch.utils.data import DataLoader
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.data.separate import separate

from smixup.errors import SmixupError, shown
from smixup.graphs.codes import (
    Codes,
    Encoding,
    as_columns,
    features,
    holds_codes,
    is_integer,
    learn_codes,
    require_no_codes,
)
from smixup.graphs.graphs import SHARE, Graphs
from smixup.graphs.ragged import offsets, row_of
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import are_class_numbers, given_back, read_targets, warn_of_counts
from smixup.precision import single_precision

OWN_FIELDS = ("x", "edge_index", "edge_weight", "y", "batch", "ptr", "num_nodes")
PLACE = "place in the batch"

Kind = Literal["node", "edge", "graph", "list"]
"""Lists, such as names, have one entry per graph."""
Fields = dict[str, tuple[str, Any]]
"""Values by name, each with what it speaks of: node, edge, graph or list."""


class MixedBatch(Batch):
    """A batch that was not made of a list, and can be taken apart all the same."""

    def get_example(self, idx: int) -> Data:
        kind = type(self).__bases__[-1]
        data = separate(kind, self, idx, self._begins, decrement=False)
        data.edge_index = data.edge_index - self.ptr[idx]
        if "num_nodes" in self:
            data.num_nodes = int(self.ptr[idx + 1] - self.ptr[idx])
        return data


def from_pyg(
    dataset: Iterable[Data],
    num_classes: int | None = None,
    encode: Encoding = None,
    keep_codes: bool = False,
) -> Graphs:
    """Convert a PyG dataset, a list of `Data`, a `Batch`, or the dataset behind a `DataLoader`.

    Args:
        dataset: one graph at least.
        num_classes: how wide integer labels become; as many as there are labels if not given.
        encode: how to read `x` and `edge_attr` that are codes of categories, see
            `graphs/codes.py`; without it, codes in `x` are refused.
        keep_codes: leave integer `x` as it is, for those who compute nothing with it.
    """
    source: Any = dataset.dataset if isinstance(dataset, DataLoader) else dataset
    if not isinstance(source, Batch):
        source = sound_batch([source] if isinstance(source, Data) else list(source))
    graphs = from_pyg_batch(source, num_classes, encode, keep_codes)
    if source.y is not None and are_class_numbers(source.y, len(graphs)):
        warn_of_counts(source.y)
    return graphs.replace(adj=graphs.adj.with_symmetry())


@single_precision()
def from_pyg_batch(
    batch: Batch,
    num_classes: int | None = None,
    encode: Encoding = None,
    keep_codes: bool = False,
    has_classes: bool | None = None,
) -> Graphs:
    """Convert a PyG `Batch`, see `from_pyg`.

    A missing `x` becomes a feature matrix of width zero, a missing `edge_weight` ones, targets what
    `graphs/targets.py` says. Parallel edges become one edge: their weights add up, their attributes
    are averaged by weight. Whether targets are classes is seen from them, unless `has_classes`
    tells.
    """
    require_batch(batch)
    codes = encode if isinstance(encode, Codes) else learn_codes(encode, batch)
    batch = batch if codes is None else codes.encode(batch)
    n, device, kinds = batch.num_nodes, batch.ptr.device, attribute_kinds(batch)
    named = {
        kind: {name: batch[name] for name in kinds if kinds[name] == kind}
        for kind in ("node", "edge", "graph")
    }
    y, has_classes = read_targets(batch, num_classes, has_classes)
    (source, target), weight = _edges(batch)
    graphs = Graphs(
        x=torch.zeros(n, 0, device=device) if batch.x is None else features(batch, keep_codes),
        adj=SparseOperator(batch.ptr.new_zeros(n + 1), source, weight, n),
        y=y,
        has_classes=has_classes,
        ptr=batch.ptr,
        edge_attrs=_edge_attributes(named["edge"], weight),
        node_attrs=named["node"],
        graph_attrs={
            name: value.view(batch.num_graphs, -1, *value.shape[1:])
            for name, value in named["graph"].items()
        },
    )
    columns, vars(graphs)["batch"] = graphs.edges().weight, batch.batch
    return graphs.with_edges(SparseOperator.from_entries(target, source, columns, (n, n)))


def _edges(batch: Batch) -> tuple[Tensor, Tensor]:
    """Return `edge_index` and the weights of its edges `[m]`, ones if there are none."""
    edges, weight = batch.edge_index.as_subclass(Tensor).long(), batch.edge_weight
    if weight is None:
        return edges, torch.ones(edges.size(1), device=edges.device)
    if weight.numel() != edges.size(1):
        raise SmixupError(
            f"edge_weight has the shape {list(weight.shape)} where one number per edge is needed, "
            f"[{edges.size(1)}]: call it edge_attr if it is more than a weight."
        )
    return edges, weight.reshape(-1).float()


def _edge_attributes(attributes: Mapping[str, Tensor], weight: Tensor) -> dict[str, Tensor]:
    """Return attributes times the size of the weight, and that where it is not the weight."""
    share = torch.where(weight == 0, 1.0, weight.abs()).unsqueeze(1)
    rows = {name: share * as_columns(value.float()) for name, value in attributes.items()}
    return rows | {SHARE: share} if rows and bool((weight <= 0).any()) else rows


def to_pyg(graphs: Graphs, like: Batch | None = None, averaged: bool = False) -> Batch:
    """Convert to an ordinary `Batch` with `edge_weight` and soft `y`, which can be un-batched.

    An edge's attributes are averages over the edges it was mixed from, by share of its weight.

    Args:
        graphs: what to convert.
        like: the batch that the graphs were made of, as `placed`: everything takes the type and
            shape that it had there.
        averaged: whether attributes of edges are averages; otherwise those that were integers are
            integers again.
    """
    fields, edges = _fields(graphs, like, averaged)
    return _assembled(like, fields, graphs.ptr, edges)


def soft(batch: Batch, graphs: Graphs) -> Batch:
    """Return a batch with soft targets and an `edge_weight`, as if it had been mixed."""
    out = copy.copy(batch)
    if batch.y is not None and are_class_numbers(batch.y, batch.num_graphs):
        out.y = given_back(graphs.y, batch.y, batch.num_graphs)
    if batch.edge_weight is None:
        out.edge_weight = weights_like(graphs.adj.weight.new_ones(batch.num_edges), batch)
    return out


def append(batch: Batch, originals: Graphs, new: Graphs, averaged: bool) -> Batch:
    """Return a batch with new graphs behind its own, which stay as they are, edge by edge.

    Targets alone are given anew, where class numbers become shares of classes.

    Args:
        batch: what the new graphs were made of.
        originals: the same graphs.
        new: as `placed` in that batch.
        averaged: whether attributes of their edges are averages, see `to_pyg`.
    """
    fields, edges = _fields(new, batch, averaged)
    before = soft(batch, originals)
    for name, (kind, value) in fields.items():
        own = before[name]
        joined: Any
        if kind == "list":
            joined = [*own, *value]
        elif name == "edge_index":
            own = own.as_subclass(Tensor)
            joined = torch.cat([own, (value + batch.num_nodes).to(own.dtype)], 1)
        else:
            joined = torch.cat([own, value])  # indicators become numbers where they were mixed
        fields[name] = kind, joined
    ptr = torch.cat([batch.ptr, new.ptr[1:] + batch.num_nodes])
    edges = torch.cat([edge_ptr(batch), edges[1:] + batch.num_edges])
    return _assembled(batch, fields, ptr, edges)


def placed(graphs: Graphs) -> Graphs:
    """Return the graphs of a batch, each with its place there; what is made of them keeps it."""
    place = torch.arange(len(graphs), device=graphs.device)
    return graphs.replace(graph_attrs={**graphs.graph_attrs, PLACE: place})


def _fields(graphs: Graphs, like: Batch | None, averaged: bool) -> tuple[Fields, Tensor]:
    """Return what a batch of these graphs holds, and where the edges of each begin, `[B + 1]`."""
    adj = graphs.adj.merged() if graphs.edge_attrs else graphs.adj  # an edge has attributes once
    edge_index, weight = adj.edges()
    fields: Fields = {
        "edge_index": ("edge", edge_index),
        "edge_weight": ("edge", weights_like(weight, like)),
    }
    if like is None or like.y is not None:
        y = graphs.y if like is None else given_back(graphs.y, like.y, like.num_graphs)
        fields["y"] = "graph", y
    if graphs.num_features:
        fields["x"] = "node", graphs.x if like is None else _restored(graphs.x, like.x)
    fields |= {name: ("node", value) for name, value in graphs.node_attrs.items()}
    for name in graphs.edge_attrs:
        if name != SHARE:
            fields[name] = "edge", _edge_attribute(name, graphs, like, averaged)
    for name, value in graphs.graph_attrs.items():
        if name != PLACE:
            fields[name] = "graph", value.flatten(0, 1) if value.dim() > 1 else value
    if like is not None and (names := [n for n, k in attribute_kinds(like).items() if k == "list"]):
        places = graphs.graph_attrs[PLACE].tolist()
        fields |= {name: ("list", [like[name][place] for place in places]) for name in names}
    return fields, adj.row_ptr[graphs.ptr].cpu()


def weights_like(weight: Tensor, like: Batch | None) -> Tensor:
    """Return weights of edges in the type that a model of this batch computes in."""
    if like is not None and like.edge_weight is not None:
        return _restored(weight, like.edge_weight)
    if like is None or like.x is None or not like.x.is_floating_point():
        return weight
    return weight.to(like.x.dtype)


def _restored(values: Tensor, before: Tensor) -> Tensor:
    """Return numbers with type and shape that they had before; shares stay floats."""
    values = values.reshape(len(values), *before.shape[1:])
    shares = values.is_floating_point() and not before.is_floating_point()
    return values if shares else values.to(before.dtype)


def _edge_attribute(name: str, graphs: Graphs, like: Batch | None, averaged: bool) -> Tensor:
    _, values = graphs.edge_features(name)
    if like is None:
        return values
    before, whole = like[name], values.round()
    if averaged or before.is_floating_point():
        return _restored(values, before)
    if not torch.allclose(values, whole, rtol=0, atol=1e-4):
        raise SmixupError(
            f"parallel edges become one, but theirs differ in '{name}', which holds integers: keep "
            "one of them, for example by torch_geometric.utils.coalesce, or make it float."
        )
    return _restored(whole.to(before.dtype), before)


@cache
def _empty(kind: type[Data]) -> Batch:
    return MixedBatch(_base_cls=kind)  # which looks into the signature of the class every time


def _assembled(like: Batch | None, fields: Fields, ptr: Tensor, edges: Tensor) -> Batch:
    """Return a batch that knows where each graph begins in every field."""
    kind = Data if like is None else type(like).__bases__[-1]
    batch, count = copy.copy(_empty(kind)), len(ptr) - 1
    begins, every = {"node": ptr.cpu(), "edge": edges}, torch.arange(count + 1)
    batch._begins = {
        name: begins[kind] if kind in begins else every * (len(value) // max(count, 1))
        for name, (kind, value) in fields.items()
    }
    for name, (_, value) in fields.items():
        batch[name] = value
    batch.batch, batch.ptr = row_of(ptr), ptr
    if "x" not in fields or (like is not None and "num_nodes" in like):
        batch.num_nodes = int(ptr[-1])
    return batch


def attribute_kinds(batch: Batch) -> dict[str, Kind]:
    """Tell of every further attribute what it speaks of."""
    return {name: _kind(batch, name) for name in batch.keys() if name not in OWN_FIELDS}  # noqa: SIM118


def _kind(batch: Batch, name: str) -> Kind:
    value, own, graphs = batch[name], _begins(batch).get(name), batch.num_graphs
    if isinstance(value, list | tuple) and len(value) == graphs:
        return "list"
    plain = isinstance(value, Tensor) and value.layout is torch.strided and value.dim() > 0
    moves = getattr(batch, "_inc_dict", {}).get(name) if plain else None
    counts_nodes = moves is not None and bool(torch.as_tensor(moves).any())
    if not plain or counts_nodes or name.endswith(("_batch", "_ptr")):  # as of follow_batch
        raise SmixupError(
            f"the attribute '{name}' ({type(value).__name__}) cannot be carried to new graphs: "
            f"remove it before the augmentation, for example by `del data.{name}`."
        )
    rows = value.size(0)
    if own is None:
        fits = {"node": rows == batch.num_nodes, "edge": rows == batch.num_edges}
        fits["graph"] = rows == graphs
    else:
        every = torch.arange(graphs + 1) * own[1]
        ends = {"node": batch.ptr.cpu(), "edge": edge_ptr(batch), "graph": every}
        fits = {kind: torch.equal(own, ptr) for kind, ptr in ends.items()}
    fitting: list[Any] = [kind for kind, fit in fits.items() if fit]
    if not fitting:
        raise SmixupError(
            f"the attribute '{name}' with {rows} rows has neither one per node, nor one per edge, "
            f"nor as many for every graph: remove it, for example by `del data.{name}`."
        )
    return next((kind for kind in fitting if kind in name), fitting[0])


def _begins(batch: Batch) -> Mapping[str, Tensor]:
    """Return where each graph begins in every field of which this is known."""
    name = "_begins" if isinstance(batch, MixedBatch) else "_slice_dict"
    begins: Mapping[str, Tensor] = getattr(batch, name, {})
    return begins


def edge_ptr(batch: Batch) -> Tensor:
    """Return where the edges of each graph begin, `[B + 1]`, on the CPU."""
    begins = _begins(batch)
    if "edge_index" in begins:
        return begins["edge_index"]
    source = batch.batch[batch.edge_index[0]]
    return offsets(torch.bincount(source, minlength=batch.num_graphs)).cpu()


def require_mixable(batch: Batch) -> None:
    """Refuse attributes of edges that would mean nothing if they were averaged: the mean of the
    codes of bond 1 and bond 3 is not bond 2.
    """
    for name, kind in attribute_kinds(batch).items():
        if kind == "edge" and holds_codes(batch[name]):
            require_no_codes(batch, "edge_attr")
            raise SmixupError(
                f"the edge attribute '{name}' holds whole numbers, which a mix would average: make "
                "it float if they are quantities, one-hot if they are categories."
            )


def require_batch(batch: Any) -> None:
    """Refuse what is not a batch of graphs with an `edge_index`."""
    _require_one_kind(batch)
    if not isinstance(batch, Batch):
        raise SmixupError(
            f"a Batch of graphs is needed, not a {type(batch).__name__}: use a DataLoader, or "
            "Batch.from_data_list([...])."
        )
    if batch.edge_index is None:
        raise SmixupError(
            "the graphs have no edge_index: augment before T.ToSparseTensor or T.ToDense; a graph "
            "without edges needs an empty one, torch.empty(2, 0, dtype=torch.long)."
        )


def _require_one_kind(data: Any) -> None:
    if isinstance(data, HeteroData):
        raise SmixupError(
            "graphs with several kinds of nodes or edges (HeteroData) cannot be mixed: use "
            "data.to_homogeneous() if their features allow it."
        )


def sound_batch(graphs: list[Any]) -> Batch:
    """Return a list of `Data` as one batch; refuse graphs that do not go together, or whose edges
    lead out of them, which would join one graph with the next.
    """
    for data in graphs:
        _require_one_kind(data)
    if not graphs or not all(isinstance(data, Data) for data in graphs):
        raise SmixupError("a list of torch_geometric.data.Data is needed, with one graph at least.")
    every = set(graphs[0].keys())
    for place, data in enumerate(graphs):
        if odd := every.symmetric_difference(data.keys()):  # PyG would drop what the first lacks
            name = min(odd)
            raise SmixupError(
                f"graph {place if name in every else 0} has no {shown(name)}, and others have: "
                "leave it out, or give it to all."
            )
    try:
        batch = Batch.from_data_list(graphs)
    except (RuntimeError, LookupError, AttributeError, TypeError, ValueError) as reason:
        raise SmixupError(
            "the graphs cannot be joined, as all need the same attributes, of shapes that fit: "
            f"{shown(reason, 200)}."
        ) from reason
    if isinstance(batch.edge_index, Tensor):
        _require_own_nodes(batch)
    return batch


def _require_own_nodes(batch: Batch) -> None:
    edges = batch.edge_index.as_subclass(Tensor)
    if edges.size(0) != 2 or not is_integer(edges):
        raise SmixupError(
            f"edge_index must be whole numbers of the shape [2, m], not {edges.dtype} of the shape "
            f"{list(edges.shape)}."
        )
    owner = row_of(edge_ptr(batch)).to(edges.device)
    outside = (edges < batch.ptr[owner]) | (edges >= batch.ptr[owner + 1])
    if len(odd := outside.any(0).nonzero()):
        graph = int(owner[odd[0]])
        raise SmixupError(
            f"graph {graph} has {batch.ptr.diff()[graph]} nodes and an edge at another: number its "
            "nodes from 0, or tell their number by num_nodes."
        )
