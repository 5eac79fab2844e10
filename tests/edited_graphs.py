"""Random graphs, and their edit distance by its definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from smixup.augment.edit_search import EditProblem, WeightedGraph, shortest_path


def graph_of(adj: ArrayLike, x: ArrayLike | None = None) -> WeightedGraph:
    """A graph of a matrix; without features nodes cost nothing."""
    weights = np.array(adj, dtype=np.float64)
    features = np.zeros((len(weights), 0)) if x is None else np.array(x, dtype=np.float64)
    return WeightedGraph(weights, features)


def draw(
    n: int, random: np.random.Generator, density: float = 0.5, least: float = -1.0
) -> WeightedGraph:
    """A graph with weights in [0, 1], self-loops among them, and two features in [least, 1]."""
    upper = np.triu((random.random((n, n)) < density) * random.random((n, n)))
    return WeightedGraph(np.maximum(upper, upper.T), random.uniform(least, 1, (n, 2)))


def plain(graph: WeightedGraph) -> WeightedGraph:
    """The same without features: edges alone cost something."""
    return graph_of(graph.adj)


def distance(left: WeightedGraph, right: WeightedGraph, exponent: float) -> float:
    """The least cost of an edit path that the search finds."""
    problem = EditProblem.of(left, right, exponent)
    return problem.cost(shortest_path(problem))


def by_recursion(left: WeightedGraph, right: WeightedGraph, exponent: float) -> float:
    """The definition, slowly: every node of G1 goes to a free node of G2 or is deleted."""
    nothing = np.zeros(left.x.shape[1])

    def change(a: np.ndarray, b: np.ndarray) -> float:
        norm = float(np.linalg.norm(a - b))
        return norm**exponent if norm > 0 else 0.0

    def finished(partner: list[int | None]) -> float:
        total = 0.0
        for i, k in enumerate(partner):
            total += change(left.x[i], nothing if k is None else right.x[k])
            for j in range(i + 1):
                other = partner[j]
                total += abs(
                    left.adj[i, j] - (0 if k is None or other is None else right.adj[k, other])
                )
        for k in range(len(right)):
            total += change(right.x[k], nothing) if k not in partner else 0
            total += sum(
                right.adj[k, m] for m in range(k + 1) if k not in partner or m not in partner
            )
        return total

    def best(partner: list[int | None]) -> float:
        if len(partner) == len(left):
            return finished(partner)
        free = [k for k in range(len(right)) if k not in partner]
        return min(best([*partner, k]) for k in [None, *free])

    return best([])
