"""Local search: swap the partners of two nodes as long as that is cheaper."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from smixup.edits.edit_problem import EditProblem, Order
from smixup.edits.weighted_graph import Array

LEAST_GAIN = 1e-9


def improve(problem: EditProblem, order: Order) -> Order:
    """Return an order that no swap of two partners makes cheaper."""
    order = order.copy()
    while problem.size > 1:
        gain = swap_gains(problem, order)
        r, s = np.unravel_index(int(gain.argmax()), gain.shape)
        if gain[r, s] < LEAST_GAIN:
            break
        order[[r, s]] = order[[s, r]]
    return order


def swap_gains(problem: EditProblem, order: Order) -> Array:
    """Return by how much the cost falls if nodes r and s swap partners, `[N, N]`.

    The edge between r and s keeps its partner. For all others the rows of the two weight matrices
    are compared; the places r and s of a row do not count.
    """
    A, B = problem.adj1, problem.adj2[np.ix_(order, order)]
    C = problem.nodes[:, order]
    rows = C + np.asarray(cdist(A, B, "cityblock"))
    now = rows.diagonal()
    gain = now[:, None] + now[None] - rows - rows.T - 2 * np.abs(A - B) + 2 * (A + B)
    return np.asarray(gain, dtype=np.float64)
