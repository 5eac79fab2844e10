"""Colour refinement (1-WL): which nodes no message-passing network can tell apart."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.graphs import Graphs

LARGE = 2**61


def stable_colours(batch: Graphs) -> Tensor:
    """Return a colour per node `[n]`, equal for two nodes of the batch exactly if 1-WL cannot tell
    them apart.

    A colour's neighbourhood is the multiset of (edge weight, colour) around a node, summarised by a
    sum of random hashes: two different multisets collide with probability about 2^-61 per
    comparison.
    """
    adj = batch.adj.to_sparse()
    colour: Tensor = torch.zeros_like(batch.batch)
    if batch.num_features:
        colour = torch.unique(batch.x, dim=0, return_inverse=True)[1]
    weight: Tensor = torch.unique(adj.weight, return_inverse=True)[1]
    kinds = int(weight.max()) + 1 if weight.numel() else 1
    generator = torch.Generator().manual_seed(0)
    number = int(colour.max()) + 1 if colour.numel() else 0
    while True:
        hashes = torch.randint(LARGE, (number * kinds,), generator=generator).to(colour.device)
        seen = torch.zeros_like(colour).index_add_(
            0, adj.row, hashes[colour[adj.column] * kinds + weight]
        )
        colour = torch.unique(torch.stack([colour, seen], 1), dim=0, return_inverse=True)[1]
        refined = int(colour.max()) + 1
        if refined == number:
            return colour
        number = refined
