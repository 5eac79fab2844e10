"""The graph matching network (Li et al. 2019): node representations of a pair, each aware of the
other graph.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from smixup.graphs import MeanReadout
from smixup.matching.attention import attended
from smixup.matching.pairs import Pairs, merged_pairs
from smixup.matching.similarity import SIMILARITIES
from smixup.ranges import Layers, Natural, Positive, Width, in_range


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

    def forward(self, h: Tensor, pairs: Pairs) -> Tensor:
        """Return the next representations of all nodes, left graphs first, `[n1 + n2, H]`."""
        z = self.norm(h)
        # Weights sum to one, so sum_j w_ij (h_j - h_i) = sum_j w_ij h_j - h_i, Eq. (7).
        mu = self.attended(z, pairs) - z
        out: Tensor = h + self.update(torch.cat([z, pairs.adj @ z, mu], dim=1))
        return out

    def attended(self, z: Tensor, pairs: Pairs) -> Tensor:
        """Return for every node the mean of the other graph's nodes, weighted by their similarity,
        `[n1 + n2, H]`.
        """
        blocks = zip(pairs.pad(z), pairs.counts(), strict=True)
        found = [attended(*sides, *counts, self.similarity) for sides, counts in blocks]
        return pairs.unpad(found)


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

    @in_range
    def __init__(
        self,
        num_features: Natural,
        hidden_channels: Width,
        num_layers: Layers,
        attention: str = "dot",
        similarity: str = "euclidean",
        scale: Positive = 1.0,
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

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the representations of the nodes of all pairs after L layers, left graphs first,
        `[n1 + n2, H]`, Eq. (6).
        """
        seen, of_node = merged_pairs(pairs, len(self.layers))
        h: Tensor = self.encoder(seen.x)
        for layer in self.layers:
            h = layer(h, seen)
        return h if of_node is None else h[of_node]

    def pair_scores(self, h: Tensor, pairs: Pairs) -> list[Tensor]:
        """Return the scores of all pairs bucket by bucket, `[b, N1, N2]`, given their nodes'
        representations `[n1 + n2, H]`.
        """
        return [self.scores(h1, h2) for h1, h2 in pairs.pad(h)]

    def scores(self, h1: Tensor, h2: Tensor) -> Tensor:
        """Return the similarities `[b, N1, N2]` of which Eq. (8) takes the softmax."""
        return self.log_scale.exp() * self.similarity(h1, h2)

    def readout(self, h: Tensor, ptr: Tensor) -> Tensor:
        """Return graph representations `[B, H]`: a gated sum over the nodes of each graph, which
        begin at `ptr`, Eq. (2).
        """
        z = self.norm(h)
        gated = torch.sigmoid(self.gate(z)) * self.value(z)
        mean = MeanReadout(ptr) @ gated
        out: Tensor = self.graph(mean * ptr.diff().unsqueeze(1))
        return out

    def distances(self, h: Tensor, pairs: Pairs) -> Tensor:
        """Return squared distances between the graph representations of each pair, divided by their
        width, `[B]`, given their nodes' representations `[n1 + n2, H]`.
        """
        left, right = self.readout(h, pairs.ptr).chunk(2)
        return (left - right).square().mean(1)
