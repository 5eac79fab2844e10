"""Alignments computed once: the matcher is frozen while the classifier trains, so M of a pair never changes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, GraphBatch, GraphSet, Operator, SparseOperator, buckets_by_size
from smixup.graphs.padding import Padding
from smixup.graphs.ragged import offsets
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent

PAIRS_AT_ONCE = 512
BYTES_PER_ENTRY = 12
NEGLIGIBLE = 1e-6


@dataclass(frozen=True)
class Alignments:
    """K partners of every training graph, each with its assignment.

    Attributes:
        graphs: the training split, G graphs.
        partner: `[K * G]`; entry `k * G + g` is the k-th partner of graph g.
        M: the assignments of all these pairs along the diagonal.
        left_ptr, right_ptr: `[K * G + 1]`, where the rows and columns of each pair begin in M.
        dense: whether the matcher gives padded blocks, so that mixes are computed in blocks too.
    """

    graphs: GraphSet
    partner: Tensor
    M: SparseOperator
    left_ptr: Tensor
    right_ptr: Tensor
    dense: bool

    def draw(self, ids: Tensor, generator: torch.Generator) -> tuple[GraphBatch, Operator]:
        """Return one of the K partners of every graph in `ids [B]`, and M from their nodes to those of `ids`."""
        turns = self.partner.numel() // len(self.graphs)
        turn = torch.randint(turns, (ids.numel(),), generator=generator).to(ids.device)
        pair = turn * len(self.graphs) + ids
        right = self.graphs[self.partner[pair]]
        M = self.M.blocks_of(self.left_ptr, pair, self.right_ptr)
        return right, in_blocks(M, offsets(self._sizes(ids)), right.ptr) if self.dense else M

    def _sizes(self, ids: Tensor) -> Tensor:
        return self.graphs.ptr[ids + 1] - self.graphs.ptr[ids]


def in_blocks(M: SparseOperator, left_ptr: Tensor, right_ptr: Tensor) -> BlockOperator:
    """Return assignments of pairs as padded blocks, bucketed by size."""
    groups = buckets_by_size(left_ptr.diff(), right_ptr.diff())
    return BlockOperator.from_sparse(M, Padding.of(left_ptr, groups), Padding.of(right_ptr, groups))


def align(graphs: GraphSet, matcher: Matcher, partner: Tensor, memory: int, report: Report = silent) -> Alignments:
    """Match every graph with its partners.

    Args:
        graphs: the training split, G graphs.
        matcher: fitted.
        partner: `[K * G]`, K partners of every graph, see `Alignments`.
        memory: bytes that the assignments may take; more is an error that says what to do.
        report: told after every few hundred pairs.
    """
    left = torch.arange(len(graphs), device=partner.device).repeat(partner.numel() // len(graphs))
    parts, dense, room = [], False, memory // BYTES_PER_ENTRY
    for pairs in torch.arange(left.numel(), device=partner.device).split(PAIRS_AT_ONCE):
        M = matcher(graphs[left[pairs]], graphs[partner[pairs]])
        dense = isinstance(M, BlockOperator)
        parts.append(M.to_sparse().without_small(NEGLIGIBLE).to_sparse())
        room -= parts[-1].column.numel()
        if room < 0:
            raise SmixupError(
                f"the alignments of {left.numel()} pairs need more than {memory // 2**20} MB: lower `partners`, "
                "raise `memory`, set the matcher's `top_k`, or pair afresh in every batch with partners=None."
            )
        report(Progress("aligning", int(pairs[-1]) + 1, left.numel()))
    left_ptr, right_ptr = (offsets(graphs.sizes[side]) for side in (left, partner))
    return Alignments(graphs, partner, SparseOperator.stack(parts), left_ptr, right_ptr, dense)
