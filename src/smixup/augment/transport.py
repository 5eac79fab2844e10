"""From an assignment to G2' on the nodes of G1: Eq. (4), and what may stand in its place.

A way is chosen by an object or by its text: `SMixup(transport="paper")`,
`SMixup(transport=Partial(edges=True))`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.mixing import transform
from smixup.choice import Choice, Choices
from smixup.graphs import Graphs, Operator, SparseOperator

TINY = torch.finfo(torch.float).tiny


@dataclass(frozen=True)
class Transport(Choice, ABC):
    """A way to carry G2 onto the nodes of G1."""

    @abstractmethod
    def __call__(self, M: Operator, left: Graphs, right: Graphs) -> Graphs:
        """Return G2' of B pairs, with the targets of G2.

        Args:
            M: assignments `[n1, n2]`.
            left: G1.
            right: G2.
        """

    def left_out(self, M: Operator, left: Graphs, right: Graphs) -> Tensor:
        """Return what of G1 and G2 has no part in G2', in nodes' features and edges' weights,
        `[B]`.
        """
        A2 = right.adj.to_sparse()
        c = M.T.row_sums().clamp(max=1.0)
        rest = (1 - c[A2.row] * c[A2.column]) * A2.weight
        return _nodes((1 - c).unsqueeze(1) * right.x, right) + _edges(A2, rest, right)


@dataclass(frozen=True)
class Paper(Transport):
    """`A2' = M A2 M^T`, `X2' = M X2`, Eq. (4).

    Note:
        Where columns of M sum to one, as in the paper, totals are kept and means are not: if G2
        has twice the nodes of G1, features and degrees double on average. A node of G1 to which
        nothing goes has neither features nor edges in G2'.
    """

    name: ClassVar[str] = "paper"

    def __call__(self, M: Operator, left: Graphs, right: Graphs) -> Graphs:
        return transform(M, left, right)


@dataclass(frozen=True)
class Balanced(Transport):
    """`A2' = s M A2 M^T`, `X2' = s M X2` with `s = n1 / n2`: means are kept instead of totals.

    Whatever M with columns that sum to one, the mean feature is that of G2, and so is the mean
    degree (before edges whose ends fall together are removed). With `normalization="sinkhorn"`,
    `M = n2 T` for the transport T of weights 1/n2 to weights 1/n1, so that `X2' = n1 T X2` and
    `A2' = n1 n2 T A2 T^T`: a feature that all nodes of G2 share stays as it is, and a node has the
    average degree of those it stands for.
    """

    name: ClassVar[str] = "balanced"

    def __call__(self, M: Operator, left: Graphs, right: Graphs) -> Graphs:
        s = (left.sizes / right.sizes.clamp(min=1)).to(torch.float)[left.batch]
        moved = transform(M, left, right)
        return moved.replace(
            x=s.unsqueeze(1) * moved.x,
            adj=s * moved.adj,
            edge_attrs={
                name: tuple(s * column for column in columns)
                for name, columns in moved.edge_attrs.items()
            },
            node_attrs={name: _scaled(values, s) for name, values in moved.node_attrs.items()},
        )


@dataclass(frozen=True)
class Partial(Transport):
    """Eq. (4) for alignments that match some nodes only: a node of G1 without counterpart stays
    itself, a node of G2 that found no place is dropped.

    With r the row sums of M, one where a node has a counterpart and zero where it has none,

        X2' = M X2 + (1 - r) X1,
        A2' = M A2 M^T,  with `edges` plus A1 (1 - r r^T).

    Attributes:
        edges: an edge of G1 with an end that has no counterpart keeps its full weight in the mix;
            otherwise its weight is lambda, as if G2 had nothing there.
    """

    edges: bool = False

    name: ClassVar[str] = "partial"

    def __call__(self, M: Operator, left: Graphs, right: Graphs) -> Graphs:
        r = M.row_sums().clamp(max=1.0)
        free = 1 - r
        moved = transform(M, left, right)
        moved = moved.replace(
            x=torch.addcmul(moved.x, free.unsqueeze(1), left.x.to(moved.x.dtype)),
            node_attrs={
                name: _completed(values, left.node_attrs[name], free)
                for name, values in moved.node_attrs.items()
            },
        )
        return _with_edges(moved, left, r) if self.edges else moved

    def left_out(self, M: Operator, left: Graphs, right: Graphs) -> Tensor:
        r = M.row_sums().clamp(max=1.0)
        stays = super().left_out(M, left, right) + _nodes((1 - r).unsqueeze(1) * left.x, left)
        if not self.edges:
            return stays
        A1 = left.adj.to_sparse()
        return stays + _edges(A1, (1 - r[A1.row] * r[A1.column]) * A1.weight, left)


TRANSPORTS: Choices[Transport] = Choices("transport", Paper, Balanced, Partial)


def arrived(
    transport: Transport, M: Operator, left: Graphs, right: Graphs, moved: Graphs
) -> Tensor:
    """Return the share of the way from G1 to G2 on which G2' lies, `[B]` in [0, 1].

    The way is counted in edits along M: a node costs as much as its features change, an edge as its
    weight. Of all that makes G1 into G2, mixing does D, what makes G1 into G2', and leaves out U,
    the nodes without counterpart and their edges. So the mix is `(1 - lam) D` from G1 and
    `lam D + U` from G2, and `1 - (1 - lam) arrived` with `arrived = D / (D + U)` is epsilon of
    Theorem 1, as far as M is the cheapest alignment. Where every node is matched, it is 1.

    Args:
        transport: that made G2'.
        M: assignments `[n1, n2]`.
        left: G1.
        right: G2.
        moved: G2'.
    """
    D, U = _apart(left, moved), transport.left_out(M, left, right)
    return torch.where(U > 0, D / (D + U).clamp(min=TINY), 1.0)


def _apart(left: Graphs, moved: Graphs) -> Tensor:
    """Return what the edits cost that make G1 into G2', node by node, `[B]`."""
    A2 = moved.adj.to_sparse()
    change = left.adj.to_sparse().add(replace(A2, weight=-A2.weight))
    return _nodes(left.x - moved.x, left) + _edges(change, change.weight, left)


def _nodes(x: Tensor, graphs: Graphs) -> Tensor:
    return graphs.totals(x.float().norm(dim=1))


def _edges(adj: SparseOperator, weight: Tensor, graphs: Graphs) -> Tensor:
    """Return the weight of edges, each counted once, `[B]`."""
    return graphs.totals(weight.abs(), adj.row) / 2


def _with_edges(moved: Graphs, left: Graphs, r: Tensor) -> Graphs:
    """Add the edges of G1 as far as an end of theirs has no counterpart."""

    def kept(own: Operator) -> SparseOperator:
        entries = own.to_sparse()
        rest = 1 - r[entries.row] * r[entries.column]
        return entries.scaled(rest).mask_entries(rest > 0)

    return moved.replace(
        adj=moved.adj + kept(left.adj),
        edge_attrs={
            name: tuple(
                carried + kept(own)
                for carried, own in zip(columns, left.edge_attrs[name], strict=True)
            )
            for name, columns in moved.edge_attrs.items()
        },
    )


def _completed(values: Tensor, own: Tensor, free: Tensor) -> Tensor:
    """Return an attribute of nodes, their own where there is no counterpart."""
    if not values.is_floating_point():
        return values
    return torch.addcmul(values, free.view(-1, *[1] * (values.dim() - 1)), own)


def _scaled(values: Tensor, s: Tensor) -> Tensor:
    if not values.is_floating_point():
        return values
    return s.view(-1, *[1] * (values.dim() - 1)) * values
