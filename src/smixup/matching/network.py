"""The graph matching network (Li et al. 2019): node representations of a pair, each aware of the
other graph.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from smixup.matching.assignment import NEVER
from smixup.matching.pairs import PairBlock
from smixup.matching.similarity import SIMILARITIES


class MatchingLayer(nn.Module):
    """One round of messages within and between two graphs, Eq. (6).

    `UPDATE` is residual and normalises its input, so that depth and large degrees do not blow
    representations up.

    Args:
        hidden_channels: width, H.
        attention: the similarity of the cross-graph attention.
    """

    def __init__(self, hidden_channels: int, attention: str) -> None:
        super().__init__()
        H = hidden_channels
        self.similarity = SIMILARITIES[attention]
        self.norm = nn.LayerNorm(H)
        self.update = nn.Sequential(
            nn.Linear(3 * H, 2 * H), nn.ReLU(inplace=True), nn.Linear(2 * H, H)
        )

    def forward(self, h1: Tensor, h2: Tensor, block: PairBlock) -> tuple[Tensor, Tensor]:
        """Return the next representations `[b, N1, H]`, `[b, N2, H]`."""
        z1, z2 = self.norm(h1), self.norm(h2)
        sim = self.similarity(z1, z2)
        w1 = attention_weights(sim, block.mask2)
        w2 = attention_weights(sim.transpose(1, 2), block.mask1)
        return self._update(h1, z1, block.A1, w1 @ z2), self._update(h2, z2, block.A2, w2 @ z1)

    def _update(self, h: Tensor, z: Tensor, A: Tensor, attended: Tensor) -> Tensor:
        # Weights sum to one, so sum_j w_ij (h_j - h_i) = sum_j w_ij h_j - h_i, Eq. (7).
        mu = attended - z
        out: Tensor = h + self.update(torch.cat([z, A @ z, mu], dim=2))
        return out


def attention_weights(sim: Tensor, exists: Tensor) -> Tensor:
    """Return `w` of Eq. (7): softmax of `[b, N, N']` over the nodes of the other graph that exist,
    `[b, N']`.
    """
    return torch.softmax(sim + torch.where(exists, 0.0, NEVER).unsqueeze(1), dim=2)


class MatchingNetwork(nn.Module):
    """Encoder, L matching layers, gated sum readout.

    Args:
        num_features: width of the nodes' input.
        hidden_channels: width, H.
        num_layers: matching layers, L.
        attention: the similarity of the cross-graph attention.
        similarity: the similarity of the assignment, Eq. (8).
        scale: initial factor of that similarity; learnt.
    """

    def __init__(
        self,
        num_features: int,
        hidden_channels: int,
        num_layers: int,
        attention: str = "dot",
        similarity: str = "euclidean",
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        H = hidden_channels
        self.similarity = SIMILARITIES[similarity]
        self.encoder = nn.Linear(num_features, H)
        self.layers = nn.ModuleList(self.make_layer(H, attention) for _ in range(num_layers))
        self.norm = nn.LayerNorm(H)
        self.gate = nn.Linear(H, H)
        self.value = nn.Linear(H, H)
        self.graph = nn.Linear(H, H)
        self.log_scale = nn.Parameter(torch.tensor(scale).log())

    def make_layer(self, hidden_channels: int, attention: str) -> nn.Module:
        """Build one layer."""
        return MatchingLayer(hidden_channels, attention)

    def forward(self, block: PairBlock) -> tuple[Tensor, Tensor]:
        """Return `H1 [b, N1, H]` and `H2 [b, N2, H]` after L layers, Eq. (6)."""
        h1, h2 = self.encoder(block.x1), self.encoder(block.x2)
        for layer in self.layers:
            h1, h2 = layer(h1, h2, block)
        return h1, h2

    def scores(self, h1: Tensor, h2: Tensor) -> Tensor:
        """Return the similarities `[b, N1, N2]` of which Eq. (8) takes the softmax."""
        return self.log_scale.exp() * self.similarity(h1, h2)

    def readout(self, h: Tensor, exists: Tensor) -> Tensor:
        """Return graph representations `[b, H]`: a gated sum over the nodes that exist, Eq. (2)."""
        z = self.norm(h)
        gated = torch.sigmoid(self.gate(z)) * self.value(z)
        out: Tensor = self.graph((gated * exists.unsqueeze(2)).sum(1))
        return out

    def distances(self, h1: Tensor, h2: Tensor, block: PairBlock) -> Tensor:
        """Return squared distances between the graph representations of each pair, divided by their
        width, `[b]`.
        """
        return (self.readout(h1, block.mask1) - self.readout(h2, block.mask2)).square().mean(1)
