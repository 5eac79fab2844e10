"""How far a mixed graph is from where its ratio puts it (Theorem 1, Sec. 5.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from smixup.analysis.interval import Interval, Verdict, spread
from smixup.edits.edit_costs import EditCosts
from smixup.edits.edit_distance import EditDistance
from smixup.edits.edit_problem import EditProblem
from smixup.edits.weighted_graph import WeightedGraph


@dataclass(frozen=True)
class PairDistances:
    """What Theorem 1 needs to know of a pair, whatever the ratio.

    Attributes:
        between: e, the distance of G1 and G2.
        to_aligned: b, the distance of G1 and G2'.
        moved: c, the distance of G2 and G2': what the transformation did.
        identity: D, the cost of turning G1 into G2' node by node, without looking for a cheaper
            alignment.
    """

    between: EditDistance
    to_aligned: EditDistance
    moved: EditDistance
    identity: float

    @property
    def identity_excess(self) -> float:
        """s = D - b: by how much the identity misses the best alignment of G1 and G2', if b is
        exact.
        """
        return max(self.identity - self.to_aligned.value, 0.0)

    def printed_bound(self, lam: float) -> Interval:
        """Return the right-hand side of Theorem 1."""
        return spread(
            lambda b, c: printed_bound(lam, b, c), known(self.to_aligned), known(self.moved)
        )

    def corrected_least(self, lam: float) -> Interval:
        """Return the least that `epsilon - lam` can be."""
        return spread(lambda e: corrected_least(lam, self.identity, e), known(self.between))

    def corrected_most(self, lam: float) -> Interval:
        """Return the most that `epsilon - lam` can be."""
        terms = known(self.to_aligned), known(self.moved)
        return spread(lambda b, c: corrected_most(lam, self.identity, b, c), *terms)


@dataclass(frozen=True)
class MixupError:
    """One mixed graph, measured.

    Attributes:
        lam: the ratio lambda.
        epsilon: the normalised distance, by the best that is known of its two distances; NaN if G1,
            G2 and the mix are the same graph.
        within: what is proved of epsilon.
        bound: the right-hand side of Theorem 1 as printed.
        printed: whether `|epsilon - lam| <= bound`.
        one_sided: whether `epsilon - lam <= bound`, which is all that the printed proof argues for.
        corrected: whether `corrected_least <= epsilon - lam <= corrected_most`.
    """

    lam: float
    epsilon: float
    within: Interval
    bound: Interval
    printed: Verdict
    one_sided: Verdict
    corrected: Verdict

    @classmethod
    def of(
        cls, lam: float, to_left: EditDistance, to_right: EditDistance, pair: PairDistances
    ) -> MixupError:
        """Compare a mixed graph with what Theorem 1 says of it.

        Args:
            lam: the ratio.
            to_left: distance from the mixed graph to G1.
            to_right: distance from the mixed graph to G2.
            pair: the distances among G1, G2 and G2'.
        """
        within, bound = normalized_interval(to_left, to_right), pair.printed_bound(lam)
        above = Interval(within.lower - lam, within.upper - lam)
        below = Interval(-above.upper, -above.lower)
        one_sided, least = above.reaches(bound), pair.corrected_least(lam)
        at_least = below.reaches(Interval(-least.upper, -least.lower))
        return cls(
            lam=lam,
            epsilon=normalized_ged(to_left.value, to_right.value),
            within=within,
            bound=bound,
            printed=one_sided.and_(below.reaches(bound)),
            one_sided=one_sided,
            corrected=at_least.and_(above.reaches(pair.corrected_most(lam))),
        )


def normalized_ged(to_left: float, to_right: float) -> float:
    """Return `epsilon = GED(G', G2) / (GED(G', G1) + GED(G', G2))`; NaN for `0 / 0`."""
    return _ratio(to_right, to_left + to_right)


def normalized_interval(to_left: EditDistance, to_right: EditDistance) -> Interval:
    """Return between what epsilon lies."""
    least = _ratio(to_right.lower, to_left.upper + to_right.lower)
    most = _ratio(to_right.upper, to_left.lower + to_right.upper)
    return Interval(0.0 if math.isnan(least) else least, 1.0 if math.isnan(most) else most)


def printed_bound(lam: float, to_aligned: float, moved: float) -> float:
    """Return `(1 - lam) c / (b + c)`, the bound of Theorem 1; zero where G1, G2 and G2' are one
    graph.
    """
    return (1 - lam) * moved / (to_aligned + moved) if to_aligned + moved > 0 else 0.0


def corrected_least(lam: float, identity: float, between: float) -> float:
    """Return the least that `epsilon - lam` can be: `(1 - lam) (1 - D / e)`, and never below
    `-lam`.
    """
    return max(-lam, (1 - lam) * (1 - identity / between)) if between > 0 else -lam


def corrected_most(lam: float, identity: float, to_aligned: float, moved: float) -> float:
    """Return the most that `epsilon - lam` can be: `(lam (D - b) + (1 - lam) c) / (b + c)`, never
    above `1 - lam`.
    """
    if to_aligned + moved == 0:
        return 1 - lam
    return min(1 - lam, (lam * (identity - to_aligned) + (1 - lam) * moved) / (to_aligned + moved))


def identity_distance(left: WeightedGraph, right: WeightedGraph, costs: EditCosts) -> float:
    """Return what turning one graph into another on the same nodes costs node by node."""
    problem = EditProblem.of(left, right, costs)
    return problem.cost(problem.order_of(range(len(left))))


def known(distance: EditDistance) -> Interval:
    """Return what is proved of a distance."""
    return Interval(distance.lower, distance.upper)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan
