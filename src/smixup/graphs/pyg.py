"""To and from PyTorch Geometric's `Data` and `Batch`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError, shown
from smixup.graphs.codes import Codes, Encoding, features, learn_codes
from smixup.graphs.graphs import SHARE, Graphs
from smixup.graphs.pyg_batch import (
    attribute_kinds,
    edge_ptr,
    followed,
    require_batch,
    sound_batch,
)
from smixup.graphs.ragged import row_of
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import are_class_numbers, given_back, read_targets, warn_of_counts
from smixup.precision import single_precision

PLACE = "place in the batch"

Fields = dict[str, tuple[str, Any]]
"""Values by name, each with what it speaks of: node, edge, graph or list."""


def from_pyg(
    dataset: Iterable[Data],
    num_classes: int | None = None,
    encode: Encoding = None,
    keep_codes: bool = False,
) -> Graphs:
    """Convert a PyG dataset, a list of `Data`, or the dataset behind a `DataLoader`.

    Args:
        dataset: one graph at least.
        num_classes: how wide integer labels become; as many as there are labels if not given.
        encode: how to read `x` and `edge_attr` that are codes of categories, see
            `graphs/codes.py`; without it, codes in `x` are refused.
        keep_codes: leave integer `x` as it is, for those who compute nothing with it.
    """
    source: Any = dataset.dataset if isinstance(dataset, DataLoader) else dataset
    found = [source] if isinstance(source, Data) else list(source)
    batch = sound_batch(found)
    graphs = from_pyg_batch(batch, num_classes, encode, keep_codes)
    graphs = graphs.replace(adj=graphs.adj.with_symmetry())
    if batch.y is not None and are_class_numbers(batch.y, len(graphs)):
        warn_of_counts(batch.y)
    return graphs


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
    n, device = batch.num_nodes, batch.ptr.device
    x = torch.zeros(n, 0, device=device) if batch.x is None else features(batch, keep_codes)
    kinds = attribute_kinds(batch)
    targets = read_targets(batch, num_classes, has_classes)
    attributes = {name: batch[name] for name, kind in kinds.items() if kind == "edge"}
    (source, target), weight = _edges(batch)
    row_ptr = source.new_zeros(n + 1)
    graphs = Graphs(
        x=x,
        adj=SparseOperator(row_ptr, source, weight, n),
        y=targets.y,
        has_classes=targets.has_classes,
        ptr=batch.ptr,
        edge_attrs=_edge_attributes(attributes, weight),
        node_attrs={name: batch[name] for name, kind in kinds.items() if kind == "node"},
        graph_attrs={
            name: batch[name].view(batch.num_graphs, -1, *batch[name].shape[1:])
            for name, kind in kinds.items()
            if kind == "graph"
        },
    )
    columns = graphs.edges().weight
    return graphs.with_edges(SparseOperator.from_entries(target, source, columns, (n, n)))


def _edges(batch: Batch) -> tuple[Tensor, Tensor]:
    """Return `edge_index` and the weights of its edges `[m]`, ones if there are none."""
    edges = batch.edge_index.as_subclass(Tensor).long()
    if batch.edge_weight is None:
        return edges, torch.ones(edges.size(1), device=edges.device)
    weight = batch.edge_weight
    if weight.numel() != edges.size(1):
        raise SmixupError(
            f"edge_weight has the shape {list(weight.shape)} where one number per edge is needed, "
            f"[{edges.size(1)}]: call it edge_attr if it is more than a weight."
        )
    return edges, weight.reshape(-1).float()


def _edge_attributes(attributes: Mapping[str, Tensor], weight: Tensor) -> dict[str, Tensor]:
    """Return weight times attribute, `[m, k]` each.

    An attribute's share in the average is the size of the weight. Where weights are not all
    positive, it is kept beside them.
    """
    share = torch.where(weight == 0, 1.0, weight.abs()).unsqueeze(1)
    rows = {name: share * _columns(name, value) for name, value in attributes.items()}
    return rows | {SHARE: share} if rows and bool((weight <= 0).any()) else rows


def _columns(name: str, attribute: Tensor) -> Tensor:
    """Return an attribute of edges `[m]` or `[m, ...]` as columns `[m, k]`, in single precision;
    refuse numbers that would be others there.
    """
    if attribute.is_complex():
        raise SmixupError(
            f"the edge attribute '{shown(name)}' is complex, where real numbers are needed: give "
            "it two columns, torch.view_as_real(...)."
        )
    columns = attribute.flatten(1) if attribute.dim() > 1 else attribute.unsqueeze(1)
    single = columns.float()
    if columns.dtype == torch.float64 and bool((single.isinf() & columns.isfinite()).any()):
        raise SmixupError(
            f"the edge attribute '{shown(name)}' holds numbers that are not finite in single "
            "precision: scale it, or remove it."
        )
    return single


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
    out = Batch() if like is None else copy.copy(like)
    return _assembled(out, fields, graphs.ptr, edges)


def soft(batch: Batch, graphs: Graphs) -> Batch:
    """Return a batch with soft targets and an `edge_weight`, as if it had been mixed."""
    if batch.y is None or not are_class_numbers(batch.y, batch.num_graphs):
        return batch
    out = copy.copy(batch)
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
    joined = {
        name: (kind, _joined(kind, name, _before(batch, originals, name, value), value, batch))
        for name, (kind, value) in fields.items()
    }
    ptr = torch.cat([batch.ptr, new.ptr[1:] + batch.num_nodes])
    edges = torch.cat([edge_ptr(batch), edges[1:] + batch.num_edges])
    return _assembled(copy.copy(batch), joined, ptr, edges)


def _before(batch: Batch, originals: Graphs, name: str, new: Any) -> Any:
    """Return a field of the originals, to which that of new graphs is to be joined."""
    if name == "edge_weight" and batch.edge_weight is None:
        return new.new_ones(batch.num_edges)
    if name == "y" and are_class_numbers(batch.y, batch.num_graphs):
        return given_back(originals.y, batch.y, batch.num_graphs)
    return batch[name]


def _joined(kind: str, name: str, before: Any, new: Any, batch: Batch) -> Any:
    if kind == "list":
        return [*before, *new]
    if name == "edge_index":
        before = before.as_subclass(Tensor)
        return torch.cat([before, (new + batch.num_nodes).to(before.dtype)], dim=1)
    return torch.cat([before, new])  # indicators become numbers where they were mixed


def placed(graphs: Graphs) -> Graphs:
    """Return the graphs of a batch, each with its place there; what is made of them keeps it."""
    place = torch.arange(len(graphs), device=graphs.device)
    return graphs.replace(graph_attrs={**graphs.graph_attrs, PLACE: place})


def _fields(graphs: Graphs, like: Batch | None, averaged: bool) -> tuple[Fields, Tensor]:
    """Return what a batch of these graphs holds, and where the edges of each begin, `[B + 1]`."""
    adj = graphs.adj
    adj = adj.merged() if graphs.edge_attrs else adj  # an edge has attributes once
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
    fields |= {
        name: ("edge", _edge_attribute(name, graphs, like, averaged))
        for name in graphs.edge_attrs
        if name != SHARE
    }
    fields |= {
        name: ("graph", value.flatten(0, 1) if value.dim() > 1 else value)
        for name, value in graphs.graph_attrs.items()
        if name != PLACE
    }
    return fields | _lists(graphs, like), adj.row_ptr[graphs.ptr].cpu()


def weights_like(weight: Tensor, like: Batch | None) -> Tensor:
    """Return weights of edges in the type that a model of this batch computes in."""
    if like is None:
        return weight
    if like.edge_weight is not None:
        return _restored(weight, like.edge_weight)
    floats = like.x is not None and like.x.is_floating_point()
    return weight.to(like.x.dtype) if floats else weight


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


def _lists(graphs: Graphs, like: Batch | None) -> Fields:
    if like is None:
        return {}
    names = [name for name, kind in attribute_kinds(like).items() if kind == "list"]
    places = graphs.graph_attrs[PLACE].tolist() if names else []
    return {name: ("list", [like[name][place] for place in places]) for name in names}


def _assembled(batch: Batch, fields: Fields, ptr: Tensor, edges: Tensor) -> Batch:
    """Fill a batch that knows where each graph begins in every field, so that it can be taken
    apart.
    """
    count, sizes = len(ptr) - 1, ptr.diff()
    every, nothing = torch.arange(count + 1), torch.zeros(count, dtype=torch.long)
    ptrs = {"node": ptr.cpu(), "edge": edges}
    for name, (_, value) in fields.items():
        batch[name] = value
    batch.batch, batch.ptr, batch._num_graphs = row_of(ptr), ptr, count
    batch._slice_dict = {
        name: ptrs[kind] if kind in ptrs else every * (len(value) // max(count, 1))
        for name, (kind, value) in fields.items()
    }
    batch._inc_dict = dict.fromkeys(fields, nothing)
    batch._inc_dict["edge_index"] = ptr[:-1].cpu()
    if "x" not in fields or "_num_nodes" in batch._store.__dict__:
        batch.num_nodes, batch._num_nodes = int(ptr[-1]), sizes.tolist()
    for name in [each for each in batch.keys() if each not in fields]:  # noqa: SIM118
        _follow(batch, name)
    return batch


def _follow(batch: Batch, name: str) -> None:
    """Make anew what follows another attribute: the graph of each of its rows, or where it
    begins.
    """
    base = followed(batch, name)
    if base is not None and base in batch._slice_dict:
        begins = batch._slice_dict[base].to(batch.ptr.device)
        batch[name] = begins if name.endswith("_ptr") else row_of(begins)
