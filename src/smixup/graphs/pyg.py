"""To and from PyTorch Geometric's `Data` and `Batch`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs.attributes import attribute_kinds
from smixup.graphs.batch_fields import assembled, fields_of
from smixup.graphs.codes import Codes, Encoding, learn_codes
from smixup.graphs.edge_features import SHARE
from smixup.graphs.graphs import Graphs
from smixup.graphs.operator import Operator
from smixup.graphs.refused_codes import features
from smixup.graphs.sound_batch import require_batch, sound_batch
from smixup.graphs.sparse import SparseOperator
from smixup.graphs.targets import are_class_numbers, read_targets, warn_of_counts
from smixup.precision import single_precision
from smixup.shown import shown


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
    edges, weight = _edges(batch)
    kinds = attribute_kinds(batch)
    targets = read_targets(batch, num_classes, has_classes)
    return Graphs(
        x=x,
        adj=SparseOperator.from_edges(edges, weight, n),
        y=targets.y,
        has_classes=targets.has_classes,
        ptr=batch.ptr,
        edge_attrs=_edge_attributes(
            {name: batch[name] for name, kind in kinds.items() if kind == "edge"}, edges, weight, n
        ),
        node_attrs={name: batch[name] for name, kind in kinds.items() if kind == "node"},
        graph_attrs={
            name: batch[name].view(batch.num_graphs, -1, *batch[name].shape[1:])
            for name, kind in kinds.items()
            if kind == "graph"
        },
    )


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


def _edge_attributes(
    attributes: Mapping[str, Tensor], edges: Tensor, weight: Tensor, n: int
) -> dict[str, tuple[Operator, ...]]:
    """Return attributes of edges as operators of weight times attribute, all columns of one at
    once.

    An attribute's share in the average is the size of the weight. Where weights are not all
    positive, it is kept beside them.
    """
    share = torch.where(weight == 0, 1.0, weight.abs())
    found: dict[str, tuple[Operator, ...]] = {
        name: (SparseOperator.from_edges(edges, share.unsqueeze(1) * _columns(name, value), n),)
        for name, value in attributes.items()
    }
    if found and bool((weight <= 0).any()):
        found[SHARE] = (SparseOperator.from_edges(edges, share, n),)
    return found


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
    fields, edges = fields_of(graphs, like, averaged)
    out = Batch() if like is None else copy.copy(like)
    return assembled(out, fields, graphs.ptr, edges)
