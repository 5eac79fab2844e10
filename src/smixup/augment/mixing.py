"""Carrying one graph onto another by an assignment, and mixing the two (Eq. 4 and 5)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from scipy.special import betaincinv
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.padding import carried
from smixup.graphs.sparse import numbered_edges
from smixup.seeding import rand
from smixup.settings import Choice, Choices


def draw_beta(number: int, a: float, b: float, generator: torch.Generator) -> Tensor:
    """Draw from Beta(a, b) by inverting its distribution function, `[number]`."""
    u = torch.rand(number, generator=generator, dtype=torch.double)
    return torch.from_numpy(betaincinv(a, b, u.numpy())).float()


def draw_ratio(number: int, alpha: float, fold: bool, generator: torch.Generator) -> Tensor:
    """Draw `lam' ~ Beta(alpha, alpha)`, `[number]`, one if alpha is zero; with `fold` it is
    `max(lam', 1 - lam')`, in [0.5, 1], as in the paper.
    """
    if alpha == 0:
        return torch.ones(number)
    lam = draw_beta(number, alpha, alpha, generator)
    return torch.maximum(lam, 1 - lam) if fold else lam


def transform(M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
    """Return G2 on the nodes of G1: `A2' = M A2 M^T` and `X2' = M X2`, Eq. (4), along assignments
    `M [n1, n2]` of B pairs.

    Targets and attributes of graphs are those of G2. Attributes of nodes are carried like features
    if they are numbers; others stay those of G1, whose nodes they are.

    The diagonal of `M A2 M^T` is removed: it is not zero where neighbours of G2 share a node of G1,
    and a layer that adds self-loops of its own would take it for one. A self-loop of G2 is carried
    as its node is: the diagonal of A2' is `M diag(A2)`.
    """
    attributes = dict(left.node_attrs)
    for name, values in right.node_attrs.items():
        if values.is_floating_point():
            carried_values = M @ values.reshape(len(values), -1)
            attributes[name] = carried_values.reshape(left.node_attrs[name].shape)
    moved = right.map_edges(lambda A2: _carried_edges(M, A2, left.ptr, right.ptr))
    return moved.replace(x=M @ right.x, ptr=left.ptr, node_attrs=attributes)


def interpolate(left: Graphs, right: Graphs, lam: Tensor) -> Graphs:
    """Return `lam G1 + (1 - lam) G2'` in features, edges and targets, Eq. (5), at ratios `lam [B]`.

    Attributes that are not numbers to be averaged, such as masks and categories, are those of G1.
    """
    of_nodes = lam[left.batch]
    edges = (1 - of_nodes) * right.edges(left.edge_attrs) + of_nodes * left.edges()
    return left.with_edges(edges).replace(
        x=torch.lerp(right.x.float(), left.x.float(), of_nodes.unsqueeze(1)),
        node_attrs=averaged(left.node_attrs, right.node_attrs, of_nodes),
        **mixed_targets(left, right, lam),
    )


def mixed_targets(
    left: Graphs, right: Graphs, ratio: Tensor, partner: Tensor | slice = slice(None)
) -> dict[str, Any]:
    """Return what a mix says of graphs as a whole, `y` and attributes of graphs, at the shares
    `ratio [B]` of the left; `partner` names the rows of `right`, if not all in their order.
    """
    others = {name: values[partner] for name, values in right.graph_attrs.items()}
    return {
        "y": torch.lerp(right.y[partner], left.y, ratio.unsqueeze(1)),
        "graph_attrs": averaged(left.graph_attrs, others, ratio),
    }


def with_degrees(graphs: Graphs) -> Graphs:
    """Return new graphs with features of their own degrees, where features are degrees."""
    encode = graphs.degree_encoding
    return graphs if encode is None else graphs.replace(x=encode(graphs.adj.row_sizes()))


def in_rows(values: Tensor, like: Tensor) -> Tensor:
    """Return a number per row `[n]` so that it meets every entry of its row in `like [n, ...]`."""
    return values.view(-1, *[1] * (like.dim() - 1))


def _carried_edges(
    M: SparseOperator, A2: SparseOperator, ptr1: Tensor, ptr2: Tensor
) -> SparseOperator:
    """Return `M A2 M^T` with loops where G2 has loops, and nowhere else."""
    if M.is_one_to_one and bool((M.weight == 1).all()):
        return A2.relabelled(M)
    loops = A2.row == A2.column
    if not loops.any():
        return carried(M, A2, ptr1, ptr2).without_loops()
    n = A2.shape[0]
    diagonal = A2.weight.new_zeros(n, A2.width)
    diagonal.index_add_(0, A2.row[loops], A2.weight[loops].reshape(-1, A2.width))
    moved = M @ diagonal
    every, some = torch.arange(len(moved), device=moved.device), (moved != 0).any(1)
    weight = moved if A2.weight.dim() > 1 else moved.squeeze(1)
    own = SparseOperator.from_edges(torch.stack([every, every]), weight, len(moved))
    others = carried(M, A2.without_loops(), ptr1, ptr2).without_loops()
    return others + own.mask_entries(some)


def averaged(
    left: Mapping[str, Tensor], right: Mapping[str, Tensor], lam: Tensor
) -> dict[str, Tensor]:
    """Mix attributes row by row where they are numbers; others are those of the left."""
    mixed = dict(left)
    for name, value in left.items():
        if value.is_floating_point():
            ratio = in_rows(lam, value).to(value.dtype)
            mixed[name] = torch.lerp(right[name], value, ratio)
    return mixed


@dataclass(frozen=True)
class Transport(Choice, ABC):
    """A way to carry G2 onto the nodes of G1."""

    @abstractmethod
    def __call__(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        """Return G2' of pairs G1 and G2 with assignments `[n1, n2]`, with the targets of G2."""


@dataclass(frozen=True)
class Paper(Transport):
    """`A2' = M A2 M^T`, `X2' = M X2`, Eq. (4).

    Where columns of M sum to one, totals are kept and means are not: if G2 has twice the nodes of
    G1, features and degrees double on average. A node of G1 to which nothing goes has neither
    features nor edges in G2'.
    """

    name: ClassVar[str] = "paper"

    def __call__(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        return transform(M, left, right)


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

    def __call__(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        r = M.row_sums().clamp(max=1.0)
        free = 1 - r
        moved = transform(M, left, right)
        attributes = dict(moved.node_attrs)
        for name, values in moved.node_attrs.items():
            if values.is_floating_point():
                own = left.node_attrs[name]
                attributes[name] = torch.addcmul(values, in_rows(free, values), own)
        x = torch.addcmul(moved.x, free.unsqueeze(1), left.x.to(moved.x.dtype))
        moved = moved.replace(x=x, node_attrs=attributes)
        if not self.edges:
            return moved
        own_edges = left.edges(moved.edge_attrs)
        rest = 1 - r[own_edges.row] * r[own_edges.column]
        return moved.with_edges(moved.edges() + own_edges.scaled(rest).mask_entries(rest > 0))


TRANSPORTS: Choices[Transport] = Choices("transport", Paper, Partial)


def without_light_edges(graphs: Graphs, least_weight: float) -> Graphs:
    """Return the graphs without edges that weigh less in both directions; attributes of the others
    stay.
    """
    adj = graphs.adj.merged()
    edge, number = numbered_edges(adj)
    weight = adj.weight.abs()
    high = weight.new_zeros(number).scatter_reduce_(0, edge, weight, "amax", include_self=False)
    return graphs.with_adj(adj.mask_entries(high[edge] >= least_weight))


def whole_edges(graphs: Graphs) -> Graphs:
    """Return the graphs with weights of one, or minus one where they were negative; attributes of
    edges stay.
    """
    adj = graphs.adj.merged()
    adj = adj.mask_entries(adj.weight != 0)
    kept, size = graphs.with_adj(adj), adj.weight.abs().unsqueeze(1)
    return kept.replace(
        adj=replace(adj, weight=adj.weight.sign()),
        # attributes are entries of the weight that an edge had
        edge_attrs={name: rows / size for name, rows in kept.edge_attrs.items()},
    )


def draw_nodes(left: Graphs, right: Graphs, lam: Tensor, generator: torch.Generator) -> Tensor:
    """Return features of mixes `[n, d]`: each node has those of G1 with probability lambda, else
    those of G2', all of them.

    A row of zeros in G2' is a node to which nothing was carried; there, G1's are taken.
    """
    own = rand(left.num_nodes, generator=generator, like=lam) < lam[left.batch]
    nothing = (right.x == 0).all(1)
    return torch.where((own | nothing).unsqueeze(1), left.x.float(), right.x.float())


def sample_edges(graphs: Graphs, generator: torch.Generator) -> Graphs:
    """Return the graphs with every edge kept, as a whole one, with its weight as probability.

    The edges that are kept weigh one, or minus one where their weight was negative; weights above
    one count as one. Both directions of an edge are drawn together. Attributes of edges stay.
    """
    adj = graphs.adj.merged()
    edge, number = numbered_edges(adj)
    weight = adj.weight.abs()
    u = rand(number, generator=generator, like=weight)[edge]
    return whole_edges(graphs.with_adj(adj.mask_entries(u < weight)))
