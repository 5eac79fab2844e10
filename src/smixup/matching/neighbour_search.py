"""The nearest nodes of another graph: exactly, tile by tile, or by an index for very many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.matching.similarity import Similarity, cosine, euclidean
from smixup.memory import cells_at_once
from smixup.optional import find_optional

CELLS_AT_ONCE = 2**22
CELLS_PROBED = 12
EXACT = 5 * 10**4
"""Nodes of the larger graph up to which every distance is looked at."""


@dataclass(frozen=True)
class Points:
    """Nodes where they are searched: for each a, `a . b - bias(b)` ranks the nodes b.

    Attributes:
        place: `[n, d]`.
        bias: `[n]`.
    """

    place: Tensor
    bias: Tensor

    def __getitem__(self, nodes: Tensor) -> Points:
        return Points(self.place[nodes], self.bias[nodes])

    def __len__(self) -> int:
        return len(self.bias)


def points(h: Tensor, tie: Tensor, similarity: Similarity) -> Points:
    """Return where nodes lie for a search by similarity.

    Args:
        h: representations `[n, H]`.
        tie: one more coordinate `[n]`, by whose difference those are ranked that are alike.
        similarity: of the assignment.
    """
    h = F.normalize(h, dim=1) if similarity is cosine else h
    place = torch.cat([h, tie.unsqueeze(1)], dim=1)
    # |a - b|^2 / 2 = |a|^2 / 2 - a.b + |b|^2 / 2, and the first term is the same for all b.
    distances_of = place if similarity is euclidean else place[:, -1:]
    return Points(place, distances_of.square().sum(1) / 2)


def nearest_of(first: Points, second: Points, number: int) -> Tensor:
    """Return the nearest nodes of the other side for each node, `[n1, number]`, or all there are.

    Beyond `EXACT` nodes they are found by an index if faiss is installed (`pip install
    'smixup[large]'`): about 97 % of them, in a small part of the time.
    """
    many = max(len(first), len(second)) > EXACT and len(second) >= EXACT // 10
    if many and (faiss := find_optional("faiss")) is not None:
        return nearest_by_index(first, second, number, faiss)
    return nearest_by_tiles(first, second, number)


def nearest_by_tiles(first: Points, second: Points, number: int) -> Tensor:
    """Return the nearest nodes exactly, some rows of the table at a time."""
    number = min(number, len(second))
    rows = max(1, cells_at_once(CELLS_AT_ONCE, first.place.element_size()) // max(len(second), 1))
    found = torch.empty(len(first), number, dtype=torch.long, device=first.bias.device)
    # One tile for all: small results between tiles that come and go would keep these from going.
    table = first.place.new_empty(min(rows, len(first)), len(second))
    for begin in range(0, len(first), rows):
        tile = first.place[begin : begin + rows]
        part = table[: len(tile)]
        torch.addmm(second.bias, tile, second.place.T, beta=-1, out=part)
        found[begin : begin + rows] = part.topk(number).indices
    return found


def nearest_by_index(first: Points, second: Points, number: int, faiss: Any) -> Tensor:
    """Return the nearest nodes among those in the nearest of many cells."""
    number = min(number, len(second))
    first_place, second_place = _as_distances(first, second)
    cells = min(int(2 * math.sqrt(len(second))), len(second))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(first_place.shape[1]), first_place.shape[1], cells)
    index.cp.seed, index.cp.min_points_per_centroid = 0, 1
    index.train(second_place[:: max(1, len(second) // (32 * cells))])
    index.add(second_place)
    index.nprobe = CELLS_PROBED
    faiss.omp_set_num_threads(torch.get_num_threads())
    _, found = index.search(first_place, number)
    nearest = torch.from_numpy(found).to(first.bias.device)
    lost = (nearest[:, 0] < 0).nonzero().squeeze(1)
    if len(lost):  # nodes that lie at one place fill one cell, and leave empty ones around it
        nearest[lost] = nearest_by_tiles(first[lost], second, number)
    # Where the cells hold fewer, the nearest of them stands in for the missing.
    return torch.where(nearest < 0, nearest[:, :1], nearest)


def _as_distances(first: Points, second: Points) -> tuple[Any, Any]:
    """Return places whose Euclidean distances rank as the points do: one more coordinate makes the
    lengths of all b right (Bachrach et al. 2014).
    """
    short = (second.place.square().sum(1) / 2 - second.bias) * 2  # what |b|^2 has too much
    rest = (short.max() - short).clamp(min=0).sqrt()
    a = torch.cat([first.place, torch.zeros_like(first.bias).unsqueeze(1)], dim=1)
    b = torch.cat([second.place, rest.unsqueeze(1)], dim=1)
    return a.float().cpu().numpy(), b.float().cpu().numpy()
