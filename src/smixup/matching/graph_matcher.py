"""The paper's kind of matcher: a network in which two graphs exchange messages (Sec. 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import torch
from torch import Tensor

from smixup.errors import unknown_name
from smixup.graphs import Graphs
from smixup.matching.learned import LearnedMatcher
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import Pairs
from smixup.matching.published import PUBLISHED
from smixup.matching.similarity import SIMILARITIES


@dataclass
class GraphMatcher(LearnedMatcher):
    """Assignments from a graph matching network (Sec. 3.2).

    The defaults go beyond the paper: besides triplets, the network learns to find the nodes of a
    graph in a shuffled copy of it, sees where in its graph a node is, and matches nodes one-to-one.
    `GraphMatcher.as_published()` is the paper's, whose assignments are soft.

    Example::

        matcher = GraphMatcher(triplets=False).fit(dataset)      # no labels needed
        M = matcher.match(data1, data2)                          # a tensor [n1, n2]

    Attributes:
        attention: the similarity of the cross-graph attention, Eq. (7).

    The others are those of `LearnedMatcher`.
    """

    attention: str = "dot"

    kind: ClassVar[str] = "smixup-matcher"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attention not in SIMILARITIES:
            raise unknown_name("attention", self.attention, SIMILARITIES)

    @classmethod
    def as_published(cls, **changes: object) -> Self:
        """Return the paper's matcher (App. C), with some settings changed."""
        return cls(**(PUBLISHED | changes))  # type: ignore[arg-type]

    def build_network(self, width: int) -> MatchingNetwork:
        sizes = width, self.hidden_channels, self.num_layers
        return MatchingNetwork(*sizes, self.attention, self.similarity, self.scale)

    @torch.no_grad()
    def scores(self, left: Graphs, right: Graphs) -> tuple[Pairs, list[Tensor]]:
        pairs, (network, _) = self.pairs(left, right), self.ready_for(left)
        parts = (network.pair_scores(network(part), part) for part in pairs.parts())
        return pairs, [scores for part in parts for scores in part]

    @torch.no_grad()
    def represented(self, left: Graphs, right: Graphs) -> tuple[Tensor, Tensor]:
        pairs, (network, _) = self.pairs(left, right), self.ready_for(left)
        first, second = network(pairs).split([left.num_nodes, right.num_nodes])
        return first, second

    def pairs(self, left: Graphs, right: Graphs) -> Pairs:
        """Return pairs as the network sees them."""
        (_, inputs), _ = self.ready_for(left), self.ready_for(right)
        return Pairs.of(inputs(left), inputs(right))
