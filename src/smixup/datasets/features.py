"""Features for a classifier, fixed once the training split is known (Sec. 6, Setup): of sets in
memory, and of sets on disk part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self, TypeAlias, TypeVar

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedGraphs
from smixup.graphs.edge_features import EDGE_ATTR, SHARE
from smixup.graphs.ragged import ranges

ONE_HOT_LIMIT = 1000

Set = TypeVar("Set", Graphs, PackedGraphs)
Columns = Callable[[], Iterator[Tensor]]


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
    if isinstance(graphs, PackedGraphs):
        nodes = _fit_packed_nodes(graphs, train)
        edges = _fit_edges(graphs.parts, graphs.subset(train).parts)
    else:
        nodes = _fit_nodes(graphs, train)
        edges = _fit_edges(lambda: [graphs], lambda: [graphs[train]])
    return nodes if edges is None else EncodeBoth(nodes, edges)


def _fit_nodes(graphs: Graphs, train: Tensor) -> NodeEncoder:
    first = graphs.ptr[train]
    nodes = ranges(first, graphs.ptr[train + 1] - first)
    if graphs.num_features == 0:
        degree = graphs.adj.row_sizes()[nodes]
        maximum = int(degree.max().round()) if degree.numel() else 0
        return _degrees_up_to(maximum, lambda: _moments(degree.unsqueeze(1)))
    if not graphs.x.is_floating_point():
        return GivenFeatures(graphs.num_features)
    return Standardise.of(*_moments(graphs.x[nodes]), _are_indicators(graphs.x))


def _fit_packed_nodes(graphs: PackedGraphs, train: Tensor) -> NodeEncoder:
    some, subset = graphs[:1], graphs.subset(train)
    if some.num_features == 0:

        def degrees() -> Iterator[Tensor]:
            return (part.adj.row_sizes().unsqueeze(1) for part in subset.parts())

        maximum = int(max((part.max().round() for part in degrees() if len(part)), default=0))
        return _degrees_up_to(maximum, lambda: _moments_of_parts(degrees))
    if not some.x.is_floating_point():
        return GivenFeatures(some.num_features)
    moments = _moments_of_parts(lambda: (part.x for part in subset.parts()))
    indicator = torch.stack([_are_indicators(part.x) for part in graphs.parts()]).all(0)
    return Standardise.of(*(column.to(some.x.dtype) for column in moments), indicator)


def _degrees_up_to(maximum: int, moments: Callable[[], tuple[Tensor, Tensor]]) -> EncodeDegrees:
    if maximum < ONE_HOT_LIMIT:
        return EncodeDegrees(OneHotDegree(maximum))
    mean, deviation = moments()
    return EncodeDegrees(StandardisedDegree(mean.float().item(), deviation.float().item()))


def _fit_edges(
    parts: Callable[[], Iterable[Graphs]], train: Callable[[], Iterable[Graphs]]
) -> StandardiseEdges | None:
    """Return how features of edges are standardised; None where there are none, or indicators
    alone, which stay as they are.
    """
    indicators: list[Tensor] = []
    for part in parts():
        if not part.num_edge_features:
            return None
        indicators.append(_are_indicators(part.edge_features()[1]))
    if not indicators or (indicator := torch.stack(indicators).all(0)).all():
        return None
    mean, deviation = _moments_of_parts(lambda: (part.edge_features()[1] for part in train()))
    return StandardiseEdges.of(mean.float(), deviation.float(), indicator)


def _are_indicators(x: Tensor) -> Tensor:
    return ((x == 0) | (x == 1)).all(0)


def _moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and deviation of every column, in double precision as sums run over many nodes;
    never zero.
    """
    if x.size(0) == 0:
        return x.new_zeros(x.size(1)), x.new_ones(x.size(1))
    deviation, mean = torch.std_mean(x.double(), dim=0, correction=0)
    return mean.to(x.dtype), torch.where(deviation > 0, deviation, 1.0).to(x.dtype)


def _moments_of_parts(columns: Columns) -> tuple[Tensor, Tensor]:
    """Do the same in two passes, because a small deviation is lost in a large mean."""
    rows = max(sum(len(x) for x in columns()), 1)
    mean = sum((x.double().sum(0) for x in columns()), torch.zeros(())) / rows
    squares = sum(((x.double() - mean).square().sum(0) for x in columns()), torch.zeros(()))
    deviation = (squares / rows).sqrt()
    return mean, torch.where(deviation > 0, deviation, 1.0)


@dataclass(frozen=True)
class OneHotDegree:
    """One column per degree `0..maximum`; higher degrees fall in the last one, fractional degrees
    in the nearest.
    """

    maximum: int

    def __call__(self, degree: Tensor) -> Tensor:
        """Encode degrees `[n]` as float features `[n, maximum + 1]`."""
        return self._encoded(degree, torch.float)

    def compact(self, degree: Tensor) -> Tensor:
        """Encode degrees `[n]` in bytes."""
        return self._encoded(degree, torch.uint8)

    def _encoded(self, degree: Tensor, dtype: torch.dtype) -> Tensor:
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

    def compact(self, degree: Tensor) -> Tensor:
        """Encode degrees `[n]`; there is no smaller form."""
        return self(degree)


@dataclass(frozen=True)
class GivenFeatures:
    """Leaves features as they are: indicators alone."""

    width: int

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs."""
        return graphs


@dataclass(frozen=True)
class EncodeDegrees:
    """Makes features of degrees."""

    encoding: OneHotDegree | StandardisedDegree

    width = 0
    """Columns of features that it takes: none."""

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with features."""
        x = self.encoding.compact(graphs.adj.row_sizes())
        return graphs.replace(x=x, degree_encoding=self.encoding)


@dataclass(frozen=True)
class _Columns:
    """Standardises the columns of features that are not indicators.

    Attributes:
        mean, deviation: of every column over the training split; of edges, each direction counts.
        indicator: whether a column holds only zeros and ones, in all graphs of the set.
    """

    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    indicator: tuple[bool, ...]

    @classmethod
    def of(cls, *columns: Tensor) -> Self:
        """Take mean, deviation and indicator of every column `[d]`."""
        return cls(*(tuple(column.tolist()) for column in columns))

    def standardised(self, x: Tensor) -> Tensor:
        """Return features `[n, d]` with standardised columns."""
        mean, deviation = x.new_tensor(self.mean), x.new_tensor(self.deviation)
        return torch.where(torch.tensor(self.indicator, device=x.device), x, (x - mean) / deviation)


@dataclass(frozen=True)
class Standardise(_Columns):
    """Standardises features of nodes."""

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

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with standardised features of edges; graphs without any stay."""
        if not graphs.num_edge_features:
            return graphs
        if graphs.num_edge_features != len(self.mean):
            raise SmixupError(
                f"these graphs have {graphs.num_edge_features} features of edges, and the model "
                f"was trained on {len(self.mean)}: make them as those of the training data."
            )
        adj, e = graphs.edge_features()
        e = self.standardised(e)
        shares = graphs.edge_attrs.get(SHARE, ())
        share = shares[0].to_sparse().values_at(adj) if shares else adj.weight
        alike = all(each.to_sparse().symmetric for each in graphs.edge_attrs[EDGE_ATTR])
        entries = replace(adj, weight=share.unsqueeze(1) * e, symmetric=adj.symmetric and alike)
        return graphs.replace(edge_attrs={**graphs.edge_attrs, EDGE_ATTR: (entries,)})


NodeEncoder: TypeAlias = GivenFeatures | EncodeDegrees | Standardise


@dataclass(frozen=True)
class EncodeBoth:
    """Encodes features of nodes, and standardises those of edges."""

    nodes: NodeEncoder
    edges: StandardiseEdges

    @property
    def width(self) -> int:
        """Columns of features of nodes that it takes."""
        return self.nodes.width

    def __call__(self, graphs: Graphs) -> Graphs:
        """Return the graphs with features."""
        return self.edges(self.nodes(graphs))


Encoder: TypeAlias = NodeEncoder | EncodeBoth
BOTH = "nodes and edges"
_KINDS: dict[str, type[Any]] = {
    "given": GivenFeatures,
    "degrees": EncodeDegrees,
    "standardise": Standardise,
}
_DEGREES: dict[str, type[Any]] = {"one-hot": OneHotDegree, "standardised": StandardisedDegree}


def encoder_to_dict(encoder: Encoder) -> dict[str, Any]:
    """Return an encoder as plain values, from which `encoder_from_dict` makes it again.

    >>> encoder_to_dict(EncodeDegrees(OneHotDegree(4)))
    {'kind': 'degrees', 'encoding': {'kind': 'one-hot', 'maximum': 4}}
    """
    if isinstance(encoder, EncodeBoth):
        nodes = encoder_to_dict(encoder.nodes)
        return {"kind": BOTH, "nodes": nodes, "edges": asdict(encoder.edges)}
    found = {"kind": _kind(_KINDS, encoder), **asdict(encoder)}
    if isinstance(encoder, EncodeDegrees):
        found["encoding"] = {"kind": _kind(_DEGREES, encoder.encoding), **found["encoding"]}
    return found


def encoder_from_dict(found: Mapping[str, Any]) -> Encoder:
    """Return the encoder that `encoder_to_dict` wrote."""
    try:
        fields = dict(found)
        if fields["kind"] == BOTH:
            nodes = encoder_from_dict(fields["nodes"])
            if isinstance(nodes, EncodeBoth):
                raise ValueError("edges within edges")
            return EncodeBoth(nodes, StandardiseEdges(**_columns(fields["edges"])))
        kind = _KINDS[fields.pop("kind")]
        if kind is EncodeDegrees:
            inner = dict(fields["encoding"])
            fields["encoding"] = _DEGREES[inner.pop("kind")](**inner)
        if kind is Standardise:
            fields = _columns(fields)
        encoder: Encoder = kind(**fields)
    except (KeyError, TypeError, ValueError) as reason:
        raise SmixupError(f"this is no encoder that smixup knows ({reason}).") from reason
    return encoder


def encode_new(graphs: Graphs, encoder: Encoder) -> Graphs:
    """Encode graphs that an encoder has not been fitted on; refuse those with other features."""
    found = graphs.num_features
    if found == encoder.width:
        return encoder(graphs)
    if encoder.width == 0:
        raise SmixupError(
            f"these graphs have {found} node features, and the model was trained on graphs without "
            "any, by their degrees: leave the features out."
        )
    raise SmixupError(
        f"these graphs have {found or 'no'} node features, and the model was trained on "
        f"{encoder.width}: make them as those of the training data."
    )


def _columns(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of every column, each a list of the same length."""
    fields = {name: tuple(map(_plain, values)) for name, values in found.items()}
    if len({len(values) for values in fields.values()}) > 1:
        raise ValueError("columns of several lengths")
    return fields


def _plain(value: Any) -> float | bool:
    return value if isinstance(value, bool) else float(value)


def _kind(kinds: Mapping[str, type[Any]], thing: object) -> str:
    return next(name for name, kind in kinds.items() if type(thing) is kind)
