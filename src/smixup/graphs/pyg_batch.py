"""What a PyG batch holds, and whether it can be converted: graphs that go together, each with edges
of its own.

Whatever attributes a batch has, they come along, each in its own way. What cannot come along is
refused by name; nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData

from smixup.errors import SmixupError, shown
from smixup.graphs.codes import holds_codes, require_no_codes

OWN_FIELDS = ("x", "edge_index", "edge_weight", "y", "batch", "ptr", "num_nodes")

Kind = Literal["node", "edge", "graph", "list", "follows"]
"""Lists, such as names, have one entry per graph. What follows another attribute, as a loader with
`follow_batch=["x"]` adds `x_batch` and `x_ptr`, is made anew.
"""


def attribute_kinds(batch: Batch) -> dict[str, Kind]:
    """Tell of every further attribute what it speaks of."""
    return {name: _kind(batch, name) for name in batch.keys() if name not in OWN_FIELDS}  # noqa: SIM118


def followed(batch: Batch, name: str) -> str | None:
    """Return the attribute that a loader followed by adding this one, such as `x` for `x_batch`."""
    for ending in ("_batch", "_ptr"):
        base = name.removesuffix(ending)
        if name.endswith(ending) and base in batch:
            return base
    return None


def edge_ptr(batch: Batch) -> Tensor:
    """Return where the edges of each graph begin, `[B + 1]`, on the CPU."""
    slices = getattr(batch, "_slice_dict", {})
    if "edge_index" in slices:
        found: Tensor = slices["edge_index"]
        return found
    counts = torch.bincount(batch.batch[batch.edge_index[0]], minlength=batch.num_graphs)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)]).cpu()


def _kind(batch: Batch, name: str) -> Kind:
    value = batch[name]
    if isinstance(value, list | tuple) and len(value) == batch.num_graphs:
        return "list"
    if followed(batch, name) is not None:
        return "follows"
    moves = getattr(batch, "_inc_dict", {}).get(name)
    plain = isinstance(value, Tensor) and value.layout is torch.strided and value.dim() > 0
    if not plain or (moves is not None and torch.as_tensor(moves).any()):
        raise SmixupError(
            f"the attribute '{name}' ({type(value).__name__}) cannot be carried to new graphs: "
            f"remove it before the augmentation, for example by `del data.{name}`."
        )
    fitting = [kind for kind, fits in _fits(batch, name, value.size(0)) if fits]
    if not fitting:
        raise SmixupError(
            f"the attribute '{name}' with {value.size(0)} rows has neither one per node, nor one "
            f"per edge, nor as many for every graph: remove it, for example by `del data.{name}`."
        )
    return next((kind for kind in fitting if kind in name), fitting[0])


def _fits(batch: Batch, name: str, rows: int) -> Iterator[tuple[Kind, bool]]:
    """Yield what an attribute may speak of, by its numbers of rows, graph by graph if known."""
    slices, every = getattr(batch, "_slice_dict", {}), torch.arange(batch.num_graphs + 1)
    if name not in slices:
        yield "node", rows == batch.num_nodes
        yield "edge", rows == batch.num_edges
        yield "graph", rows == batch.num_graphs
        return
    found = slices[name]
    yield "node", torch.equal(found, batch.ptr.cpu())
    yield "edge", "edge_index" in slices and torch.equal(found, slices["edge_index"])
    yield "graph", torch.equal(found, every * found[1])


def require_mixable(batch: Batch) -> None:
    """Refuse attributes of edges that would mean nothing if they were averaged.

    An edge of a mix comes from several edges. Numbers can be averaged, and so can indicators; the
    code numbers of categories cannot: the mean of bond 1 and bond 3 is not bond 2.
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
