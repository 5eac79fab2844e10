"""The exact edit distance of small graphs, as an integer program for SciPy's HiGHS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import coo_array, csr_array, vstack

from smixup.edits.edit_problem import EditProblem, Order, nearest_order
from smixup.edits.weighted_graph import Array

Index = NDArray[np.int64]
CUTOFF_SLACK = 1e-6
OPTIMAL, NONE_CHEAPER = 0, 2


@dataclass(frozen=True, eq=False)
class Proof:
    """What the solver found.

    Attributes:
        order: its cheapest one, None if it found none that is cheaper than what was known.
        lower: a bound that it proved.
        optimal: whether nothing is cheaper than the order, or than what was known if there is none.
    """

    order: Order | None
    lower: float
    optimal: bool


def solve(problem: EditProblem, known: float, seconds: float) -> Proof:
    """Search among the edit paths that cost no more than a known one.

    Args:
        problem: two graphs, both with nodes.
        known: the cost of some edit path.
        seconds: after which to give up.
    """
    program = Program.of(problem)
    result = program.run(known, seconds)
    dual = (
        -np.inf
        if result.mip_dual_bound is None
        else float(result.mip_dual_bound) + program.constant
    )
    if result.x is None:
        return Proof(None, dual, result.status == NONE_CHEAPER)
    return Proof(program.order(problem, result.x), dual, result.status == OPTIMAL)


@dataclass(frozen=True, eq=False)
class Program:
    """An integer program in which everything that is not matched is deleted and inserted.

    `x[i, k]` says that node i becomes node k, and `y[ij, kl]` that edge ij becomes edge kl by
    `i -> k`, `j -> l`. Edges of G1 have one direction and those of G2 both, so that every way to
    match two edges is one variable. What is matched saves its deletion and insertion: `2 min(a, b)`
    for edges. An edge ij can only go to edges at k if i goes to k, and an edge kl can only come
    from edges at i if i goes to k:

        sum_l y[ij, kl] <= x[i, k],    sum_j y[ij, kl] <= x[i, k].

    Either family would do for an integer x; both together make the relaxation tight and the search
    short.

    Attributes:
        savings: costs of x and y, `[n1 n2 + variables y]`.
        constant: what deleting and inserting everything costs.
        nodes, edges: the rows of the constraints on x alone, and of those on y.
        least: `[n1 + n2]`, the number of partners that a node must have.
        num_matches: `n1 n2`, the number of variables x.
    """

    savings: Array
    constant: float
    nodes: csr_array
    edges: csr_array
    least: Array
    num_matches: int

    @classmethod
    def of(cls, problem: EditProblem) -> Program:
        """Write down the program."""
        n1, n2 = problem.n1, problem.n2
        arcs1, arcs2 = (Arcs.of(adj) for adj in (problem.adj1, problem.adj2))
        delete, insert = removal_costs(problem)
        of_nodes = problem.nodes[:n1, :n2] - delete[:, None] - insert
        of_edges = -2 * np.minimum.outer(arcs1.weight[: arcs1.half], arcs2.weight)
        constant = delete.sum() + insert.sum() + (problem.adj1.sum() + problem.adj2.sum()) / 2
        total = of_nodes.size + of_edges.size
        return cls(
            savings=np.concatenate([of_nodes.ravel(), of_edges.ravel()]),
            constant=float(constant),
            nodes=_one_partner(n1, n2, total),
            edges=_edges_follow(arcs1, arcs2, n1, n2, total),
            least=problem.keeps_all * np.repeat([n1 <= n2, n2 <= n1], [n1, n2]).astype(float),
            num_matches=n1 * n2,
        )

    def run(self, known: float, seconds: float) -> OptimizeResult:
        """Let HiGHS search among solutions that cost no more than `known`."""
        cutoff = csr_array(self.savings[None])
        constraints = [
            LinearConstraint(self.nodes, self.least, 1.0),
            LinearConstraint(self.edges, -np.inf, 0.0),
            LinearConstraint(cutoff, -np.inf, known - self.constant + CUTOFF_SLACK),
        ]
        whole = (np.arange(len(self.savings)) < self.num_matches).astype(int)
        options = {"time_limit": seconds, "mip_rel_gap": 0.0}
        return milp(
            self.savings,
            constraints=constraints,
            integrality=whole,
            bounds=Bounds(0, 1),
            options=options,
        )

    def order(self, problem: EditProblem, solution: Array) -> Order:
        """Return the order that a solution stands for."""
        wishes = np.zeros_like(problem.nodes)
        wishes[: problem.n1, : problem.n2] = (
            solution[: self.num_matches].reshape(problem.n1, problem.n2).round()
        )
        empty = 1 / (4 * problem.size)  # unmatched nodes prefer empty ones
        wishes[: problem.n1, problem.n2 :] += empty
        wishes[problem.n1 :, : problem.n2] += empty
        return nearest_order(wishes)


@dataclass(frozen=True, eq=False)
class Arcs:
    """The edges of a graph in both directions, arc `a + half` being arc a reversed.

    Attributes:
        source: `[2 m]`.
        weight: `[2 m]`.
    """

    source: Index
    weight: Array

    @classmethod
    def of(cls, adj: Array) -> Arcs:
        """List the edges of a matrix of weights."""
        one, other = np.nonzero(np.triu(adj, 1))
        return cls(np.concatenate([one, other]), np.tile(adj[one, other], 2))

    @property
    def half(self) -> int:
        """The number of edges, m."""
        return len(self.source) // 2


def removal_costs(problem: EditProblem) -> tuple[Array, Array]:
    """Return what deleting nodes of G1 and inserting nodes of G2 costs; zero where that is never
    done.
    """
    n1, n2 = problem.n1, problem.n2
    delete = problem.nodes[:n1, n2] if problem.size > n2 else np.zeros(n1)
    insert = problem.nodes[n1, :n2] if problem.size > n1 else np.zeros(n2)
    return delete, insert


def _one_partner(n1: int, n2: int, total: int) -> csr_array:
    """Return rows that count the partners of every node, `[n1 + n2, total]`."""
    match = np.arange(n1 * n2)
    rows = np.concatenate([match // max(n2, 1), n1 + match % max(n2, 1)])
    return _sparse(rows, np.tile(match, 2), np.ones(2 * len(match)), (n1 + n2, total))


def _edges_follow(arcs1: Arcs, arcs2: Arcs, n1: int, n2: int, total: int) -> csr_array:
    """Return rows that are at most zero where edges go with their nodes."""
    variable = n1 * n2 + _variables(arcs1, arcs2)
    to_node = _at_most(
        variable, arcs2.source, n2, arcs1.source[:, None] * n2 + np.arange(n2), total
    )
    from_node = _at_most(
        variable.T, arcs1.source, n1, arcs2.source[:, None] + n2 * np.arange(n1), total
    )
    return vstack([to_node, from_node], format="csr")


def _variables(arcs1: Arcs, arcs2: Arcs) -> Index:
    """Return the number of the variable y of every two arcs, `[2 m1, 2 m2]`; reversing both is the
    same match.
    """
    m1, m2 = arcs1.half, arcs2.half
    forward = np.arange(m1 * 2 * m2).reshape(m1, 2 * m2)
    return np.concatenate([forward, np.roll(forward, m2, axis=1)])


def _at_most(variable: Index, source: Index, num_nodes: int, match: Index, total: int) -> csr_array:
    """Return the rows `sum of y[arc, arcs at a node] - x[arc's source, node]`, one per arc and
    node.
    """
    arcs = len(variable)
    y_rows = np.arange(arcs)[:, None] * num_nodes + source
    x_rows = np.arange(arcs * num_nodes)
    rows = np.concatenate([y_rows.ravel(), x_rows])
    columns = np.concatenate([variable.ravel(), match.ravel()])
    values = np.concatenate([np.ones(y_rows.size), -np.ones(x_rows.size)])
    return _sparse(rows, columns, values, (arcs * num_nodes, total))


def _sparse(rows: Index, columns: Index, values: Array, shape: tuple[int, int]) -> csr_array:
    return coo_array((values, (rows, columns)), shape=shape).tocsr()
