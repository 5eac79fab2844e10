"""The graph edit distance (Def. 1, Sec. 5.2): exact for small graphs, between two bounds for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from smixup.analysis.bipartite import match_stars
from smixup.analysis.edit_costs import AS_PRINTED, EditCosts
from smixup.analysis.edit_problem import EditProblem, NodeMap, Order
from smixup.analysis.enumeration import enumerate_orders
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
        search: for cheap edit paths.
        exact_nodes: graphs of up to so many nodes are solved exactly: by enumeration if few alignments can be cheap
            enough, else by an integer program.
        exact_starts: random starts of the search where a proof follows.
        enumerated: how many numbers an enumeration may keep at once before the integer program takes over.
        seconds: after which the integer program is given up; the bounds remain.
    """

    search: FrankWolfe = field(default_factory=FrankWolfe)
    exact_nodes: int = 12
    exact_starts: int = 8
    enumerated: int = 10_000_000
    seconds: float = 10.0

    def __post_init__(self) -> None:
        for name in ("exact_nodes", "exact_starts", "enumerated", "seconds"):
            require(getattr(self, name) >= 0, name, getattr(self, name), "zero or more")

    def solve(self, problem: EditProblem, alignments: Sequence[NodeMap] = ()) -> EditDistance:
        """Return what can be known of the distance, never more than the given alignments cost."""
        stars = match_stars(problem)
        orders = [*(problem.order_of(each) for each in alignments), stars.order]
        small = max(problem.n1, problem.n2) <= self.exact_nodes
        search = replace(self.search, starts=min(self.search.starts, self.exact_starts)) if small else self.search
        order = search.search(problem, orders, stars.bound + TOLERANCE)
        bounds = _known(problem, order, stars.bound)
        return bounds if bounds.exact or not small else self._proved(problem, order, bounds)

    def _proved(self, problem: EditProblem, order: Order, bounds: EditDistance) -> EditDistance:
        """Look for a cheaper order until there is none, or time is over."""
        found = enumerate_orders(problem, bounds.upper, self.enumerated)
        if found.complete:
            return _known(problem, order if found.order is None else found.order, np.inf)
        proof = solve(problem, bounds.upper, self.seconds)
        best = order if proof.order is None else min(order, proof.order, key=problem.cost)
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
