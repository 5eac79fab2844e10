"""Alignments computed once: the matcher is frozen while the classifier trains, so that G2' of a
pair never changes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from smixup.augment.adaptive import Estimate, no_distortion
from smixup.augment.mixing import transform
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
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
        set_id: of the training graphs, whose numbers are meant.
    """

    transformed: Graphs
    num_graphs: int
    distortion: Tensor
    set_id: str = ""

    def draw(self, ids: Tensor, generator: torch.Generator) -> tuple[Graphs, Tensor]:
        """Return G2' of one of K partners for every graph in `ids [B]`, and distortions `[B]`."""
        partners = len(self.transformed) // self.num_graphs
        turn = torch.randint(partners, (ids.numel(),), generator=generator)
        pairs = turn.to(ids.device) * self.num_graphs + ids
        return self.transformed[pairs], self.distortion[pairs]

    def to(self, device: torch.device | str) -> Alignments:
        """Move everything to `device`."""
        return replace(
            self, transformed=self.transformed.to(device), distortion=self.distortion.to(device)
        )


def align(
    graphs: Graphs,
    matcher: Matcher,
    partner: Tensor,
    threshold: float,
    memory: int,
    report: Report = silent,
    estimate: Estimate = no_distortion,
) -> Alignments:
    """Match every graph with its partners and keep the transformed graphs, as many as fit.

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
    prepared = matcher.prepare(graphs)
    every = torch.arange(len(graphs), device=graphs.device)
    left, partner = every.repeat(partner.numel() // len(graphs)), partner.to(graphs.device)
    parts, distortions, room = [], [], memory
    for pairs in torch.arange(left.numel(), device=graphs.device).split(PAIRS_AT_ONCE):
        G1, G2 = graphs[left[pairs]], graphs[partner[pairs]]
        M = matcher.assign(prepared, left[pairs], partner[pairs])
        part = _stored(transform(M, G1, G2), threshold, graphs.adj.to_sparse().symmetric)
        room -= _bytes(part)
        if room < 0:
            break
        parts.append(part)
        distortions.append(estimate(M, G1, G2))
        report(Progress("aligning", int(pairs[-1]) + 1, left.numel()))
    rounds = sum(map(len, parts)) // len(graphs)
    if rounds == 0:
        raise SmixupError(
            f"the alignments of {len(graphs)} pairs need more than {memory // 2**20} MB: raise "
            "`threshold`, or pair afresh in every batch with partners=None."
        )
    number = rounds * len(graphs)
    stored, lost = Graphs.cat(parts)[:number], torch.cat(distortions)[:number]
    return Alignments(stored, len(graphs), lost, graphs.set_id)


def _stored(aligned: Graphs, threshold: float, undirected: bool) -> Graphs:
    """Return transformed graphs as they are kept: sparse, and without what hardly weighs."""
    adj = aligned.adj.symmetrised() if undirected else aligned.adj
    return aligned.with_adj(adj.without_small(threshold).to_sparse())


def _bytes(graphs: Graphs) -> int:
    adj = graphs.adj
    assert isinstance(adj, SparseOperator)
    tensors = (graphs.x, adj.column, adj.weight)
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
