"""A tighter lower bound of the edit distance: costs of pairs of matches are shifted to where they
count most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from smixup.edits.edit_problem import EditProblem
from smixup.edits.weighted_graph import Array

Index = NDArray[np.int64]
ROUNDING = 1e-9


def ascend(problem: EditProblem, rounds: int, enough: float = np.inf) -> float:
    """Return a lower bound that rises from round to round (dual ascent, Hahn and Grant 1998).

    An alignment chooses N matches `i -> k`, and with each of them N - 1 others `j -> l`. Node costs
    belong to matches, costs of edges to pairs of matches, half of them to each of its two orders.
    Without changing what any alignment costs, a round solves the assignment problem of the others
    under each match, whose value becomes a cost of the match; the assignment problem of the matches
    then adds to the bound. Before the next round, what is left of a match is spread over its pairs,
    and the two orders of a pair are evened out. What remains is never negative, so the bound holds.
    The first round gives that of the stars.

    Args:
        problem: two graphs; takes `N^4` numbers.
        rounds: more are tighter and slower.
        enough: a bound at which to stop, such as the cost of an edit path.
    """
    N = problem.size
    if N < 2:
        return float(problem.nodes.sum())
    pairs = np.abs(problem.adj1[:, None, :, None] - problem.adj2[None, :, None, :]) / 2
    others = Others.of(N)
    matches, bound = problem.nodes, 0.0
    for _ in range(rounds):
        rest, values = reduced(others.of_each_match(pairs))
        others.put_back(pairs, rest)
        left, value = reduced((matches + values.reshape(N, N))[None])
        matches, bound = left[0], bound + float(value[0])
        if bound >= enough:
            break
        pairs = pairs + (matches / (N - 1))[:, :, None, None]
        pairs, matches = (pairs + pairs.transpose(2, 3, 0, 1)) / 2, np.zeros((N, N))
    return bound - ROUNDING * N


class Others:
    """Which matches can stand beside a match: those of other nodes with other partners."""

    def __init__(self, places: tuple[Index, Index, Index, Index]) -> None:
        self.places = places

    @classmethod
    def of(cls, N: int) -> Others:
        """List the others of every node."""
        every = np.arange(N)
        rest = np.array([np.delete(every, i) for i in every])
        i, k = every[:, None, None, None], every[None, :, None, None]
        return cls((i, k, rest[:, None, :, None], rest[None, :, None, :]))

    def of_each_match(self, pairs: Array) -> Array:
        """Return the assignment problem under every match, `[N N, N - 1, N - 1]`."""
        N = len(pairs)
        return pairs[self.places].reshape(N * N, N - 1, N - 1)

    def put_back(self, pairs: Array, rest: Array) -> None:
        """Write what remains of the assignment problems into `pairs`."""
        N = len(pairs)
        pairs[self.places] = rest.reshape(N, N, N - 1, N - 1)


def reduced(costs: Array) -> tuple[Array, Array]:
    """Solve assignment problems `[b, m, m]`; return what each entry costs beyond its dual prices,
    and the values `[b]`.

    The duals of the columns are shortest paths in the graph of exchanges: column `s(j)` may hand
    row j to column l for `c[j, l] - c[j, s(j)]`. An optimal assignment has no negative cycles, so
    at most m rounds settle them.
    """
    b, m = costs.shape[:2]
    chosen = np.stack([linear_sum_assignment(each)[1] for each in costs])
    paid = np.take_along_axis(costs, chosen[:, :, None], 2)
    detour = costs - paid
    prices = np.zeros((b, m))
    for _ in range(m):
        cheaper = np.minimum(
            prices, (detour + np.take_along_axis(prices, chosen, 1)[:, :, None]).min(1)
        )
        if np.array_equal(cheaper, prices):
            break
        prices = cheaper
    rows = paid[:, :, 0] - np.take_along_axis(prices, chosen, 1)
    return np.maximum(costs - rows[:, :, None] - prices[:, None], 0.0), paid.sum((1, 2))
