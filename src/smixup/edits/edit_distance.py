"""The graph edit distance (Def. 1, Sec. 5.2): exact for small graphs, between two bounds for
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smixup.edits.bipartite import match_stars
from smixup.edits.edit_costs import AS_PRINTED, EditCosts
from smixup.edits.edit_problem import EditProblem, NodeMap
from smixup.edits.enumeration import enumerate_orders
from smixup.edits.frank_wolfe import FrankWolfe
from smixup.edits.weighted_graph import WeightedGraph

TOLERANCE = 1e-6


@dataclass(frozen=True)
class EditDistance:
    """What is known of a distance.

    Attributes:
        lower, upper: it lies between them; equal if it is exact.
        node_map: the partner in G2 of each node of G1 in an edit path that costs `upper`, -1 for
            deleted nodes; nodes of G2 that are nobody's partner are inserted.
    """

    lower: float
    upper: float
    node_map: tuple[int, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether it is proved that no edit path is cheaper than `upper`."""
        return self.lower == self.upper


def edit_distance(
    left: WeightedGraph,
    right: WeightedGraph,
    costs: EditCosts = AS_PRINTED,
    alignments: Sequence[NodeMap] = (),
    starts: int = 8,
    enumerated: int = 4_000_000,
) -> EditDistance:
    """Return the least cost of turning `left` into `right`, each node and each edge being edited at
    most once.

    A cheap edit path is searched for; then all alignments that may be cheaper are enumerated, which
    proves it for nine nodes and often for more. Otherwise the stars of nodes give a lower bound.

    Args:
        left, right: G1 and G2.
        costs: of the operations.
        alignments: partners in G2 of the nodes of G1 (-1: none) that are worth a try; the result
            costs no more than the best of them.
        starts: random starts of the search.
        enumerated: how many numbers the enumeration may keep at once.
    """
    problem = EditProblem.of(left, right, costs)
    stars = match_stars(problem)
    orders = [*map(problem.order_of, alignments), stars.order]
    order = FrankWolfe(starts).search(problem, orders, stars.bound)
    upper = problem.cost(order)
    proved = stars.bound >= upper - TOLERANCE * max(1.0, upper)
    if not proved:
        rest = enumerate_orders(problem, upper, enumerated)
        order = order if rest.order is None else rest.order
        upper, proved = problem.cost(order), rest.complete
    lower = upper if proved else min(max(stars.bound, 0.0), upper)
    return EditDistance(lower, upper, problem.node_map(order))
