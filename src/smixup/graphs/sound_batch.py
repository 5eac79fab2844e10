"""What can be converted: a PyG batch of graphs that go together, each with edges of its own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData

from smixup.errors import SmixupError
from smixup.shown import shown


def require_batch(batch: Any) -> None:
    """Refuse what is not a batch of graphs with an `edge_index`."""
    if isinstance(batch, HeteroData):
        raise _hetero()
    if not isinstance(batch, Batch):
        dense = isinstance(batch, Data) and "adj" in batch
        raise SmixupError(
            "dense batches (`adj`, DenseDataLoader) cannot be mixed: mix a Batch of an ordinary "
            "DataLoader, then make it dense."
            if dense
            else f"a Batch of graphs is needed, not a {type(batch).__name__}: "
            "use a DataLoader, or Batch.from_data_list([...])."
        )
    if batch.edge_index is None:
        elsewhere = [name for name in batch.keys() if "adj" in name or "edge_index" in name]  # noqa: SIM118
        raise SmixupError(
            f"edges are looked for in edge_index, and these are in '{elsewhere[0]}': augment "
            "first, then transform what comes out (T.ToSparseTensor, T.ToDense, ...)."
            if elsewhere
            else "the graphs have no edge_index: a graph without edges needs an empty one, "
            "torch.empty(2, 0, dtype=torch.long)."
        )


def sound_batch(graphs: list[Any]) -> Batch:
    """Return a list of `Data` as one batch; refuse graphs that cannot be joined or read."""
    if any(isinstance(data, HeteroData) for data in graphs):
        raise _hetero()
    if not graphs or not all(isinstance(data, Data) for data in graphs):
        raise SmixupError("a list of torch_geometric.data.Data is needed, with one graph at least.")
    _require_all_targets(graphs)
    return _one_batch(graphs)


def _one_batch(graphs: list[Data]) -> Batch:
    """Return graphs as one batch; refuse those that do not go together, or whose edges lead out of
    them, which would join one graph with the next.
    """
    every = set(graphs[0].keys())
    for place, data in enumerate(graphs):
        if odd := every.symmetric_difference(data.keys()):  # PyG would drop what the first lacks
            raise SmixupError(
                f"only one of graph 0 and graph {place} has '{shown(min(odd))}': give it to all, "
                "or to none."
            )
    try:
        batch = Batch.from_data_list(graphs)
    except (RuntimeError, LookupError, AttributeError, TypeError, ValueError) as reason:
        raise SmixupError(
            "the graphs cannot be joined, as all need the same attributes, of shapes that fit: "
            f"{shown(reason, 200)}."
        ) from reason
    nodes = int(batch.ptr[-1])
    if isinstance(batch.x, Tensor) and batch.x.size(0) != nodes:
        raise SmixupError(
            f"x has {batch.x.size(0)} rows for {nodes} nodes: give every node a row, or "
            "leave num_nodes out."
        )
    if isinstance(batch.edge_index, Tensor):
        _require_own_nodes(batch, graphs)
    return batch


def _require_own_nodes(batch: Batch, graphs: list[Data]) -> None:
    edges = batch.edge_index.as_subclass(Tensor)
    if edges.dim() != 2 or edges.size(0) != 2 or edges.is_floating_point() or edges.is_complex():
        raise SmixupError(
            f"edge_index must be whole numbers of the shape [2, m], not {edges.dtype} of the shape "
            f"{list(edges.shape)}."
        )
    counts = torch.tensor([data.edge_index.size(1) for data in graphs], device=edges.device)
    first, end = (each.repeat_interleave(counts) for each in (batch.ptr[:-1], batch.ptr[1:]))
    if len(odd := ((edges < first) | (edges >= end)).any(0).nonzero()):
        graph = int((counts.cumsum(0) <= odd[0]).sum())
        raise SmixupError(
            f"graph {graph} has {graphs[graph].num_nodes} nodes and an edge at another: number its "
            "nodes from 0, or tell their number by num_nodes."
        )


def _require_all_targets(graphs: list[Data]) -> None:
    """Refuse graphs of which only some have a target."""
    without = [place for place, data in enumerate(graphs) if data.y is None]
    if 0 < len(without) < len(graphs):
        raise SmixupError(
            f"graph {without[0]} has no y, and others have: leave it out, or make its y NaN if it "
            "is not known."
        )


def _hetero() -> SmixupError:
    return SmixupError(
        "graphs with several kinds of nodes or edges (HeteroData) cannot be mixed: use "
        "data.to_homogeneous() if their features allow it."
    )
