"""Features of edges for a classifier, standardised by the training split as those of nodes are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.edge_features import EDGE_ATTR, SHARE

Parts = Callable[[], Iterable[Graphs]]


@dataclass(frozen=True)
class StandardiseEdges:
    """Standardises the columns of `edge_attr` that are not indicators.

    Attributes:
        mean, deviation: of every column over the edges of the training split, each direction of an
            edge by itself.
        indicator: whether a column holds only zeros and ones, in all graphs of the set.
    """

    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    indicator: tuple[bool, ...]

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
        mean, deviation = e.new_tensor(self.mean), e.new_tensor(self.deviation)
        indicator = torch.tensor(self.indicator, device=e.device)
        e = torch.where(indicator, e, (e - mean) / deviation)
        shares = graphs.edge_attrs.get(SHARE, ())
        share = shares[0].to_sparse().values_at(adj) if shares else adj.weight
        alike = all(each.to_sparse().symmetric for each in graphs.edge_attrs[EDGE_ATTR])
        entries = replace(adj, weight=share.unsqueeze(1) * e, symmetric=adj.symmetric and alike)
        return graphs.replace(edge_attrs={**graphs.edge_attrs, EDGE_ATTR: (entries,)})


def fit_edges(parts: Parts, train: Parts) -> StandardiseEdges | None:
    """Return how features of edges are standardised; None where there are none, or indicators
    alone, which stay as they are.

    Args:
        parts: goes through all graphs, some at a time.
        train: goes through those of the training split.
    """
    indicator: Tensor | None = None
    for part in parts():
        if not part.num_edge_features:
            return None
        e = part.edge_features()[1]
        found = ((e == 0) | (e == 1)).all(0)
        indicator = found if indicator is None else indicator & found
    if indicator is None or indicator.all():
        return None
    mean, deviation = _moments(train, len(indicator))
    columns = (mean.float(), deviation.float(), indicator)
    return StandardiseEdges(*(tuple(column.tolist()) for column in columns))


def _moments(train: Parts, width: int) -> tuple[Tensor, Tensor]:
    """Return mean and deviation of every column, never zero, in double precision; in two passes,
    because a small deviation is lost in a large mean.
    """
    number, total = 0, torch.zeros(width, dtype=torch.double)
    for part in train():
        e = part.edge_features()[1]
        number, total = number + len(e), total + e.double().sum(0)
    mean = total / max(number, 1)
    squares = torch.zeros_like(mean)
    for part in train():
        squares += (part.edge_features()[1].double() - mean).square().sum(0)
    deviation = (squares / max(number, 1)).sqrt()
    return mean, torch.where(deviation > 0, deviation, 1.0)
