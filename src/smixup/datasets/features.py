"""Features for a classifier, fixed once the training split is known (Sec. 6, Setup): of sets in
memory, and of sets on disk part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedGraphs, SparseOperator
from smixup.graphs.graphs import EDGE_ATTR, SHARE

ONE_HOT_LIMIT = 1000

Set = TypeVar("Set", Graphs, PackedGraphs)
Parts = Callable[[], Iterable[Graphs]]
"""Goes through all graphs of a set, some at a time."""


def encode_features(graphs: Set, train: Tensor) -> Set:
    """Return the set with features that a classifier can use, of a set on disk as it is read; all
    statistics come from the graphs at `train`.
    """
    encoder = fit_encoder(graphs, train)
    if isinstance(graphs, PackedGraphs):
        return graphs if isinstance(encoder, GivenFeatures) else graphs.preparing(encoder)
    return encoder(graphs)


def fit_encoder(graphs: Graphs | PackedGraphs, train: Tensor) -> Encoder:
    """Return how features of a set are made ready for a classifier, by the graphs at `train`; the
    same can then be done to graphs that come later.

    Without node features: degrees, one-hot if the largest is below 1000, else standardised.
    Continuous columns of given features are standardised; columns of indicators (only zeros and
    ones) stay as they are. So it is with features of edges.
    """
    parts: Parts
    chosen: Parts
    if isinstance(graphs, PackedGraphs):
        parts, chosen = graphs.parts, graphs.subset(train).parts
    else:
        whole, some = [graphs], [graphs[train]]
        parts, chosen = (lambda: whole), (lambda: some)
    nodes = _fit_nodes(graphs[:1], parts, chosen)
    if not graphs[:1].num_edge_features:
        return nodes
    edges = _fit_columns(StandardiseEdges, lambda part: part.edge_features()[1], parts, chosen)
    return nodes if all(edges.indicator) else EncodeBoth(nodes, edges)


def _fit_nodes(first: Graphs, parts: Parts, chosen: Parts) -> NodeEncoder:
    if first.num_features == 0:
        largest = (part.adj.row_sizes().max() for part in chosen() if part.num_nodes)
        maximum = max((int(degree.round()) for degree in largest), default=0)
        if maximum < ONE_HOT_LIMIT:
            return EncodeDegrees(OneHotDegree(maximum))
        mean, deviation = _moments(lambda part: part.adj.row_sizes().unsqueeze(1), chosen)
        return EncodeDegrees(StandardisedDegree(mean.item(), deviation.item()))
    if not first.x.is_floating_point():
        return GivenFeatures(first.num_features)
    return _fit_columns(Standardise, lambda part: part.x, parts, chosen)


def _fit_columns(
    kind: type[C], columns: Callable[[Graphs], Tensor], parts: Parts, chosen: Parts
) -> C:
    mean, deviation = _moments(columns, chosen)
    indicators = [((x == 0) | (x == 1)).all(0) for x in map(columns, parts())]
    indicator = torch.stack(indicators).all(0)
    return kind(mean.tolist(), deviation.tolist(), indicator.tolist())


def _moments(columns: Callable[[Graphs], Tensor], parts: Parts) -> tuple[Tensor, Tensor]:
    """Return mean and deviation of every column; the deviation is never zero. There are two passes,
    in double precision, because a small deviation is lost in a large mean.
    """
    zero = torch.zeros(())
    rows = max(sum(len(columns(part)) for part in parts()), 1)
    mean = sum((columns(part).double().sum(0) for part in parts()), zero) / rows
    apart = (columns(part).double() - mean for part in parts())
    deviation = (sum((x.square().sum(0) for x in apart), zero) / rows).sqrt()
    return mean.float(), torch.where(deviation > 0, deviation, 1.0).float()


@dataclass(frozen=True)
class OneHotDegree:
    """One column per degree `0..maximum`; higher degrees fall in the last one, fractional degrees
    in the nearest.
    """

    maximum: int
    kind: ClassVar[str] = "one-hot"

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
    kind: ClassVar[str] = "standardised"

    def __call__(self, degree: Tensor) -> Tensor:
        """Encode degrees `[n]` as features `[n, 1]`."""
        return ((degree.float() - self.mean) / self.deviation).unsqueeze(1)


@dataclass(frozen=True)
class GivenFeatures:
    """Leaves features as they are: indicators alone."""

    width: int
    kind: ClassVar[str] = "given"

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs."""
        return graphs


@dataclass(frozen=True)
class EncodeDegrees:
    """Makes features of degrees."""

    encoding: OneHotDegree | StandardisedDegree
    kind: ClassVar[str] = "degrees"

    width = 0
    """Columns of features that it takes: none."""

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with features, in bytes if they are one-hot."""
        degree, encoding = graphs.adj.row_sizes(), self.encoding
        x = (
            encoding(degree, torch.uint8)
            if isinstance(encoding, OneHotDegree)
            else encoding(degree)
        )
        return graphs.replace(x=x, degree_encoding=encoding)


@dataclass(frozen=True)
class _Columns:
    """Standardises the columns of features that are not indicators.

    Attributes:
        mean, deviation: of every column over the training split; of edges, each direction counts.
        indicator: whether a column holds only zeros and ones, in all graphs of the set.
    """

    mean: Sequence[float]
    deviation: Sequence[float]
    indicator: Sequence[bool]

    def __post_init__(self) -> None:
        kinds = {"mean": float, "deviation": float, "indicator": bool}
        for name, kind in kinds.items():
            object.__setattr__(self, name, tuple(map(kind, getattr(self, name))))
        if not len(self.mean) == len(self.deviation) == len(self.indicator):
            raise ValueError("columns of several lengths")

    def standardised(self, x: Tensor) -> Tensor:
        """Return features `[n, d]` with standardised columns."""
        mean, deviation = x.new_tensor(self.mean), x.new_tensor(self.deviation)
        return torch.where(torch.tensor(self.indicator, device=x.device), x, (x - mean) / deviation)


C = TypeVar("C", bound=_Columns)


@dataclass(frozen=True)
class Standardise(_Columns):
    """Standardises features of nodes."""

    kind: ClassVar[str] = "standardise"

    @property
    def width(self) -> int:
        """Columns of features that it takes, d."""
        return len(self.mean)

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with standardised features."""
        return graphs.replace(x=self.standardised(graphs.floating().x))


@dataclass(frozen=True)
class StandardiseEdges(_Columns):
    """Standardises the columns of `edge_attr`."""

    kind: ClassVar[str] = "edges"

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with standardised features of edges; graphs without any stay."""
        if not graphs.num_edge_features:
            return graphs
        if graphs.num_edge_features != len(self.mean):
            raise SmixupError(
                f"these graphs have {graphs.num_edge_features} features of edges, and the model "
                f"was trained on {len(self.mean)}: make them as those of the training data."
            )
        graphs = graphs.map_edges(SparseOperator.merged)
        adj, e = graphs.edge_features()
        share = graphs.edge_attrs.get(SHARE, adj.weight.unsqueeze(1))
        rows = share * self.standardised(e)
        return graphs.replace(edge_attrs={**graphs.edge_attrs, EDGE_ATTR: rows})


NodeEncoder: TypeAlias = GivenFeatures | EncodeDegrees | Standardise


@dataclass(frozen=True)
class EncodeBoth:
    """Encodes features of nodes, and standardises those of edges."""

    nodes: NodeEncoder
    edges: StandardiseEdges
    kind: ClassVar[str] = "nodes and edges"

    @property
    def width(self) -> int:
        """Columns of features of nodes that it takes."""
        return self.nodes.width

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with features."""
        return self.edges(self.nodes(graphs))


Encoder: TypeAlias = NodeEncoder | EncodeBoth
ENCODERS = (GivenFeatures, EncodeDegrees, Standardise, EncodeBoth)
PARTS = (StandardiseEdges, OneHotDegree, StandardisedDegree)
KINDS: dict[str, Any] = {kind.kind: kind for kind in (*ENCODERS, *PARTS)}


def encoder_to_dict(encoder: Any) -> dict[str, Any]:
    """Return an encoder as plain values, from which `encoder_from_dict` makes it again.

    >>> encoder_to_dict(EncodeDegrees(OneHotDegree(4)))
    {'kind': 'degrees', 'encoding': {'kind': 'one-hot', 'maximum': 4}}
    """
    values = vars(encoder)
    parts = {
        name: encoder_to_dict(values[name]) for name in values if hasattr(values[name], "kind")
    }
    return {"kind": encoder.kind, **values, **parts}


def encoder_from_dict(saved: Mapping[str, Any]) -> Encoder:
    """Return the encoder that `encoder_to_dict` wrote."""
    try:
        encoder: Encoder = _made_of(saved)
        if type(encoder) not in ENCODERS:
            raise ValueError(saved["kind"])
    except (AttributeError, KeyError, TypeError, ValueError) as reason:
        raise SmixupError(f"this is no encoder that smixup knows ({reason}).") from reason
    return encoder


def _made_of(saved: Mapping[str, Any]) -> Any:
    fields = {"kind": StandardiseEdges.kind, **saved}  # which earlier versions did not write
    parts = {name: _made_of(part) for name, part in fields.items() if isinstance(part, Mapping)}
    return KINDS[fields.pop("kind")](**{**fields, **parts})


def encode_new(graphs: Graphs, encoder: Encoder) -> Graphs:
    """Encode graphs that an encoder has not been fitted on; refuse those with other features."""
    width = graphs.num_features
    if width != encoder.width:
        wanted = f"{encoder.width}: make them as those of the training data"
        if encoder.width == 0:
            wanted = "graphs without any, by their degrees: leave the features out"
        raise SmixupError(
            f"these graphs have {width or 'no'} node features, and the model was trained on "
            f"{wanted}."
        )
    return encoder(graphs)
