"""The graph matching network (Li et al. 2019): node representations of a pair, each aware of the
other graph; and how alike two nodes are, `sim` of Eq. (7) and (8).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from smixup.graphs import SparseOperator
from smixup.graphs.ragged import row_means
from smixup.matching.pairs import NEVER, Pairs
from smixup.ranges import Layers, Natural, Positive, Width, in_range

Similarity = Callable[[Tensor, Tensor], Tensor]
TINY = 1e-12
TABLE = 2**18
"""Cells of a pair's table of similarities up to which attention keeps it as a whole."""


def dot(h1: Tensor, h2: Tensor) -> Tensor:
    """Return inner products, scaled by the width as in attention,
    `[..., N1, H], [..., N2, H] -> [..., N1, N2]`.
    """
    return (h1 / math.sqrt(h1.size(-1))) @ h2.transpose(-1, -2)


def cosine(h1: Tensor, h2: Tensor) -> Tensor:
    """Return the cosines of the angles; a zero row is at right angles to everything."""
    return F.normalize(h1, dim=-1) @ F.normalize(h2, dim=-1).transpose(-1, -2)


def euclidean(h1: Tensor, h2: Tensor) -> Tensor:
    """Return negative distances `-|h1 - h2|`.

    Squares are computed in double precision: the root of a small difference of large squares would
    otherwise be rounding, and nodes that differ by little could not be told apart.
    """
    z1, z2 = h1.double(), h2.double()
    squares = z1.square().sum(-1).unsqueeze(-1) + z2.square().sum(-1).unsqueeze(-2)
    square = torch.baddbmm(squares, z1, z2.transpose(-1, -2), alpha=-2).clamp(min=TINY)
    return -square.to(h1.dtype).sqrt()


SIMILARITIES: dict[str, Similarity] = {"dot": dot, "cosine": cosine, "euclidean": euclidean}
ROW_BY_ROW: dict[Similarity, Similarity] = {  # of each row with its row, `[m, H], [m, H] -> [m]`
    dot: lambda h1, h2: (h1 * h2).sum(1) / math.sqrt(h1.size(1)),
    cosine: lambda h1, h2: (F.normalize(h1, dim=1) * F.normalize(h2, dim=1)).sum(1),
    euclidean: lambda h1, h2: -(h1 - h2).square().sum(1).clamp(min=TINY).sqrt(),
}


def attended(
    z1: Tensor, z2: Tensor, mask1: Tensor, mask2: Tensor, similarity: Similarity
) -> tuple[Tensor, Tensor]:
    """Return for the nodes of both sides the means of the other's, weighted by their similarity,
    `[b, N1, H]` and `[b, N2, H]`, Eq. (7).

    The similarities of a small pair serve both sides. A large pair's would fill the memory, in
    every layer and again for the gradient: there attention is computed in tiles that are not kept.
    """
    if z1.size(1) * z2.size(1) > TABLE:
        return _in_tiles(z1, z2, mask2, similarity), _in_tiles(z2, z1, mask1, similarity)
    sim = similarity(z1, z2)
    w1 = attention_weights(sim, mask2)
    w2 = attention_weights(sim.transpose(1, 2), mask1)
    return w1 @ z2, w2 @ z1


def attention_weights(sim: Tensor, mask: Tensor) -> Tensor:
    """Return `w` of Eq. (7): softmax of `[b, N, N']` over the nodes of the other graph, which fill
    the slots `[b, N']`.
    """
    return torch.softmax(sim + torch.where(mask, 0.0, NEVER).unsqueeze(1), dim=2)


def _in_tiles(z: Tensor, others: Tensor, mask: Tensor, similarity: Similarity) -> Tensor:
    """Return one side of `attended`: by torch's fused kernel, or by tiles that are made again in
    the backward pass.
    """
    if similarity is dot:
        # A mask that changes nothing would double the time; of another precision, it is misread.
        bias = None if mask.all() else torch.where(mask, 0.0, NEVER).to(z.dtype)[:, None, None]
        q, k = z.unsqueeze(1), others.unsqueeze(1)  # one head
        return F.scaled_dot_product_attention(q, k, k, attn_mask=bias).squeeze(1)

    def of_tile(tile: Tensor, others: Tensor) -> Tensor:
        return attention_weights(similarity(tile, others), mask) @ others

    rows = max(1, TABLE // others.size(1))
    tiles = [checkpoint(of_tile, tile, others, use_reentrant=False) for tile in z.split(rows, 1)]
    return torch.cat(tiles, dim=1)


class MatchingLayer(nn.Module):
    """One round of messages within a graph and, if there is an attention, between the two graphs of
    a pair, Eq. (6).

    `UPDATE` is residual and normalises its input, so that depth and large degrees do not blow
    representations up.
    """

    def __init__(self, hidden_channels: int, attention: str | None) -> None:
        super().__init__()
        H = hidden_channels
        self.similarity = None if attention is None else SIMILARITIES[attention]
        self.norm = nn.LayerNorm(H)
        self.update = nn.Sequential(
            nn.Linear(2 * H if attention is None else 3 * H, 2 * H),
            nn.ReLU(inplace=True),
            nn.Linear(2 * H, H),
        )

    def forward(self, h: Tensor, A: SparseOperator, pairs: Pairs | None) -> Tensor:
        """Return the next representations `[n, H]`; of pairs, left graphs first."""
        z = self.norm(h)
        across = []
        if self.similarity is not None and pairs is not None:
            blocks = zip(pairs.pad(z), pairs.rows.masks(), pairs.columns.masks(), strict=True)
            means = [attended(*sides, *masks, self.similarity) for sides, *masks in blocks]
            # Weights sum to one, so sum_j w_ij (h_j - h_i) = sum_j w_ij h_j - h_i, Eq. (7).
            across = [pairs.unpad(means) - z]
        out: Tensor = h + self.update(torch.cat([z, A @ z, *across], dim=1))
        return out


class MatchingNetwork(nn.Module):
    """Encoder, L matching layers, gated sum readout.

    Args:
        num_features: width of the nodes' input.
        hidden_channels: width, H.
        num_layers: matching layers, L.
        attention: the similarity of the cross-graph attention; without one, no node looks at the
            other graph, and a graph is embedded by itself.
        similarity: the similarity of the assignment, Eq. (8).
        scale: initial factor of that similarity; learnt.
    """

    @in_range
    def __init__(
        self,
        num_features: Natural,
        hidden_channels: Width,
        num_layers: Layers,
        attention: str | None = "dot",
        similarity: str = "euclidean",
        scale: Positive = 1.0,
    ) -> None:
        super().__init__()
        H = hidden_channels
        self.similarity = SIMILARITIES[similarity]
        self.encoder = nn.Linear(num_features, H)
        self.layers = nn.ModuleList(MatchingLayer(H, attention) for _ in range(num_layers))
        self.norm = nn.LayerNorm(H)
        self.gate = nn.Linear(H, H)
        self.value = nn.Linear(H, H)
        self.graph = nn.Linear(H, H)
        self.log_scale = nn.Parameter(torch.tensor(scale).log())

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the representations of the nodes of all pairs after L layers, left graphs first,
        `[n1 + n2, H]`, Eq. (6).
        """
        return self.embed(pairs.x, pairs.adj, pairs)

    def embed(self, x: Tensor, A: SparseOperator, pairs: Pairs | None = None) -> Tensor:
        """Return representations of nodes `[n, H]`, given their input and edges."""
        h: Tensor = self.encoder(x)
        for layer in self.layers:
            h = layer(h, A, pairs)
        return h

    def pair_scores(self, h: Tensor, pairs: Pairs) -> list[Tensor]:
        """Return the scores of all pairs bucket by bucket, `[b, N1, N2]`, given their nodes'
        representations `[n1 + n2, H]`.
        """
        return [self.scores(h1, h2) for h1, h2 in pairs.pad(h)]

    def scores(self, h1: Tensor, h2: Tensor) -> Tensor:
        """Return the similarities `[b, N1, N2]` of which Eq. (8) takes the softmax."""
        return self.log_scale.exp() * self.similarity(h1, h2)

    def distances(self, pairs: Pairs) -> Tensor:
        """Return squared distances between the graph representations of each pair, divided by their
        width, `[B]`. A graph's is a gated sum over its nodes, Eq. (2).
        """
        z, ptr = self.norm(self(pairs)), pairs.ptr
        gated = torch.sigmoid(self.gate(z)) * self.value(z)
        left, right = self.graph(row_means(gated, ptr) * ptr.diff().unsqueeze(1)).chunk(2)
        out: Tensor = (left - right).square().mean(1)
        return out
