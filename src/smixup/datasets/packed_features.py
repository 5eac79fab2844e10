"""Node features of graphs on disk, encoded batch by batch as `encode_features` encodes a set in
memory.
"""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.datasets.edge_standardisation import fit_edges
from smixup.datasets.features import (
    ONE_HOT_LIMIT,
    EncodeDegrees,
    Encoder,
    GivenFeatures,
    NodeEncoder,
    OneHotDegree,
    Standardise,
    StandardisedDegree,
    with_edges,
)
from smixup.graphs import Graphs
from smixup.graphs.packed import PackedGraphs


def encode_packed(graphs: PackedGraphs, train: Tensor) -> PackedGraphs:
    """Return the set so that what is drawn from it has features that a classifier can use; all
    statistics come from the graphs at `train`, in one pass or two over them.
    """
    return encoded_by(graphs, fit_packed_encoder(graphs, train))


def fit_packed_encoder(graphs: PackedGraphs, train: Tensor) -> Encoder:
    """Return the encoder that `fit_encoder` finds for a set in memory."""
    edges = fit_edges(graphs.parts, graphs.subset(train).parts)
    return with_edges(_fit_nodes(graphs, train), edges)


def _fit_nodes(graphs: PackedGraphs, train: Tensor) -> NodeEncoder:
    some = graphs[:1]
    if some.num_features == 0:
        return EncodeDegrees(_degree_encoding(graphs.subset(train)))
    if not some.x.is_floating_point():
        return GivenFeatures(some.num_features)
    return _standardisation(graphs, train)


def encoded_by(graphs: PackedGraphs, encoder: Encoder) -> PackedGraphs:
    """Return the set so that what is drawn from it is encoded."""
    return graphs if isinstance(encoder, GivenFeatures) else graphs.preparing(encoder)


def _degree_encoding(train: PackedGraphs) -> OneHotDegree | StandardisedDegree:
    largest = (part.adj.row_sizes().max() for part in train.parts() if part.num_nodes)
    maximum = int(max(largest, default=torch.zeros(())).round())
    if maximum < ONE_HOT_LIMIT:
        return OneHotDegree(maximum)
    mean, deviation = _moments(train.preparing(_degrees))
    return StandardisedDegree(mean.item(), deviation.item())


def _degrees(graphs: Graphs) -> Graphs:
    return graphs.replace(x=graphs.adj.row_sizes().unsqueeze(1))


def _standardisation(graphs: PackedGraphs, train: Tensor) -> Standardise:
    indicator = torch.ones(graphs.num_features, dtype=torch.bool)
    for part in graphs.parts():
        indicator &= ((part.x == 0) | (part.x == 1)).all(0)
    return Standardise.of(*_moments(graphs.subset(train)), indicator)


def _moments(train: PackedGraphs) -> tuple[Tensor, Tensor]:
    """Return mean and deviation of every column, never zero, in double precision as sums run over
    many nodes; in two passes, because a small deviation is lost in a large mean.
    """
    n, dtype = max(train.num_nodes, 1), train[:0].x.dtype
    mean = sum((part.x.double().sum(0) for part in train.parts()), torch.zeros(())) / n
    squares = ((part.x.double() - mean).square().sum(0) for part in train.parts())
    deviation = (sum(squares, torch.zeros(())) / n).sqrt()
    return mean.to(dtype), torch.where(deviation > 0, deviation, 1.0).to(dtype)
