"""Alignments computed once: the matcher is frozen while the classifier trains, so G2' of a pair
never changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.augment.adaptive import Estimate, ignored
from smixup.augment.mixing import Transformed, transform
from smixup.errors import SmixupError
from smixup.graphs import GraphBatch, GraphSet, Operator, concatenate_sets
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent

PAIRS_AT_ONCE = 512


@dataclass(frozen=True)
class Alignments:
    """K partners of every training graph, already carried onto it.

    Attributes:
        transformed: G2' of all pairs; pair `k * G + g` is graph g with its k-th partner.
        num_graphs: training graphs, G.
        distortion: `[K * G]`, how far G2' of each pair is from G2 by the estimate asked for.
    """

    transformed: GraphSet
    num_graphs: int
    distortion: Tensor

    def draw(self, ids: Tensor, generator: torch.Generator) -> tuple[Transformed, Tensor]:
        """Return G2' of one of the K partners for every graph in `ids [B]`, and the distortions
        `[B]`.
        """
        turn = torch.randint(
            len(self.transformed) // self.num_graphs, (ids.numel(),), generator=generator
        )
        pairs = turn.to(ids.device) * self.num_graphs + ids
        chosen = self.transformed[pairs]
        return Transformed(chosen.x, chosen.adj, chosen.y), self.distortion[pairs]


def align(
    graphs: GraphSet,
    matcher: Matcher,
    partner: Tensor,
    threshold: float,
    memory: int,
    report: Report = silent,
    estimate: Estimate = ignored,
) -> Alignments:
    """Match every graph with its partners and keep the transformed graphs, of as many partners as
    there is room for.

    Args:
        graphs: the training split, G graphs.
        matcher: fitted.
        partner: `[K * G]`, entry `k * G + g` is the k-th partner of graph g.
        threshold: weights of A2' below this are left out.
        memory: bytes that may be kept; if one partner per graph needs more, an error says what to
            do.
        report: told after every few hundred pairs.
        estimate: of the distortion of each pair.
    """
    left = torch.arange(len(graphs), device=partner.device).repeat(partner.numel() // len(graphs))
    parts, distortions, room = [], [], memory
    for pairs in torch.arange(left.numel(), device=partner.device).split(PAIRS_AT_ONCE):
        left_graphs, right_graphs = graphs[left[pairs]], graphs[partner[pairs]]
        M = matcher(left_graphs, right_graphs)
        part = _transformed(M, left_graphs, right_graphs, threshold, graphs.adj.symmetric)
        room -= _bytes(part.x, part.adj.column, part.adj.weight)
        if room < 0:
            break
        parts.append(part)
        distortions.append(estimate(M, left_graphs, right_graphs))
        report(Progress("aligning", int(pairs[-1]) + 1, left.numel()))
    rounds = sum(map(len, parts)) // len(graphs)
    if rounds == 0:
        raise SmixupError(
            f"the alignments of {len(graphs)} pairs need more than {memory // 2**20} MB: raise "
            "`memory` or `threshold`, or pair afresh in every batch with partners=None."
        )
    stored, number = concatenate_sets(parts), rounds * len(graphs)
    stored = stored if len(stored) == number else stored.subset(range(number))
    return Alignments(stored, len(graphs), torch.cat(distortions)[:number])


def _transformed(
    M: Operator, left: GraphBatch, right: GraphBatch, threshold: float, undirected: bool
) -> GraphSet:
    aligned = transform(M, right)
    adj = aligned.adj.symmetrised() if undirected else aligned.adj
    return GraphSet(aligned.x, adj.without_small(threshold).to_sparse(), aligned.y, left.ptr)


def _bytes(*tensors: Tensor) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
