"""Cross-graph attention, Eq. (7): every node's view of the other graph of its pair.

The table of similarities of a small pair is made once and serves both sides. Of a large pair it
would fill the memory, in every layer and again for the gradient; there the attention is computed in
tiles, none of which is kept: by torch's fused kernel where the similarity is an inner product, by
tiles that are made again in the backward pass otherwise. All ways agree to rounding.

A node of a very large graph is compared with `KEYS` nodes that stand for all of the other graph, so
that the cost of a layer grows with n1 + n2 and no longer with n1 n2.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from smixup.matching.assignment import NEVER
from smixup.matching.similarity import Similarity, cosine, dot

TABLE = 2**18
"""Cells of a pair's table of similarities up to which it is made as a whole."""
KEYS = 2**12
"""Nodes of a graph up to which each of them is attended to."""


def attended(
    z1: Tensor, z2: Tensor, count1: Tensor, count2: Tensor, similarity: Similarity
) -> tuple[Tensor, Tensor]:
    """Return for the nodes of both sides the means of the other's, weighted by their similarity,
    `[b, N1, H]` and `[b, N2, H]`.

    Args:
        z1, z2: representations of nodes `[b, N1, H]`, `[b, N2, H]`.
        count1, count2: how many nodes each slot stands for, `[b, N1]`, `[b, N2]`, zero if it is
            empty.
        similarity: `sim` of Eq. (7).
    """
    if z1.size(1) * z2.size(1) > TABLE:
        return _one_side(z1, z2, count2, similarity), _one_side(z2, z1, count1, similarity)
    sim = similarity(z1, z2)
    w1 = attention_weights(sim, count2)
    w2 = attention_weights(sim.transpose(1, 2), count1)
    return w1 @ z2, w2 @ z1


def attention_weights(sim: Tensor, count: Tensor) -> Tensor:
    """Return `w` of Eq. (7): softmax of `[b, N, N']` over the nodes of the other graph, given how
    many each slot stands for, `[b, N']`.
    """
    return torch.softmax(sim + _log(count).unsqueeze(1), dim=2)


def representatives(z: Tensor, count: Tensor, number: int) -> Tensor:
    """Return nodes that stand for all of a graph, `[b, number, H]`: those at evenly spaced places
    of an order by content.

    The order is that of a fixed projection, so that it does not depend on how nodes are numbered,
    and a shuffled copy has the same representatives.

    Args:
        z: representations `[b, N, H]`.
        count: how many nodes each slot stands for, `[b, N]`, not all zero in a row.
        number: of representatives.
    """
    direction = torch.linspace(-1, 1, z.size(2), device=z.device, dtype=z.dtype)
    order = (z.detach() @ direction).argsort(dim=1, stable=True)
    before = count.double().gather(1, order).cumsum(1)
    share = (torch.arange(number, device=z.device, dtype=torch.double) + 0.5) / number
    chosen = order.gather(1, torch.searchsorted(before, share * before[:, -1:], right=True))
    return z.gather(1, chosen.unsqueeze(2).expand(-1, -1, z.size(2)))


def _log(count: Tensor) -> Tensor:
    """Return what is added to the score of a slot that stands for so many nodes."""
    return torch.where(count > 0, count.clamp(min=1).log(), NEVER)


def _one_side(z: Tensor, others: Tensor, count: Tensor, similarity: Similarity) -> Tensor:
    if others.size(1) > KEYS:
        others = representatives(others, count, KEYS)
        count = count.new_ones(others.shape[:2])
    if similarity is dot:
        return _fused(z, others, others, count, 1 / math.sqrt(z.size(2)))
    if similarity is cosine:
        return _fused(F.normalize(z, dim=2), F.normalize(others, dim=2), others, count, 1.0)
    return _by_tiles(z, others, count, similarity)


def _fused(q: Tensor, k: Tensor, v: Tensor, count: Tensor, scale: float) -> Tensor:
    mask = None
    if not (count == 1).all():  # a mask that changes nothing would double the time
        # torch takes a mask of another precision, and reads it wrongly.
        mask = _log(count).to(q.dtype)[:, None, None, :].expand(-1, 1, q.size(1), -1)
    q, k, v = q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)  # one head
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale).squeeze(1)


def _by_tiles(z: Tensor, others: Tensor, count: Tensor, similarity: Similarity) -> Tensor:
    def of_tile(tile: Tensor, others: Tensor) -> Tensor:
        return attention_weights(similarity(tile, others), count) @ others

    rows = max(1, TABLE // others.size(1))
    tiles = [checkpoint(of_tile, tile, others, use_reentrant=False) for tile in z.split(rows, 1)]
    return torch.cat(tiles, dim=1)
