"""Do mixes have the degrees, the density and the features that their ratios promise?"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.analysis.mixes import Mixes
from smixup.graphs import Graphs, MeanReadout


@dataclass(frozen=True)
class Drift:
    """What mixes have, beside `lam v1 + (1 - lam) v2` of the graphs that they were made of.

    Attributes:
        degree: mean degree of mixes over the promised mean: 1 is right on average.
        degree_error: mean of `|v' / promised - 1|` over mixes.
        density, density_error: the same for the sum of all edge weights over `n (n - 1)`.
        features: length of the difference between mean features and promised ones, mean over mixes,
            over the standard deviation of a node of the originals (the root of the total variance
            of its features); over the length of its features where all nodes look alike.
        mixes: how many.
    """

    degree: float
    degree_error: float
    density: float
    density_error: float
    features: float
    mixes: int


def drift(mixes: Mixes) -> Drift | None:
    """Measure all mixes whose graphs are known, be it one or more; None if there are none."""
    if mixes.graphs is None or mixes.parents is None or len(mixes) == 0:
        return None
    promised = mixes.parents.expected
    degree, density = (
        _compared(value(mixes.graphs), promised(value(mixes.originals)))
        for value in (mean_degree, density_of)
    )
    off = mean_features(mixes.graphs) - promised(mean_features(mixes.originals))
    features = float(off.norm(dim=1).mean() / feature_scale(mixes.originals))
    return Drift(*degree, *density, features, len(mixes))


def mean_degree(graphs: Graphs) -> Tensor:
    """Return the mean over nodes of the weight of all edges at a node, `[G]`."""
    return graphs.totals(graphs.adj.row_sums()) / graphs.sizes.clamp(min=1)


def density_of(graphs: Graphs) -> Tensor:
    """Return the weight of all edges over `n (n - 1)`, `[G]`; zero for a single node."""
    pairs = graphs.sizes * (graphs.sizes - 1)
    return graphs.totals(graphs.adj.row_sums()) / pairs.clamp(min=1)


def mean_features(graphs: Graphs) -> Tensor:
    """Return the mean features of the nodes, `[G, d]`."""
    return MeanReadout(graphs.ptr) @ graphs.floating().x


def feature_scale(graphs: Graphs) -> Tensor:
    """Return the root of the total variance of the nodes' features; the length of the mean features
    where there is no variance, and 1 where that is zero, too.
    """
    x = graphs.floating().x
    scale = x.var(0, correction=0).sum().sqrt()
    length = x.mean(0).norm()
    tiny = torch.finfo(x.dtype).eps * length
    return scale if scale > tiny else length if length > 0 else torch.ones(())


def _compared(found: Tensor, promised: Tensor) -> tuple[float, float]:
    """Return the ratio of means, and the mean relative error where something was promised."""
    some = promised > 0
    error = (found[some] / promised[some] - 1).abs().mean()
    return float(found.mean() / promised.mean()), float(error)
