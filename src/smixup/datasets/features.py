"""Node features for a classifier, fixed once the training split is known (Sec. 6, Setup)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import Graphs
from smixup.graphs.ragged import ranges

ONE_HOT_LIMIT = 1000


def encode_features(graphs: Graphs, train: Tensor) -> Graphs:
    """Return the set with features that a classifier can use; all statistics come from the graphs
    at `train`.

    Without node features: degrees, one-hot if the largest is below 1000, else standardised.
    Continuous columns of given features are standardised; columns of indicators (only zeros and
    ones) stay as they are.
    """
    first = graphs.ptr[train]
    nodes = ranges(first, graphs.ptr[train + 1] - first)
    if graphs.num_features == 0:
        degree = graphs.adj.row_sums()
        encoding = fit_degree_encoding(degree[nodes])
        return graphs.replace(x=encoding.compact(degree), degree_encoding=encoding)
    if not graphs.x.is_floating_point():
        return graphs
    return graphs.replace(x=standardise(graphs.x, nodes))


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


def fit_degree_encoding(degree: Tensor) -> OneHotDegree | StandardisedDegree:
    """Choose the encoding by the degrees `[n]` of the training nodes."""
    maximum = int(degree.max().round()) if degree.numel() else 0
    if maximum < ONE_HOT_LIMIT:
        return OneHotDegree(maximum)
    mean, deviation = _moments(degree.unsqueeze(1))
    return StandardisedDegree(mean.item(), deviation.item())


def standardise(x: Tensor, nodes: Tensor) -> Tensor:
    """Standardise the continuous columns of `x [n, d]` by their mean and deviation over `nodes`."""
    indicator = ((x == 0) | (x == 1)).all(0)
    mean, deviation = _moments(x[nodes])
    return torch.where(indicator, x, (x - mean) / deviation)


def _moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and deviation of every column, in double precision as sums run over many nodes;
    never zero.
    """
    if x.size(0) == 0:
        return x.new_zeros(x.size(1)), x.new_ones(x.size(1))
    deviation, mean = torch.std_mean(x.double(), dim=0, correction=0)
    return mean.to(x.dtype), torch.where(deviation > 0, deviation, 1.0).to(x.dtype)
