"""To and from PyTorch Geometric's `Data` and `Batch`.

Whatever attributes a batch has, they come along: those of nodes, edges and graphs each in their own
way. What cannot come along is refused by name; nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs.graphs import Graphs
from smixup.graphs.operator import Operator
from smixup.graphs.sparse import SparseOperator
from smixup.precision import single_precision

OWN_FIELDS = ("x", "edge_index", "edge_weight", "y", "batch", "ptr", "num_nodes")


def from_pyg(dataset: Iterable[Data], num_classes: int | None = None) -> Graphs:
    """Convert a PyG dataset or a list of `Data`."""
    found = [dataset] if isinstance(dataset, Data) else list(dataset)
    if not found or not all(isinstance(data, Data) for data in found):
        raise SmixupError("a list of torch_geometric.data.Data is needed, with one graph at least.")
    return from_pyg_batch(Batch.from_data_list(found), num_classes)


@single_precision()
def from_pyg_batch(batch: Batch, num_classes: int | None = None) -> Graphs:
    """Convert a PyG `Batch`.

    A missing `x` becomes a feature matrix of width zero, a missing `edge_weight` ones, integer
    labels one-hot rows, a missing `y` targets of width zero. Parallel edges become one edge: their
    weights add up, their attributes are averaged by weight.
    """
    if not isinstance(batch, Batch):
        raise SmixupError(
            f"a Batch of graphs is needed, not a {type(batch).__name__}: "
            "use a DataLoader, or Batch.from_data_list([...])."
        )
    n, device = batch.num_nodes, batch.ptr.device
    x = torch.zeros(n, 0, device=device) if batch.x is None else batch.x.float()
    edges, weight = _edges(batch)
    kinds = attribute_kinds(batch)
    return Graphs(
        x=x.unsqueeze(1) if x.dim() == 1 else x,
        adj=SparseOperator.from_edges(edges, weight, n),
        y=targets(batch.y, batch.num_graphs, num_classes).to(device),
        ptr=batch.ptr,
        edge_attrs={
            name: tuple(
                SparseOperator.from_edges(edges, weight * column, n)
                for column in _columns(batch[name])
            )
            for name, kind in kinds.items()
            if kind == "edge"
        },
        node_attrs={name: batch[name] for name, kind in kinds.items() if kind == "node"},
        graph_attrs={
            name: batch[name].view(batch.num_graphs, -1, *batch[name].shape[1:])
            for name, kind in kinds.items()
            if kind == "graph"
        },
    )


def _edges(batch: Batch) -> tuple[Tensor, Tensor]:
    """Return `edge_index` and the weights of its edges, ones if there are none."""
    edges = batch.edge_index
    if edges is None:
        edges = torch.zeros(2, 0, dtype=torch.long, device=batch.ptr.device)
    if batch.edge_weight is None:
        return edges, torch.ones(edges.size(1), device=edges.device)
    return edges, batch.edge_weight.float()


def targets(y: Tensor | None, num_graphs: int, num_classes: int | None = None) -> Tensor:
    """Return labels as float targets `[B, C]`: integers one-hot, soft rows as they are.

    Graphs without labels have targets of width zero; who needs labels asks for them.
    """
    if y is None:
        return torch.zeros(num_graphs, 0)
    if y.numel() == num_graphs and not y.is_floating_point():
        labels = y.reshape(-1).long()
        width = num_classes or int(labels.max()) + 1
        low, high = int(labels.min()), int(labels.max())
        if low < 0 or high >= width:
            raise SmixupError(f"labels must lie in 0..{width - 1}, found {low}..{high}")
        return F.one_hot(labels, width).float()
    if y.numel() % num_graphs:
        raise SmixupError(f"{y.numel()} target values do not divide among {num_graphs} graphs")
    return y.reshape(num_graphs, -1).float()


def attribute_kinds(batch: Batch) -> dict[str, str]:
    """Tell of every further attribute whether it is one of a node, an edge or a graph.

    Lists, such as names, have one entry per graph; they are of the kind `list`.
    """
    return {name: _kind(batch, name) for name in batch.keys() if name not in OWN_FIELDS}  # noqa: SIM118


def _kind(batch: Batch, name: str) -> str:
    value = batch[name]
    if isinstance(value, list | tuple) and len(value) == batch.num_graphs:
        return "list"
    moves = getattr(batch, "_inc_dict", {}).get(name)
    plain = isinstance(value, Tensor) and value.layout is torch.strided and value.dim() > 0
    if not plain or (moves is not None and moves.any()):
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


def _fits(batch: Batch, name: str, rows: int) -> Iterator[tuple[str, bool]]:
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


def _columns(attribute: Tensor) -> tuple[Tensor, ...]:
    """Return an attribute of edges `[m]` or `[m, ...]` as columns `[m]`, in single precision."""
    columns = attribute.flatten(1) if attribute.dim() > 1 else attribute.unsqueeze(1)
    return columns.float().unbind(1)


def require_mixable(batch: Batch) -> None:
    """Refuse attributes of edges that would mean nothing if they were averaged.

    An edge of a mix comes from several edges. Numbers can be averaged, and so can indicators; the
    code numbers of categories cannot: the mean of bond 1 and bond 3 is not bond 2.
    """
    for name, kind in attribute_kinds(batch).items():
        value = batch[name]
        if kind == "edge" and not value.is_floating_point() and ((value != 0) & (value != 1)).any():
            raise SmixupError(
                f"the edge attribute '{name}' holds whole numbers, which a mix would average: make "
                "it float if they are quantities, one-hot if they are categories."
            )


def to_pyg(graphs: Graphs, like: Batch | None = None) -> Batch:
    """Convert to an ordinary `Batch` with `edge_weight` and soft `y`, which can be un-batched.

    An edge's attributes are averages over the edges it was mixed from, by share of its weight.

    Args:
        graphs: what to convert.
        like: the batch that the graphs were made of: attributes take the types and shapes that
            they had there, and lists follow `graphs.ids`.
    """
    adj = graphs.adj.to_sparse()
    edge_index, edge_weight = adj.edges()
    fields: dict[str, tuple[str, Any]] = {
        "edge_index": ("edge", edge_index),
        "edge_weight": ("edge", edge_weight),
        "y": ("graph", graphs.y),
    }
    if graphs.num_features:
        fields["x"] = "node", graphs.x
    fields |= {name: ("node", value) for name, value in graphs.node_attrs.items()}
    fields |= {
        name: ("edge", _edge_attribute(name, columns, adj, like))
        for name, columns in graphs.edge_attrs.items()
    }
    fields |= {
        name: ("graph", value.flatten(0, 1) if value.dim() > 1 else value)
        for name, value in graphs.graph_attrs.items()
    }
    fields |= _lists(graphs, like)
    return _assembled(graphs, fields, adj.row_ptr[graphs.ptr].cpu())


def _edge_attribute(
    name: str, columns: tuple[Operator, ...], adj: SparseOperator, like: Batch | None
) -> Tensor:
    values = torch.stack([column.to_sparse().values_at(adj) for column in columns], dim=1)
    if not adj.weight.all():
        raise SmixupError(
            f"edges of weight zero cannot carry the attribute '{name}': remove these edges."
        )
    values = values / adj.weight.unsqueeze(1)
    if like is None:
        return values
    before = like[name]
    whole = values.round()
    if not before.is_floating_point() and torch.allclose(values, whole, rtol=0, atol=1e-4):
        values = whole.to(before.dtype)
    return values.reshape(len(values), *before.shape[1:])


def _lists(graphs: Graphs, like: Batch | None) -> dict[str, tuple[str, Any]]:
    if like is None:
        return {}
    names = [name for name, kind in attribute_kinds(like).items() if kind == "list"]
    ids = graphs.ids.tolist()
    return {name: ("graph", [like[name][place] for place in ids]) for name in names}


def _assembled(graphs: Graphs, fields: Mapping[str, tuple[str, Any]], edge_ptr: Tensor) -> Batch:
    """Return a batch that knows where each graph begins in every field, so that it can be taken
    apart.
    """
    count = len(graphs)
    every, nothing = torch.arange(count + 1), torch.zeros(count, dtype=torch.long)
    ptrs = {"node": graphs.ptr.cpu(), "edge": edge_ptr}
    batch = Batch(batch=graphs.batch, ptr=graphs.ptr)
    for name, (_, value) in fields.items():
        batch[name] = value
    batch._num_graphs = count
    batch._slice_dict = {
        name: ptrs[kind] if kind in ptrs else every * (len(value) // max(count, 1))
        for name, (kind, value) in fields.items()
    }
    batch._inc_dict = dict.fromkeys(fields, nothing)
    batch._inc_dict["edge_index"] = graphs.ptr[:-1].cpu()
    if "x" not in fields:
        batch.num_nodes, batch._num_nodes = graphs.num_nodes, graphs.sizes.tolist()
    return batch
