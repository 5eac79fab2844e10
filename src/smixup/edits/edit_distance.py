"""The graph edit distance (Def. 1, Sec. 5.2): exact for small graphs, between two bounds for
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from smixup.edits.bipartite import match_stars
from smixup.edits.dual_ascent import ascend
from smixup.edits.edit_costs import AS_PRINTED, EditCosts
from smixup.edits.edit_problem import EditProblem, NodeMap, Order
from smixup.edits.enumeration import enumerate_orders
from smixup.edits.exact import solve
from smixup.edits.frank_wolfe import FrankWolfe
from smixup.edits.weighted_graph import WeightedGraph
from smixup.ranges import Natural, NotNegative, RangedFields

TOLERANCE = 1e-6


@dataclass(frozen=True)
class EditDistance:
    """What is known of a distance.

    Attributes:
        lower, upper: it lies between them; equal if it is exact.
        exact: whether no edit path is cheaper than `upper`, proved.
        node_map: the partner in G2 of each node of G1 in an edit path that costs `upper`, -1 for
            deleted nodes; nodes of G2 that are nobody's partner are inserted.
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
class EditSolver(RangedFields):
    """How much effort a distance is worth.

    After a quick lower bound and a search for a cheap path, a proof is tried as long as the two do
    not meet: first all alignments are enumerated that may be cheap enough, then an integer program
    is solved if the graphs are small; what is still open gets a tighter lower bound.

    Attributes:
        search: for cheap edit paths.
        small_starts: random starts of the search for small graphs, where a proof follows.
        enumerated: how many numbers an enumeration may keep at once.
        exact_nodes: up to so many nodes graphs are small, and the integer program is solved.
        seconds: after which the integer program is given up.
        rounds: of the dual ascent.
        ascent_nodes: up to so many nodes, empty ones included, a dual ascent is made.
    """

    search: FrankWolfe = field(default_factory=FrankWolfe)
    small_starts: Natural = 8
    enumerated: Natural = 4_000_000
    exact_nodes: Natural = 12
    seconds: NotNegative = 10.0
    rounds: Natural = 6
    ascent_nodes: Natural = 24

    def solve(self, problem: EditProblem, alignments: Sequence[NodeMap] = ()) -> EditDistance:
        """Return what can be known of the distance, never more than the given alignments cost."""
        stars = match_stars(problem)
        orders = [*(problem.order_of(each) for each in alignments), stars.order]
        search = (
            replace(self.search, starts=self.small_starts) if self._small(problem) else self.search
        )
        found = Found(problem, search.search(problem, orders, stars.bound), stars.bound)
        for step in (self._enumerate, self._program, self._ascend):
            found = found if found.exact else step(found)
        return found.distance()

    def _small(self, problem: EditProblem) -> bool:
        return max(problem.n1, problem.n2) <= self.exact_nodes

    def _enumerate(self, found: Found) -> Found:
        result = enumerate_orders(found.problem, found.upper, self.enumerated)
        better = found.or_cheaper(result.order)
        return better.proved() if result.complete else better

    def _program(self, found: Found) -> Found:
        if not self._small(found.problem):
            return found
        proof = solve(found.problem, found.upper, self.seconds)
        better = found.or_cheaper(proof.order)
        return better.proved() if proof.optimal else better.at_least(proof.lower)

    def _ascend(self, found: Found) -> Found:
        if found.problem.size > self.ascent_nodes:
            return found
        return found.at_least(ascend(found.problem, self.rounds, found.upper))


@dataclass(frozen=True, eq=False)
class Found:
    """How far the solver is: the cheapest order, and what it costs at least."""

    problem: EditProblem
    order: Order
    lower: float

    @cached_property
    def upper(self) -> float:
        """What the order costs."""
        return self.problem.cost(self.order)

    @property
    def exact(self) -> bool:
        """Whether nothing is cheaper than the order."""
        return self.lower >= self.upper - TOLERANCE * max(1.0, self.upper)

    def or_cheaper(self, order: Order | None) -> Found:
        """Take another order if it is cheaper."""
        if order is None or self.problem.cost(order) >= self.upper:
            return self
        return replace(self, order=order)

    def at_least(self, lower: float) -> Found:
        """Take another lower bound if it is higher."""
        return replace(self, lower=max(lower, self.lower))

    def proved(self) -> Found:
        """Nothing is cheaper than the order."""
        return replace(self, lower=self.upper)

    def distance(self) -> EditDistance:
        """Return what the user gets."""
        lower = self.upper if self.exact else max(self.lower, 0.0)
        return EditDistance(lower, self.upper, self.exact, self.problem.node_map(self.order))


def edit_distance(
    left: WeightedGraph,
    right: WeightedGraph,
    costs: EditCosts = AS_PRINTED,
    alignments: Sequence[NodeMap] = (),
    solver: EditSolver | None = None,
) -> EditDistance:
    """Return the least cost of turning `left` into `right`, each node and each edge being edited at
    most once.

    Args:
        left: G1.
        right: G2.
        costs: of the operations.
        alignments: partners in G2 of the nodes of G1 (-1: none) that are worth a try; the result
            costs no more than the best of them.
        solver: how much effort to spend.
    """
    return (solver or EditSolver()).solve(EditProblem.of(left, right, costs), alignments)
