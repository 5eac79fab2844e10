"""Carrying one graph onto another by an assignment, and mixing the two (Eq. 4 and 5)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from scipy.special import betaincinv
from torch import Tensor

from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.graphs.sparse import numbered_edges
from smixup.ranges import Choice, Choices
from smixup.seeding import rand


def draw_beta(number: int, a: float, b: float, generator: torch.Generator) -> Tensor:
    """Draw from Beta(a, b) by inverting its distribution function, `[number]`."""
    u = torch.rand(number, generator=generator, dtype=torch.double)
    return torch.from_numpy(betaincinv(a, b, u.numpy())).float()


def draw_ratio(number: int, alpha: float, fold: bool, generator: torch.Generator) -> Tensor:
    """Draw `lam' ~ Beta(alpha, alpha)`, `[number]`.

    Args:
        number: how many.
        alpha: both parameters of the distribution; zero gives lambda = 1.
        fold: return `max(lam', 1 - lam')`, in [0.5, 1], as the paper does; otherwise lam' in [0,
            1].
        generator: the source of randomness.
    """
    if alpha == 0:
        return torch.ones(number)
    lam = draw_beta(number, alpha, alpha, generator)
    return torch.maximum(lam, 1 - lam) if fold else lam


def transform(M: Operator, left: Graphs, right: Graphs) -> Graphs:
    """Return G2' on the nodes of G1: `A2' = M A2 M^T` and `X2' = M X2`, Eq. (4).

    Targets and further attributes of graphs are those of G2. Further attributes of nodes are
    carried over like features if they are numbers; others stay those of G1, whose nodes they are.

    Note:
        The diagonal of `M A2 M^T` is removed. It is not zero where neighbours of G2 share a node
        of G1, and a layer that adds self-loops of its own would take it for one. A self-loop of G2
        is carried as its node is: the diagonal of A2' is `M diag(A2)`.

    Args:
        M: assignments of B pairs `[n1, n2]`.
        left: G1, B graphs.
        right: G2, B graphs.
    """
    A2, X2 = right.adj, right.x
    return right.replace(
        x=M @ X2,
        adj=_carried_edges(M, A2),
        ptr=left.ptr,
        edge_attrs={
            name: tuple(_carried_edges(M, C2) for C2 in columns)
            for name, columns in right.edge_attrs.items()
        },
        node_attrs={
            name: _carried(M, left.node_attrs[name], values)
            for name, values in right.node_attrs.items()
        },
    )


def interpolate(
    left: Graphs, right: Graphs, lam: Tensor, label_share: Tensor | None = None
) -> Graphs:
    """Return `lam G1 + (1 - lam) G2'` in features, edges and targets, Eq. (5).

    Attributes that are not numbers to be averaged, such as masks and categories, are those of G1.

    Args:
        left: G1, B graphs.
        right: G2', on the nodes of G1.
        lam: `[B]`, the ratio of each pair.
        label_share: `[B]`, the share of G1 in targets and attributes of graphs, if not lambda.
    """
    of_nodes = lam[left.batch]
    return left.replace(
        x=torch.lerp(right.x.float(), left.x.float(), of_nodes.unsqueeze(1)),
        adj=(1 - of_nodes) * right.adj + of_nodes * left.adj,
        edge_attrs={
            name: tuple(
                (1 - of_nodes) * C2 + of_nodes * C1
                for C1, C2 in zip(columns, right.edge_attrs[name], strict=True)
            )
            for name, columns in left.edge_attrs.items()
        },
        node_attrs=averaged(left.node_attrs, right.node_attrs, of_nodes),
        **mixed_targets(left, right, lam if label_share is None else label_share),
    )


def mixed_targets(
    left: Graphs, right: Graphs, ratio: Tensor, partner: Tensor | slice = slice(None)
) -> dict[str, Any]:
    """Return what a mix of graphs says of them as a whole: `y` and further attributes of graphs.

    Args:
        left: B graphs.
        right: what they are mixed with.
        ratio: `[B]`, the share of the left.
        partner: the rows of `right` that belong to the left graphs, if not all in their order.
    """
    others = {name: values[partner] for name, values in right.graph_attrs.items()}
    return {
        "y": torch.lerp(right.y[partner], left.y, ratio.unsqueeze(1)),
        "graph_attrs": averaged(left.graph_attrs, others, ratio),
    }


def _carried_edges(M: Operator, A2: Operator) -> Operator:
    """Return `M A2 M^T` with loops where G2 has loops, and nowhere else."""
    loops = A2.row == A2.column if isinstance(A2, SparseOperator) else None
    if loops is None or not loops.any():
        return (M @ A2 @ M.T).without_loops()
    assert isinstance(A2, SparseOperator)
    n = A2.shape[0]
    diagonal = A2.weight.new_zeros(n, A2.width)
    diagonal.index_add_(0, A2.row[loops], A2.weight[loops].reshape(-1, A2.width))
    carried = M @ diagonal
    every, some = torch.arange(len(carried), device=carried.device), (carried != 0).any(1)
    weight = carried if A2.weight.dim() > 1 else carried.squeeze(1)
    own = SparseOperator.from_edges(torch.stack([every, every]), weight, len(carried))
    return (M @ A2.without_loops() @ M.T).without_loops() + own.mask_entries(some)


def _carried(M: Operator, own: Tensor, values: Tensor) -> Tensor:
    """Return an attribute of G2's nodes on the nodes of G1, `own` if it cannot be averaged."""
    if not values.is_floating_point():
        return own
    return (M @ values.reshape(len(values), -1)).reshape(own.shape)


def averaged(
    left: Mapping[str, Tensor], right: Mapping[str, Tensor], lam: Tensor
) -> dict[str, Tensor]:
    """Mix attributes row by row where they are numbers; others are those of the left."""
    mixed = {}
    for name, value in left.items():
        ratio = lam.view(-1, *[1] * (value.dim() - 1))
        whole = not value.is_floating_point()
        mixed[name] = value if whole else torch.lerp(right[name], value, ratio.to(value.dtype))
    return mixed


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


def without_light_edges(graphs: Graphs, least_weight: float) -> Graphs:
    """Return the graphs without edges that weigh less in both directions; attributes of the others
    stay.
    """
    adj = graphs.adj.to_sparse().merged()
    edge, number = numbered_edges(adj)
    weight = adj.weight.abs()
    high = weight.new_zeros(number).scatter_reduce_(0, edge, weight, "amax", include_self=False)
    return graphs.with_adj(adj.mask_entries(high[edge] >= least_weight))


def whole_edges(graphs: Graphs) -> Graphs:
    """Return the graphs with weights of one, or minus one where they were negative; attributes of
    edges stay.
    """
    adj = graphs.adj.to_sparse().merged()
    adj = adj.mask_entries(adj.weight != 0)
    found = graphs.with_adj(adj)  # whose attributes are entries of the weight that they had
    return found.replace(
        adj=replace(adj, weight=adj.weight.sign()),
        edge_attrs={
            name: tuple(
                replace(adj, weight=_divided(column.to_sparse().weight, adj.weight.abs()))
                for column in columns
            )
            for name, columns in found.edge_attrs.items()
        },
    )


def _divided(entries: Tensor, share: Tensor) -> Tensor:
    """Divide entries `[m]` or `[m, k]` by `share [m]`."""
    return entries / share.view(-1, *[1] * (entries.dim() - 1))


SAME = 1e-5
"""Two directions of an edge whose weights differ by less are one edge, but for rounding."""


def draw_nodes(left: Graphs, right: Graphs, lam: Tensor, generator: torch.Generator) -> Tensor:
    """Return features of mixes `[n, d]`: each node has those of G1 with probability lambda, else
    those of G2', all of them.

    A row of zeros in G2' is a node to which nothing was carried; there, G1's are taken.

    Args:
        left: G1, B graphs.
        right: G2', on the nodes of G1.
        lam: `[B]`, the ratio of each pair.
        generator: the source of randomness.
    """
    own = rand(left.num_nodes, generator=generator, like=lam) < lam[left.batch]
    nothing = (right.x == 0).all(1)
    return torch.where((own | nothing).unsqueeze(1), left.x.float(), right.x.float())


def sample_edges(graphs: Graphs, generator: torch.Generator) -> Graphs:
    """Return the graphs with every edge kept, as a whole one, with its weight as probability.

    The edges that are kept weigh one, or minus one where their weight was negative; weights above
    one count as one. Both directions of an edge are drawn together. Attributes of edges stay.
    """
    adj = graphs.adj.to_sparse().merged()
    edge, number = numbered_edges(adj)
    weight = adj.weight.abs()
    low, high = (
        weight.new_zeros(number).scatter_reduce_(0, edge, weight, which, include_self=False)[edge]
        for which in ("amin", "amax")
    )
    probability = torch.where(high - low < SAME, high, weight)
    u = rand(number, generator=generator, like=weight)[edge]
    return whole_edges(graphs.with_adj(adj.mask_entries(u < probability)))
