"""New graphs behind those of a PyG batch, which stay as they were handed in."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Batch

from smixup.graphs.attributes import edge_ptr
from smixup.graphs.batch_fields import assembled, fields_of, weights_like
from smixup.graphs.graphs import Graphs
from smixup.graphs.targets import are_class_numbers, given_back


def soft(batch: Batch, graphs: Graphs) -> Batch:
    """Return a batch with soft targets and an `edge_weight`, as if it had been mixed."""
    if batch.y is None or not are_class_numbers(batch.y, batch.num_graphs):
        return batch
    out = copy.copy(batch)
    out.y = given_back(graphs.y, batch.y, batch.num_graphs)
    if batch.edge_weight is None:
        out.edge_weight = weights_like(
            graphs.adj.to_sparse().weight.new_ones(batch.num_edges), batch
        )
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
    fields, edges = fields_of(new, batch, averaged)
    joined = {
        name: (kind, _joined(kind, name, _before(batch, originals, name, value), value, batch))
        for name, (kind, value) in fields.items()
    }
    ptr = torch.cat([batch.ptr, new.ptr[1:] + batch.num_nodes])
    edges = torch.cat([edge_ptr(batch), edges[1:] + batch.num_edges])
    return assembled(copy.copy(batch), joined, ptr, edges)


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
