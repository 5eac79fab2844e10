"""What can be said of one pair and one alignment in numbers: what is kept, what is distorted, and
whether the mix lies where its ratio puts it (Sec. 5.1 and 5.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from smixup.app.studies.mixed_pair import MixedPair
from smixup.augment.adaptive import distortion
from smixup.edits.edit_costs import METRIC
from smixup.edits.edit_distance import EditDistance, edit_distance
from smixup.edits.weighted_graph import WeightedGraph
from smixup.graphs import Graphs, Operator
from smixup.matching.quality import motif_kept

MEASURED_NODES = 40
"""Edit distances of larger graphs take too long for a page that is made while one waits."""


@dataclass(frozen=True)
class PairFigures:
    """The numbers of one pair and one alignment.

    Attributes:
        motif_kept: share of the motif of G2 that lands on that of G1; None unless both are known
            and of one class.
        distortion: how far G2' is from G2, from 0 to 1, as `augment.adaptive` estimates it.
        error: `|epsilon - lam|` of the mix, by the shortest edit paths that were found; None if it
            was not measured, or if there is nothing to measure.
        least, most: the same.
        detour: `(GED(G', G1) + GED(G', G2)) / GED(G1, G2)`, 1 on a shortest way.
    """

    motif_kept: float | None
    distortion: float
    error: float | None = None
    least: float | None = None
    most: float | None = None
    detour: float | None = None

    @classmethod
    def of(cls, M: Operator, pair: MixedPair, between: EditDistance | None) -> PairFigures:
        """Measure a pair that was mixed along M.

        Args:
            M: the alignment.
            pair: what came of it.
            between: the distance of G1 and G2; None to leave out what needs edit distances.
        """
        left, right = pair.left, pair.right
        known = left.motif is not None and right.motif is not None and left.y.equal(right.y)
        kept = float(motif_kept(M, left, right)) if known else math.nan
        numbers = _number(kept), float(distortion(M, left, right))
        if between is None:
            return cls(*numbers)
        to_left, to_right = (_distance(pair.mixed, side) for side in (left, right))
        ways = to_left.upper + to_right.upper
        if ways == 0:
            return cls(*numbers)
        error = abs(to_right.upper / ways - pair.lam)
        detour = ways / between.upper if between.upper > 0 else None
        return cls(*numbers, error, error, error, detour)


def distance_between(left: Graphs, right: Graphs) -> EditDistance | None:
    """Return the edit distance of G1 and G2, or what was found of it; None if they are large."""
    if max(left.num_nodes, right.num_nodes) > MEASURED_NODES:
        return None
    return _distance(left, right)


def _distance(one: Graphs, other: Graphs) -> EditDistance:
    first, second = WeightedGraph.from_batch(one), WeightedGraph.from_batch(other)
    same = [range(len(first))] if len(first) == len(second) else []
    return edit_distance(first, second, METRIC, same, starts=6, enumerated=200_000)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
