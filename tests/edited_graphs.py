"""Random graphs, and two independent ways to their edit distance."""

from __future__ import annotations

import networkx as nx
import numpy as np

from smixup.edits.problem import EditCosts, WeightedGraph


def draw(
    n: int, random: np.random.Generator, density: float = 0.5, least: float = -1.0
) -> WeightedGraph:
    """A graph with weights in [0, 1], self-loops among them, and two features in [least, 1]."""
    upper = np.triu((random.random((n, n)) < density) * random.random((n, n)))
    return WeightedGraph.of(np.maximum(upper, upper.T), random.uniform(least, 1, (n, 2)))


def change(a: np.ndarray, b: np.ndarray, costs: EditCosts) -> float:
    return costs.node_weight * float(np.linalg.norm(a - b)) ** costs.exponent


def by_recursion(left: WeightedGraph, right: WeightedGraph, costs: EditCosts) -> float:
    """The definition, slowly: every node of G1 goes to a free node of G2 or is deleted."""
    nothing = np.zeros(left.x.shape[1])

    def finished(partner: list[int | None]) -> float:
        total = 0.0
        for i, k in enumerate(partner):
            total += change(left.x[i], nothing if k is None else right.x[k], costs)
            for j in range(i + 1):
                other = partner[j]
                total += abs(
                    left.adj[i, j] - (0 if k is None or other is None else right.adj[k, other])
                )
        for k in range(len(right)):
            total += change(right.x[k], nothing, costs) if k not in partner else 0
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


def by_networkx(left: WeightedGraph, right: WeightedGraph, costs: EditCosts) -> float:
    """networkx with the costs as callables; the loop of a node is an attribute of it."""

    def removal(node: dict) -> float:
        return change(node["x"], np.zeros_like(node["x"]), costs) + node["loop"]

    found = nx.graph_edit_distance(
        as_networkx(left),
        as_networkx(right),
        node_subst_cost=lambda a, b: change(a["x"], b["x"], costs) + abs(a["loop"] - b["loop"]),
        node_del_cost=removal,
        node_ins_cost=removal,
        edge_subst_cost=lambda a, b: abs(a["weight"] - b["weight"]),
        edge_del_cost=lambda edge: edge["weight"],
        edge_ins_cost=lambda edge: edge["weight"],
    )
    assert found is not None
    return float(found)


def as_networkx(graph: WeightedGraph) -> nx.Graph:
    made = nx.from_numpy_array(graph.adj - np.diag(graph.loops))
    nx.set_node_attributes(made, dict(enumerate(graph.x)), "x")
    nx.set_node_attributes(made, dict(enumerate(graph.loops)), "loop")
    return made
