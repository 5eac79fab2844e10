"""Features for a classifier, fixed once the training split is known (Sec. 6, Setup)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedGraphs, SparseOperator
from smixup.graphs.graphs import EDGE_ATTR, SHARE

ONE_HOT_LIMIT = 1000

Set = TypeVar("Set", Graphs, PackedGraphs)
AnySet = Graphs | PackedGraphs
ColumnsOf = Callable[[Graphs], Tensor]


@dataclass(frozen=True)
class OneHotDegree:
    """One column per degree `0..maximum`; higher degrees fall in the last one."""

    maximum: int

    def __call__(self, degree: Tensor, dtype: torch.dtype = torch.float) -> Tensor:
        """Encode degrees `[n]` as features `[n, maximum + 1]`."""
        bins = degree.round().long().clamp(0, self.maximum)
        x = torch.zeros(degree.numel(), self.maximum + 1, dtype=dtype, device=degree.device)
        return x.scatter_(1, bins.unsqueeze(1), 1)


@dataclass(frozen=True)
class StandardisedDegree:
    """One column: the degree less the training mean, over the training standard deviation."""

    mean: float
    deviation: float

    def __call__(self, degree: Tensor) -> Tensor:
        """Encode degrees `[n]` as features `[n, 1]`."""
        return ((degree.float() - self.mean) / self.deviation).unsqueeze(1)


@dataclass(frozen=True)
class Columns:
    """Standardises columns by the training split, but for indicators, which are zeros and ones."""

    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    indicator: tuple[bool, ...]

    def __call__(self, x: Tensor) -> Tensor:
        """Return features `[n, d]` with standardised columns."""
        mean, deviation = x.new_tensor(self.mean), x.new_tensor(self.deviation)
        return torch.where(torch.tensor(self.indicator, device=x.device), x, (x - mean) / deviation)


@dataclass(frozen=True)
class Encoder:
    """Makes graphs ready for a classifier; refuses those with other features than it was fitted on.

    Attributes:
        width: columns of features of nodes that it takes.
        degrees: makes features of degrees, where there are no others.
        nodes: standardises features of nodes; None leaves them as they are.
        edges: standardises features of edges.
    """

    width: int
    degrees: OneHotDegree | StandardisedDegree | None = None
    nodes: Columns | None = None
    edges: Columns | None = None

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with features, in bytes if they are one-hot."""
        _require_width("node", graphs.num_features, self.width)
        if self.degrees is not None:
            degree = graphs.adj.row_sizes()
            if isinstance(self.degrees, OneHotDegree):
                x = self.degrees(degree, torch.uint8)
            else:
                x = self.degrees(degree)
            graphs = graphs.replace(x=x, degree_encoding=self.degrees)
        if self.nodes is not None:
            graphs = graphs.replace(x=self.nodes(graphs.floating().x))
        if self.edges is None or not graphs.num_edge_features:
            return graphs
        _require_width("edge", graphs.num_edge_features, len(self.edges.mean))
        graphs = graphs.map_edges(SparseOperator.merged)
        adj, e = graphs.edge_features()
        share = graphs.edge_attrs.get(SHARE, adj.weight.unsqueeze(1))
        return graphs.replace(edge_attrs={**graphs.edge_attrs, EDGE_ATTR: share * self.edges(e)})


def _require_width(what: str, width: int, expected: int) -> None:
    if width != expected:
        raise SmixupError(
            f"these graphs have {width or 'no'} {what} features, and the model was trained on "
            f"{expected or 'none'}: make them as those of the training data."
        )


def encode_features(graphs: Set, train: Tensor) -> Set:
    """Return the set with features that a classifier can use, of a set on disk as it is read; all
    statistics come from the graphs at `train`.
    """
    encoder = fit_encoder(graphs, train)
    if isinstance(graphs, PackedGraphs):
        return graphs if encoder == Encoder(encoder.width) else graphs.preparing(encoder)
    return encoder(graphs)


def fit_encoder(graphs: AnySet, train: Tensor) -> Encoder:
    """Return how features of a set are made ready for a classifier, by the graphs at `train`; the
    same can then be done to graphs that come later.

    Without node features: degrees, one-hot if the largest is below 1000, else standardised.
    Continuous columns of given features are standardised; columns of indicators (only zeros and
    ones) stay as they are. So it is with features of edges.
    """
    chosen = graphs.subset(train) if isinstance(graphs, PackedGraphs) else graphs[train]
    first = graphs[:1]
    edges = nodes = None
    if first.num_edge_features:
        edges = _fit_columns(lambda part: part.edge_features()[1], graphs, chosen)
        edges = None if all(edges.indicator) else edges
    if first.num_features == 0:
        return Encoder(0, degrees=_fit_degrees(chosen), edges=edges)
    if first.x.is_floating_point():
        nodes = _fit_columns(lambda part: part.x, graphs, chosen)
    return Encoder(first.num_features, nodes=nodes, edges=edges)


def _fit_degrees(chosen: AnySet) -> OneHotDegree | StandardisedDegree:
    largest = (part.adj.row_sizes().max() for part in _parts_of(chosen) if part.num_nodes)
    maximum = max((int(degree.round()) for degree in largest), default=0)
    if maximum < ONE_HOT_LIMIT:
        return OneHotDegree(maximum)
    mean, deviation = _moments(lambda part: part.adj.row_sizes().unsqueeze(1), chosen)
    return StandardisedDegree(mean.item(), deviation.item())


def _fit_columns(columns: ColumnsOf, graphs: AnySet, chosen: AnySet) -> Columns:
    mean, deviation = _moments(columns, chosen)
    indicators = [((x == 0) | (x == 1)).all(0) for x in map(columns, _parts_of(graphs))]
    indicator = torch.stack(indicators).all(0)
    return Columns(tuple(mean.tolist()), tuple(deviation.tolist()), tuple(indicator.tolist()))


def _moments(columns: ColumnsOf, chosen: AnySet) -> tuple[Tensor, Tensor]:
    """Return mean and deviation of every column, which is never zero."""
    zero = torch.zeros(())  # in two passes: a small deviation is lost in a large mean
    rows = max(sum(len(columns(part)) for part in _parts_of(chosen)), 1)
    mean = sum((columns(part).double().sum(0) for part in _parts_of(chosen)), zero) / rows
    apart = (columns(part).double() - mean for part in _parts_of(chosen))
    deviation = (sum((x.square().sum(0) for x in apart), zero) / rows).sqrt()
    return mean.float(), torch.where(deviation > 0, deviation, 1.0).float()


def _parts_of(graphs: AnySet) -> Iterable[Graphs]:
    return graphs.parts() if isinstance(graphs, PackedGraphs) else [graphs]


def encoder_to_dict(encoder: Encoder) -> dict[str, Any]:
    """Return an encoder as plain values, from which `encoder_from_dict` makes it again.

    >>> encoder_to_dict(Encoder(0, degrees=OneHotDegree(4)))
    {'kind': 'degrees', 'encoding': {'kind': 'one-hot', 'maximum': 4}}
    """
    nodes: dict[str, Any] = {"kind": "given", "width": encoder.width}
    if encoder.degrees is not None:
        kind = "one-hot" if isinstance(encoder.degrees, OneHotDegree) else "standardised"
        nodes = {"kind": "degrees", "encoding": {"kind": kind, **vars(encoder.degrees)}}
    elif encoder.nodes is not None:
        nodes = {"kind": "standardise", **vars(encoder.nodes)}
    if encoder.edges is None:
        return nodes
    return {"kind": "nodes and edges", "nodes": nodes, "edges": vars(encoder.edges)}


def encoder_from_dict(saved: Mapping[str, Any]) -> Encoder:
    """Return the encoder that `encoder_to_dict` wrote."""
    match saved:
        case {"kind": "nodes and edges", "nodes": nodes, "edges": edges}:
            return replace(encoder_from_dict(nodes), edges=_columns(edges))
        case {"kind": "degrees", "encoding": {"kind": "one-hot", "maximum": maximum}}:
            return Encoder(0, degrees=OneHotDegree(maximum))
        case {"kind": "degrees", "encoding": {"mean": mean, "deviation": deviation}}:
            return Encoder(0, degrees=StandardisedDegree(mean, deviation))
        case {"kind": "standardise", "mean": mean}:
            return Encoder(len(mean), nodes=_columns(saved))
        case {"kind": "given", "width": width}:
            return Encoder(width)
    raise SmixupError(f"this is no encoder that smixup knows ({saved.get('kind')}).")


def _columns(saved: Mapping[str, Any]) -> Columns:
    return Columns(*(tuple(saved[name]) for name in ("mean", "deviation", "indicator")))
