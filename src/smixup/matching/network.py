"""The graph matching network (Li et al. 2019): node representations of a pair, each aware of the
other graph; and how alike two nodes are, `sim` of Eq. (8); that of Eq. (7) is the inner product.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from smixup.graphs import SparseOperator
from smixup.graphs.ragged import row_means
from smixup.matching.pairs import NEVER, Pairs

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
    """Return the cosines of the angles, zero for a row of zeros."""
    return F.normalize(h1, dim=-1) @ F.normalize(h2, dim=-1).transpose(-1, -2)


def euclidean(h1: Tensor, h2: Tensor) -> Tensor:
    """Return negative distances `-|h1 - h2|`, from squares in double precision: the root of a small
    difference of large ones would otherwise be rounding.
    """
    z1, z2 = h1.double(), h2.double()
    squares = z1.square().sum(-1).unsqueeze(-1) + z2.square().sum(-1).unsqueeze(-2)
    square = torch.baddbmm(squares, z1, z2.transpose(-1, -2), alpha=-2).clamp(min=TINY)
    return -square.to(h1.dtype).sqrt()


SIMILARITIES: dict[str, Similarity] = {"cosine": cosine, "euclidean": euclidean}
ROW_BY_ROW: dict[Similarity, Similarity] = {  # of each row with its row, `[m, H], [m, H] -> [m]`
    cosine: lambda h1, h2: (F.normalize(h1, dim=1) * F.normalize(h2, dim=1)).sum(1),
    euclidean: lambda h1, h2: -(h1 - h2).square().sum(1).clamp(min=TINY).sqrt(),
}


def attended(z1: Tensor, z2: Tensor, mask1: Tensor, mask2: Tensor) -> tuple[Tensor, Tensor]:
    """Return for the nodes of both sides the means of the other's, weighted by their similarity,
    `[b, N1, H]` and `[b, N2, H]`, Eq. (7).

    The similarities of a small pair serve both sides. A large pair's would fill the memory, in
    every layer and again for the gradient: torch's fused kernel does not keep them.
    """
    if z1.size(1) * z2.size(1) > TABLE:
        return _fused(z1, z2, mask2), _fused(z2, z1, mask1)
    sim = dot(z1, z2)
    w1 = attention_weights(sim, mask2)
    w2 = attention_weights(sim.transpose(1, 2), mask1)
    return w1 @ z2, w2 @ z1


def attention_weights(sim: Tensor, mask: Tensor) -> Tensor:
    """Return `w` of Eq. (7): softmax of `[b, N, N']` over the nodes of the other graph, which fill
    the slots `[b, N']`.
    """
    return torch.softmax(sim + torch.where(mask, 0.0, NEVER).unsqueeze(1), dim=2)


def _fused(z: Tensor, others: Tensor, mask: Tensor) -> Tensor:
    # A mask that changes nothing would double the time; of another precision, it is misread.
    bias = None if mask.all() else torch.where(mask, 0.0, NEVER).to(z.dtype)[:, None, None]
    query, key = z.unsqueeze(1), others.unsqueeze(1)  # one head
    return F.scaled_dot_product_attention(query, key, key, attn_mask=bias).squeeze(1)


class MatchingLayer(nn.Module):
    """One round of messages within a graph and, if there is an attention, between the two graphs of
    a pair, Eq. (6). `UPDATE` is residual and normalises its input.
    """

    def __init__(self, hidden_channels: int, attention: bool) -> None:
        super().__init__()
        H = hidden_channels
        self.attention = attention
        self.norm = nn.LayerNorm(H)
        self.update = nn.Sequential(
            nn.Linear(3 * H if attention else 2 * H, 2 * H),
            nn.ReLU(inplace=True),
            nn.Linear(2 * H, H),
        )

    def forward(self, h: Tensor, A: SparseOperator, pairs: Pairs | None) -> Tensor:
        """Return the next representations `[n, H]`."""
        z = self.norm(h)
        across = []
        if self.attention and pairs is not None:
            masks1, masks2 = pairs.rows.masks(), pairs.columns.masks()
            blocks = zip(pairs.pad(z), masks1, masks2, strict=True)
            means = [attended(z1, z2, m1, m2) for (z1, z2), m1, m2 in blocks]
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
        attention: whether nodes look at the other graph; if not, a graph is embedded by itself.
        similarity: the similarity of the assignment, Eq. (8).
        scale: initial factor of that similarity; learnt.
    """

    def __init__(
        self,
        num_features: int,
        hidden_channels: int,
        num_layers: int,
        attention: bool = True,
        similarity: str = "euclidean",
        scale: float = 1.0,
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
        """Return the representations of all nodes, left graphs first, `[n1 + n2, H]`, Eq. (6)."""
        return self.embed(pairs.x, pairs.adj, pairs)

    def embed(self, x: Tensor, A: SparseOperator, pairs: Pairs | None = None) -> Tensor:
        """Return representations of nodes `[n, H]`, given their input and edges."""
        h: Tensor = self.encoder(x)
        for layer in self.layers:
            h = layer(h, A, pairs)
        return h

    def pair_scores(self, h: Tensor, pairs: Pairs) -> list[Tensor]:
        """Return the scores of all pairs bucket by bucket, given `h [n1 + n2, H]`."""
        return [self.scores(h1, h2) for h1, h2 in pairs.pad(h)]

    def scores(self, h1: Tensor, h2: Tensor) -> Tensor:
        """Return the similarities `[b, N1, N2]` of which Eq. (8) takes the softmax."""
        return self.log_scale.exp() * self.similarity(h1, h2)

    def distances(self, pairs: Pairs) -> Tensor:
        """Return squared distances of the two graphs of each pair, divided by their width, `[B]`; a
        graph is represented by a gated sum over its nodes, Eq. (2).
        """
        z, ptr = self.norm(self(pairs)), pairs.ptr
        gated = torch.sigmoid(self.gate(z)) * self.value(z)
        left, right = self.graph(row_means(gated, ptr) * ptr.diff().unsqueeze(1)).chunk(2)
        out: Tensor = (left - right).square().mean(1)
        return out
