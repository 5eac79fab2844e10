"""The learned matcher without messages between graphs: a graph is embedded once, however many
partners it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from smixup.graphs import Graphs, Operator
from smixup.matching.learned import LearnedMatcher
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import Pairs
from smixup.precision import single_precision

EMBEDDING = "embedding"
"""Name under which `prepare` attaches the representations of nodes."""


class SiameseLayer(nn.Module):
    """One round of messages within a graph: Eq. (6) without mu.

    Args:
        hidden_channels: width, H.
    """

    def __init__(self, hidden_channels: int) -> None:
        super().__init__()
        H = hidden_channels
        self.norm = nn.LayerNorm(H)
        self.update = nn.Sequential(
            nn.Linear(2 * H, 2 * H), nn.ReLU(inplace=True), nn.Linear(2 * H, H)
        )

    def forward(self, h: Tensor, A: Operator) -> Tensor:
        """Return the next representations `[n, H]`."""
        z = self.norm(h)
        out: Tensor = h + self.update(torch.cat([z, A @ z], dim=1))
        return out


class SiameseNetwork(MatchingNetwork):
    """The matching network with layers that do not look at the other graph, hence no attention."""

    def make_layer(self, hidden_channels: int, attention: str) -> nn.Module:
        return SiameseLayer(hidden_channels)

    def forward(self, pairs: Pairs) -> Tensor:
        return self.embed(pairs.x, pairs.adj)

    def embed(self, x: Tensor, A: Operator) -> Tensor:
        """Return representations of nodes `[n, H]`."""
        h: Tensor = self.encoder(x)
        for layer in self.layers:
            h = layer(h, A)
        return h


@dataclass
class SiameseMatcher(LearnedMatcher):
    """A matcher whose network sees one graph at a time; it learns what a `GraphMatcher` learns.

    A graph is embedded once, however many partners it has.
    """

    kind: ClassVar[str] = "smixup-siamese-matcher"

    def build_network(self, width: int) -> MatchingNetwork:
        sizes = width, self.hidden_channels, self.num_layers
        return SiameseNetwork(*sizes, similarity=self.similarity, scale=self.scale)

    @torch.no_grad()
    @single_precision()
    def prepare(self, graphs: Graphs) -> Graphs:
        """Attach the representations of the nodes, which do not depend on a partner."""
        network, inputs = self.ready_for(graphs)
        assert isinstance(network, SiameseNetwork)
        seen = inputs(inputs.prepare(graphs))
        return graphs.replace(node_attrs={EMBEDDING: network.embed(seen.x, seen.adj)})

    @torch.no_grad()
    def scores(self, left: Graphs, right: Graphs) -> tuple[Pairs, list[Tensor]]:
        pairs, (network, _) = Pairs.of(left, right), self.ready_for(left)
        return pairs, network.pair_scores(torch.cat(self.represented(left, right)), pairs)

    def represented(self, left: Graphs, right: Graphs) -> tuple[Tensor, Tensor]:
        return left.node_attrs[EMBEDDING], right.node_attrs[EMBEDDING]
