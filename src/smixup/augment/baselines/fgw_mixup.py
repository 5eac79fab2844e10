"""FGWMixup (Ma et al. 2023): graphs halfway between two others, by optimal transport."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from smixup.augment.added_mixes import (
    AddedMixes,
    averages,
    draw_other,
    node_by_node,
    on_common_nodes,
)
from smixup.augment.mixing import draw_beta, interpolate, mixed_targets, whole_edges
from smixup.graphs import Graphs, Padding, SparseOperator
from smixup.graphs.ragged import offsets, ranks
from smixup.graphs.sparse import numbered_edges
from smixup.matching.fgw import Couplings, feature_cost, masses
from smixup.matching.pairs import Pairs
from smixup.settings import Count, Positive, Share

STEPS = 5
"""Of conditional gradients, each time."""
LEAST, TOLERANCE = 1e-12, 5e-4
"""A distance below this is none; barycentres that change by less than a share are found."""


@dataclass(frozen=True)
class Side:
    """One graph of each of `b` pairs, padded: features `x [b, n, d]`, structure `C [b, n, n]`, and
    which slots hold a node, `mask [b, n]`.
    """

    x: Tensor
    C: Tensor
    mask: Tensor

    def with_(self, other: Side, alpha: float) -> Couplings:
        """Return the problem of coupling its graphs with those of another side."""
        cost = feature_cost(self.x, other.x)
        return Couplings(cost, self.C, other.C, self.mask, other.mask, alpha)

    def far_from(self, other: Side) -> bool:
        """Tell whether any graph has changed by more than a share of itself."""
        parts = (self.x, other.x), (self.C, other.C)
        return any(
            bool(((a - b).flatten(1).norm(dim=1) > TOLERANCE * b.flatten(1).norm(dim=1)).any())
            for a, b in parts
        )


def average(couplings: Sequence[Tensor], sides: Sequence[Side], lam: Tensor, mask: Tensor) -> Side:
    """Return the graphs that are nearest to both sides, given how their nodes meet."""
    share = lam.view(-1, 1, 1).to(sides[0].x)
    scale = masses(mask, share.dtype).unsqueeze(2).clamp(min=1e-30)
    P1, P2 = (torch.where(mask.unsqueeze(2), S / scale, 0.0) for S in couplings)
    left, right = sides
    x = share * (P1 @ left.x) + (1 - share) * (P2 @ right.x)
    C = share * (P1 @ left.C @ P1.mT) + (1 - share) * (P2 @ right.C @ P2.mT)
    return Side(x, C, mask)


WEIGHT = "weight of the edge"


@dataclass
class FGWMixup(AddedMixes):
    """Adds fused Gromov-Wasserstein barycentres of pairs of different classes, once; targets are
    weighed by how near a mix is to each of its graphs, as in the authors' code.

    Attributes:
        alpha: the ratio lambda is drawn from Beta(alpha, alpha).
        structure_weight: how much the structure counts in the distance, from 0 (features alone) to
            1.
        rounds: couplings and barycentre are found in turn so often at most.
    """

    alpha: Positive = 0.2
    structure_weight: Share = 0.95
    rounds: Count = 10

    purpose: ClassVar[str] = "fgw-mixup"

    @classmethod
    def as_published(cls, **changes: Any) -> Self:
        """Return the settings of the authors' code, with some changed."""
        return cls(**{"rounds": 200} | changes)

    def mixes(self, graphs: Graphs, number: int) -> Graphs:
        first, second = draw_other(graphs, number, self.random)
        lam = draw_beta(number, self.alpha, self.alpha, self.random)
        return self.mixed(graphs[first], graphs[second], lam)

    def mixed(self, left: Graphs, right: Graphs, lam: Tensor) -> Graphs:
        """Return the barycentres of B pairs at lambda `[B]`, of as many nodes as lambda says.

        The nearer of two graphs comes first: a mix does not depend on their order.
        """
        swap = (lam < 0.5) | ((lam == 0.5) & (left.sizes < right.sizes))
        both, B = Graphs.cat([left, right]), len(left)
        place = torch.arange(B)
        left, right = both[place + B * swap], both[place + B * ~swap]
        lam = torch.maximum(lam, 1 - lam)
        sizes = (lam * left.sizes + (1 - lam) * right.sizes).round().long().clamp(min=1)
        pairs, solved = Pairs.of(left, right), []
        for block in pairs.blocks():
            G1 = Side(block.x1.double(), block.A1.double(), block.mask1)
            G2 = Side(block.x2.double(), block.A2.double(), block.mask2)
            solved.append(self.barycentres(G1, G2, lam[block.pairs], sizes[block.pairs]))
        first, second, d1, d2 = zip(*solved, strict=True)
        order = torch.cat(list(pairs.groups)).argsort()
        to_left, to_right = torch.cat(d1)[order], torch.cat(d2)[order]
        total = to_left + to_right  # zero where both graphs are one
        share = torch.where(total > LEAST, to_right / total, lam.double()).float()

        rows = Padding.of(offsets(sizes), pairs.groups)
        P1, P2 = averages(first, rows, pairs.rows), averages(second, rows, pairs.columns)
        left, right = (with_weights_apart(side) for side in (left, right))
        ends = on_common_nodes(left, right, P1, P2, offsets(sizes))
        mixes = interpolate(*ends, lam).replace(**mixed_targets(*ends, share))
        wanted = density(left) * share + density(right) * (1 - share)
        number = (wanted * sizes.double().square()).round()
        whole = strongest_edges(mixes, number)
        others = dict(whole.edge_attrs)
        weight = others.pop(WEIGHT).squeeze(1)
        return whole.replace(adj=replace(whole.adj, weight=weight), edge_attrs=others)

    def barycentres(
        self, left: Side, right: Side, lam: Tensor, nodes: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return couplings `[b, N, n1]` and `[b, N, n2]` of pairs with barycentres of `nodes [b]`
        nodes each, and the distances from these, `[b]` each (Vayer et al. 2019, Eq. 5): graphs G'
        that minimise `lam FGW(G', G1) + (1 - lam) FGW(G', G2)`.

        For given couplings of its nodes with those of G1 and G2, G' is an average, and for given G'
        the couplings are those of least distortion: each is found in turn. G1 is where it starts:
        choose it as the nearer one, lambda one half or more.
        """
        alpha, mask = self.structure_weight, torch.arange(int(nodes.max())) < nodes.unsqueeze(1)
        between = left.with_(right, alpha).solved(STEPS)
        S1 = node_by_node(left.mask, mask, left.C.abs().sum(2)).to(left.x)
        S2 = left.mask.sum(1).view(-1, 1, 1) * S1 @ between
        side = average((S1, S2), (left, right), lam, mask)
        for _ in range(self.rounds):
            S1 = side.with_(left, alpha).descended(S1, STEPS)
            S2 = side.with_(right, alpha).descended(S2, STEPS)
            before, side = side, average((S1, S2), (left, right), lam, mask)
            if not before.far_from(side):
                break
        to_left, to_right = side.with_(left, alpha), side.with_(right, alpha)
        return S1, S2, to_left.distortion(S1), to_right.distortion(S2)


def density(graphs: Graphs) -> Tensor:
    """Return the edges of each graph over the square of its nodes `[B]`."""
    _, _, graph = _edges_of(graphs)
    return torch.bincount(graph, minlength=len(graphs)) / graphs.sizes.double().square()


def strongest_edges(graphs: Graphs, number: Tensor) -> Graphs:
    """Return the graphs with their `number [B]` strongest edges each, as whole ones."""
    adj, edge, graph = _edges_of(graphs)
    high = adj.weight.new_zeros(len(graph)).scatter_reduce_(0, edge, adj.weight, "amax")
    ptr = offsets(torch.bincount(graph, minlength=len(graphs)))
    kept = ranks(ptr, -high) < number[graph]
    return whole_edges(graphs.with_adj(adj.mask_entries(kept[edge])))


def _edges_of(graphs: Graphs) -> tuple[SparseOperator, Tensor, Tensor]:
    """Return the merged entries, the edge of each `[m]`, and the graph of each edge."""
    adj = graphs.adj.merged()
    edge, count = numbered_edges(adj)
    return adj, edge, edge.new_empty(count).scatter_(0, edge, graphs.batch[adj.row])


def with_weights_apart(graphs: Graphs) -> Graphs:
    """Return the graphs with whole edges, whose weights are an attribute, to be averaged over those
    edges that there are.
    """
    graphs = graphs.map_edges(SparseOperator.merged)
    weight = graphs.adj.weight
    whole = replace(graphs.adj, weight=torch.ones_like(weight))
    attributes = {**graphs.edge_attrs, WEIGHT: weight.unsqueeze(1)}
    return graphs.replace(adj=whole, edge_attrs=attributes)
