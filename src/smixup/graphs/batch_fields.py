"""What a PyG batch holds: the fields that graphs fill, and a batch that can be taken apart."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Batch

from smixup.errors import SmixupError
from smixup.graphs.attributes import attribute_kinds, followed
from smixup.graphs.edge_features import SHARE, featured_edges
from smixup.graphs.graphs import Graphs
from smixup.graphs.ragged import row_of
from smixup.graphs.targets import given_back

PLACE = "place in the batch"

Fields = dict[str, tuple[str, Any]]
"""Values by name, each with what it speaks of: node, edge, graph or list."""


def placed(graphs: Graphs) -> Graphs:
    """Return the graphs of a batch, each with its place there; what is made of them keeps it."""
    place = torch.arange(len(graphs), device=graphs.device)
    return graphs.replace(graph_attrs={**graphs.graph_attrs, PLACE: place})


def fields_of(graphs: Graphs, like: Batch | None, averaged: bool) -> tuple[Fields, Tensor]:
    """Return what a batch of these graphs holds, and where the edges of each begin, `[B + 1]`."""
    adj = graphs.adj.to_sparse()
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
    _, values = featured_edges(graphs, name)
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


def assembled(batch: Batch, fields: Fields, ptr: Tensor, edges: Tensor) -> Batch:
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
