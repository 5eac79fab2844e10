"""One pair of graphs on its way through Eq. (4) and (5), ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.augment.mixing import TRANSPORTS, interpolate
from smixup.augment.replay import Replay
from smixup.augment.smixup import SMixup
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.matching import Matcher

NOTHING = 5e-4
LAM = 0.6
TRANSPORT = TRANSPORTS.of(SMixup.transport)
"""What the method uses by default."""


@dataclass(frozen=True)
class Alignment:
    """An assignment `M [n1, n2]`, as it is looked at."""

    M: Tensor

    @property
    def kind(self) -> str:
        """`one-to-one` if every node is used at most once, `many-to-one` if nodes of G2 go as a
        whole and some share a node of G1, else `soft`.
        """
        if bool(((self.M != 0) & (self.M != 1)).any()) or bool((self.M.sum(0) > 1).any()):
            return "soft"
        return "one-to-one" if bool((self.M.sum(1) <= 1).all()) else "many-to-one"

    @property
    def links(self) -> list[tuple[int, int]]:
        """Pairs of matched nodes, of G1 and of G2; none if the alignment is soft."""
        if self.kind == "soft":
            return []
        return [(row, column) for column, row in self.M.T.nonzero().tolist()]

    @property
    def matched1(self) -> Tensor:
        """Which nodes of G1 have a counterpart, `[n1]`: something of G2 goes to them."""
        return self.M.sum(1) > NOTHING

    @property
    def matched2(self) -> Tensor:
        """Which nodes of G2 find a place in G1, `[n2]`."""
        return self.M.sum(0) > NOTHING


@dataclass(frozen=True)
class MixedPair:
    """Two graphs and what a matcher makes of them, each of them `Graphs` with one graph.

    Attributes:
        left, right: G1 and G2.
        aligned: G2', which is G2 on the nodes of G1.
        mixed: the mix of G1 and G2'.
        assignment: `M [n1, n2]`.
        lam: the ratio lambda of the mix.
    """

    left: Graphs
    right: Graphs
    aligned: Graphs
    mixed: Graphs
    assignment: Tensor
    lam: float

    @classmethod
    def of(cls, matcher: Matcher, left: Graphs, right: Graphs, lam: float = LAM) -> MixedPair:
        """Match and mix two graphs."""
        return cls.along(matcher(left, right), left, right, lam)

    @classmethod
    def along(cls, M: Operator, left: Graphs, right: Graphs, lam: float = LAM) -> MixedPair:
        """Mix two graphs along a given assignment."""
        aligned = TRANSPORT(M, left, right)
        mixed = interpolate(left, aligned, torch.tensor([lam]))
        return cls(left, right, aligned, mixed, M.to_dense(), lam)

    @classmethod
    def replayed(cls, replay: Replay) -> MixedPair:
        """Return the pair behind a mix that was handed out, every edge in both directions."""
        left, right, aligned, mixed = (
            _undirected(graph)
            for graph in (replay.left, replay.right, replay.aligned, replay.mixed)
        )
        return cls(left, right, aligned, mixed, replay.alignment, replay.ratio)

    @property
    def alignment(self) -> Alignment:
        """The assignment, as it is looked at."""
        return Alignment(self.assignment)


def _undirected(graph: Graphs) -> Graphs:
    adj = graph.adj.to_dense()
    both = torch.where(adj.abs() >= adj.T.abs(), adj, adj.T)
    target, source = both.nonzero(as_tuple=True)
    edges = torch.stack([source, target])
    adj_both = SparseOperator.from_edges(edges, both[target, source], len(both))
    return graph.replace(adj=adj_both, edge_attrs={})
