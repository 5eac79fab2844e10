"""To and from PyTorch Geometric's `Data` and `Batch`."""

from __future__ import annotations

from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs.graph_batch import GraphBatch
from smixup.graphs.graph_set import GraphSet
from smixup.graphs.sparse import SparseOperator


def from_pyg(dataset: Iterable[Data], num_classes: int | None = None) -> GraphSet:
    """Convert a PyG dataset or a list of `Data` to a `GraphSet`."""
    batch = from_pyg_batch(Batch.from_data_list(list(dataset)), num_classes)
    assert isinstance(batch.adj, SparseOperator)
    return GraphSet(batch.x, batch.adj, batch.y, batch.ptr, batch.motif)


def from_pyg_batch(batch: Batch, num_classes: int | None = None) -> GraphBatch:
    """Convert a PyG `Batch` to a `GraphBatch`.

    A missing `x` becomes a feature matrix of width zero, a missing `edge_weight` ones, integer
    labels one-hot rows, columns of `edge_attr` channels.
    """
    n, device = batch.num_nodes, batch.ptr.device
    x = torch.zeros(n, 0, device=device) if batch.x is None else batch.x.float()
    edge_index = (
        torch.zeros(2, 0, dtype=torch.long, device=device)
        if batch.edge_index is None
        else batch.edge_index
    )
    weight = (
        torch.ones(edge_index.size(1), device=device)
        if batch.edge_weight is None
        else batch.edge_weight.float()
    )
    return GraphBatch(
        x=x.unsqueeze(1) if x.dim() == 1 else x,
        adj=SparseOperator.from_edges(edge_index, weight, n),
        y=targets(batch.y, batch.num_graphs, num_classes),
        ptr=batch.ptr,
        ids=torch.arange(batch.num_graphs, device=device),
        motif=batch.get("motif"),
        channels=tuple(
            SparseOperator.from_edges(edge_index, weight * column, n)
            for column in _columns(batch.edge_attr)
        ),
    )


def targets(y: Tensor | None, num_graphs: int, num_classes: int | None = None) -> Tensor:
    """Return labels as float targets `[B, C]`: integers one-hot, soft rows as they are."""
    if y is None:
        raise SmixupError(
            "the graphs have no labels: every Data needs a `y` (an integer class or a row of "
            "targets)"
        )
    if y.numel() == num_graphs and not y.is_floating_point():
        labels = y.reshape(-1).long()
        width = num_classes or int(labels.max()) + 1
        if labels.min() < 0 or labels.max() >= width:
            raise SmixupError(
                f"labels must lie in 0..{width - 1}, found {int(labels.min())}..{int(labels.max())}"
            )
        return F.one_hot(labels, width).float()
    if y.numel() % num_graphs:
        raise SmixupError(f"{y.numel()} target values do not divide among {num_graphs} graphs")
    return y.reshape(num_graphs, -1).float()


def _columns(edge_attr: Tensor | None) -> list[Tensor]:
    return (
        [] if edge_attr is None else list(edge_attr.float().reshape(len(edge_attr), -1).unbind(1))
    )


def to_pyg(batch: GraphBatch) -> Batch:
    """Convert a `GraphBatch` to an ordinary `Batch` with `edge_weight` and soft `y`, which can be
    un-batched.

    An edge's attributes are averages over the edges it was mixed from, by their share of its
    weight.
    """
    adj = batch.adj.to_sparse()
    edge_index, edge_weight = adj.edges()
    out = Batch(
        edge_index=edge_index, edge_weight=edge_weight, y=batch.y, batch=batch.batch, ptr=batch.ptr
    )
    edge_slices, graphs = adj.row_ptr[batch.ptr].cpu(), torch.arange(len(batch) + 1)
    slices = {"edge_index": edge_slices, "edge_weight": edge_slices, "y": graphs}
    if batch.x.size(1):
        out.x = batch.x
        slices["x"] = batch.ptr.cpu()
    else:
        out.num_nodes, out._num_nodes = batch.num_nodes, batch.sizes.tolist()
    if batch.channels:
        values = [channel.to_sparse().at(adj) for channel in batch.channels]
        out.edge_attr = torch.stack(values, dim=1) / edge_weight.unsqueeze(1)
        slices["edge_attr"] = edge_slices
    nothing = torch.zeros(len(batch), dtype=torch.long)
    out._num_graphs = len(batch)
    out._slice_dict = slices
    out._inc_dict = {
        name: batch.ptr[:-1].cpu() if name == "edge_index" else nothing for name in slices
    }
    return out
