"""A lower bound of the edit distance from the nodes and their stars (bipartite matching, Riesen and
Bunke 2009).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from smixup.edits.edit_problem import EditProblem, Order
from smixup.edits.weighted_graph import Array


@dataclass(frozen=True, eq=False)
class StarMatching:
    """The best assignment of nodes if every edge could be changed at each of its two ends by
    itself.

    Attributes:
        bound: never more than the edit distance.
        order: the assignment; an edit path, hence a good start for a search.
    """

    bound: float
    order: Order


def match_stars(problem: EditProblem) -> StarMatching:
    """Bound the edit distance from below.

    Half of what an edge costs is paid at each end. At the node i that becomes k, the weights of the
    edges of i are matched with those of k; the real partners of these edges are one way of doing it
    and the sorted order is the cheapest. So the assignment problem with node costs plus half the
    cheapest stars costs at most what any edit path costs.
    """
    costs = problem.nodes + star_costs(problem.adj1, problem.adj2) / 2
    rows, order = linear_sum_assignment(costs)
    return StarMatching(float(costs[rows, order].sum()), np.asarray(order, dtype=np.int64))


def star_costs(adj1: Array, adj2: Array) -> Array:
    """Return the cheapest way to turn the edge weights at node i into those at node k, `[N, N]`."""
    return np.asarray(
        cdist(np.sort(adj1, axis=1), np.sort(adj2, axis=1), "cityblock"), dtype=np.float64
    )
