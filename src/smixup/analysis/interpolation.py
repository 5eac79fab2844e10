"""Does a mix lie where its ratio puts it (Sec. 5.2)? By edit distances, for small graphs."""

from __future__ import annotations

import math
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from smixup.analysis.interval import Interval
from smixup.analysis.mixes import Mixes
from smixup.analysis.mixup_error import normalized_ged, normalized_interval
from smixup.edits.edit_costs import METRIC, EditCosts
from smixup.edits.edit_distance import EditDistance, EditSolver, edit_distance
from smixup.edits.weighted_graph import WeightedGraph

Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Triangle:
    """The distances among a mix and its two graphs, and the ratio."""

    lam: float
    to_left: EditDistance
    to_right: EditDistance
    between: EditDistance

    @property
    def error(self) -> float:
        """`|epsilon - lam|`; NaN if all three are one graph."""
        return abs(normalized_ged(self.to_left.value, self.to_right.value) - self.lam)

    @property
    def within(self) -> Interval:
        """What is proved of the error."""
        epsilon = normalized_interval(self.to_left, self.to_right)
        ends = abs(epsilon.lower - self.lam), abs(epsilon.upper - self.lam)
        inside = epsilon.lower <= self.lam <= epsilon.upper
        return Interval(0.0 if inside else min(ends), max(ends))

    @property
    def exact(self) -> bool:
        """Whether the error is known."""
        return self.to_left.exact and self.to_right.exact


@dataclass(frozen=True)
class InterpolationError:
    """How far mixes are from where their ratios put them.

    Attributes:
        error: mean of `|epsilon - lam|`, with
            `epsilon = GED(G', G2) / (GED(G', G1) + GED(G', G2))`.
        least, most: what is proved of that mean; both are `error` where all distances are exact.
        exact: share of mixes whose two distances are exact.
        detour: `GED(G', G1) + GED(G', G2)` over `GED(G1, G2)`, sums over all mixes: 1 if mixes lie
            on shortest ways from one graph to the other. A mix that is far from both of its graphs
            can have an error of zero, but not a detour of 1. NaN if the graphs of all pairs are
            equal.
        pairs: how many mixes.
    """

    error: float
    least: float
    most: float
    exact: float
    detour: float
    pairs: int

    @classmethod
    def of(cls, triangles: Sequence[Triangle]) -> InterpolationError | None:
        """Average over mixes; None without any. Where G1, G2 and the mix are one graph there is
        nothing to measure.
        """
        known = [each for each in triangles if not math.isnan(each.error)]
        if not known:
            return None
        n, whole = len(known), sum(each.between.value for each in known)
        ways = sum(each.to_left.value + each.to_right.value for each in known)
        return cls(
            error=sum(each.error for each in known) / n,
            least=sum(each.within.lower for each in known) / n,
            most=sum(each.within.upper for each in known) / n,
            exact=sum(each.exact for each in known) / n,
            detour=ways / whole if whole > 0 else math.nan,
            pairs=n,
        )


def interpolation_error(
    mixes: Mixes,
    costs: EditCosts = METRIC,
    solver: EditSolver | None = None,
    known: MutableMapping[Pair, EditDistance] | None = None,
) -> InterpolationError | None:
    """Measure all mixes of two graphs; None if there are none, or if they are no graphs.

    Example::

        mixes = make_mixes(SubMix(), small_graphs, 50, judge)
        interpolation_error(mixes).error

    Args:
        mixes: of graphs that are small enough for edit distances.
        costs: of the operations; metric by default, since with squared costs even a perfect mix is
            off.
        solver: how much effort a distance is worth.
        known: distances between originals, by their places: those that are missing are added, for
            other mixes of the same originals.
    """
    known = {} if known is None else known

    def distance(left: WeightedGraph, right: WeightedGraph) -> EditDistance:
        # Most mixes stand on the nodes of G1: their order is worth a try.
        same = [range(len(left))] if len(left) == len(right) else []
        return edit_distance(left, right, costs, same, solver)

    found = []
    for each in triples(mixes):
        if each.places not in known:
            known[each.places] = distance(each.left, each.right)
        to_left, to_right = (distance(each.mix, side) for side in (each.left, each.right))
        found.append(Triangle(each.lam, to_left, to_right, known[each.places]))
    return InterpolationError.of(found)


@dataclass(frozen=True, eq=False)
class Triple:
    """A mix and its two graphs.

    Attributes:
        mix: G'.
        left: G1.
        right: G2.
        lam: the ratio.
        places: of G1 and G2 among the originals.
    """

    mix: WeightedGraph
    left: WeightedGraph
    right: WeightedGraph
    lam: float
    places: Pair


def triples(mixes: Mixes) -> list[Triple]:
    """Return every mix of two graphs with G1, G2 and lambda."""
    mixes = mixes.only_pairs()
    graphs, parents = mixes.graphs, mixes.parents
    if graphs is None or parents is None:
        return []
    behind = zip(parents.left.tolist(), parents.right.tolist(), parents.lam.tolist(), strict=True)
    return [
        Triple(
            WeightedGraph.from_batch(graphs[[place]]),
            WeightedGraph.from_batch(mixes.originals[[left]]),
            WeightedGraph.from_batch(mixes.originals[[right]]),
            lam,
            (left, right),
        )
        for place, (left, right, lam) in enumerate(behind)
    ]
