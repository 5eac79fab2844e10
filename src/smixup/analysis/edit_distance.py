"""The graph edit distance (Def. 1, Sec. 5.2): exact for small graphs, between two bounds for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from smixup.analysis.bipartite import match_stars
from smixup.analysis.edit_costs import AS_PRINTED, EditCosts
from smixup.analysis.edit_problem import EditProblem, NodeMap, Order
from smixup.analysis.exact import solve
from smixup.analysis.frank_wolfe import FrankWolfe
from smixup.analysis.weighted_graph import WeightedGraph
from smixup.errors import require

TOLERANCE = 1e-6


@dataclass(frozen=True)
class EditDistance:
    """What is known of a distance.

    Attributes:
        lower, upper: it lies between them; equal if it is exact.
        exact: whether no edit path is cheaper than `upper`, proved.
        node_map: the partner in G2 of each node of G1 in an edit path that costs `upper`, -1 for deleted nodes; nodes
            of G2 that are nobody's partner are inserted.
    """

    lower: float
    upper: float
    exact: bool
    node_map: tuple[int, ...]

    @property
    def value(self) -> float:
        """The best that is known: the distance if it is exact, else the cheapest path found."""
        return self.upper

    @property
    def gap(self) -> float:
        """By which share of itself the value may be too large."""
        return 0.0 if self.upper == self.lower else (self.upper - self.lower) / self.upper


@dataclass(frozen=True)
class EditSolver:
    """How much effort a distance is worth.

    Attributes:
        exact_nodes: graphs of up to so many nodes are solved exactly.
        exact_seconds: after which a proof is given up; the bounds remain.
        search: for cheap edit paths.
    """

    exact_nodes: int = 12
    exact_seconds: float = 10.0
    search: FrankWolfe = field(default_factory=FrankWolfe)

    def __post_init__(self) -> None:
        require(self.exact_nodes >= 0, "exact_nodes", self.exact_nodes, "zero or more")
        require(self.exact_seconds >= 0, "exact_seconds", self.exact_seconds, "zero or more")

    def solve(self, problem: EditProblem, alignments: Sequence[NodeMap] = ()) -> EditDistance:
        """Return what can be known of the distance, never more than the given alignments cost."""
        stars = match_stars(problem)
        order = self.search.search(problem, [stars.order, *(problem.order_of(each) for each in alignments)])
        bounds = _known(problem, order, stars.bound)
        small = max(problem.n1, problem.n2) <= self.exact_nodes
        return bounds if bounds.exact or not small else self._proved(problem, order, bounds)

    def _proved(self, problem: EditProblem, order: Order, bounds: EditDistance) -> EditDistance:
        proof = solve(problem, bounds.upper, self.exact_seconds)
        found = [each for each in (order, proof.order) if each is not None]
        best = min(found, key=problem.cost)
        return _known(problem, best, np.inf if proof.optimal else max(bounds.lower, proof.lower))


def edit_distance(
    left: WeightedGraph,
    right: WeightedGraph,
    costs: EditCosts = AS_PRINTED,
    alignments: Sequence[NodeMap] = (),
    solver: EditSolver | None = None,
) -> EditDistance:
    """Return the least cost of turning `left` into `right`, each node and each edge being edited at most once.

    Args:
        left: G1.
        right: G2.
        costs: of the operations.
        alignments: partners in G2 of the nodes of G1 (-1: none) that are worth a try; the result costs no more than the
            best of them.
        solver: how much effort to spend.
    """
    return (solver or EditSolver()).solve(EditProblem.of(left, right, costs), alignments)


def _known(problem: EditProblem, order: Order, lower: float) -> EditDistance:
    upper = problem.cost(order)
    exact = lower >= upper - TOLERANCE * max(1.0, upper)
    return EditDistance(upper if exact else max(lower, 0.0), upper, exact, problem.node_map(order))
