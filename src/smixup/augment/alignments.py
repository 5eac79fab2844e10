"""Alignments computed once: the matcher is frozen while the classifier trains, so G2' of a pair never changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.augment.mixing import Transformed, transform
from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, GraphSet, Operator, SparseOperator
from smixup.graphs.padding import Padding, buckets_by_size
from smixup.graphs.ragged import offsets, ranges
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent

PAIRS_AT_ONCE = 512


class Alignments:
    """K partners of every training graph, already carried onto it.

    Pair `k * G + g` is graph g with its k-th partner.
    """

    def draw(self, ids: Tensor, generator: torch.Generator) -> Transformed:
        """Return G2' of one of the K partners for every graph in `ids [B]`."""
        raise NotImplementedError


@dataclass(frozen=True)
class DenseAlignments(Alignments):
    """Small graphs: X2' and all cells of A2' are kept.

    Attributes:
        ptr: `[K * G + 1]`, where the nodes of each pair begin.
        x: X2' of all pairs `[n, d]`.
        cells: A2' of every pair, `[n1, n1]`.
        y: targets of the partners `[K * G, C]`.
        num_graphs: G.
    """

    ptr: Tensor
    x: Tensor
    cells: list[Tensor]
    y: Tensor
    num_graphs: int

    def draw(self, ids: Tensor, generator: torch.Generator) -> Transformed:
        pair = draw_pairs(ids, self.num_graphs, len(self.cells), generator)
        first = self.ptr[pair]
        count = self.ptr[pair + 1] - first
        return Transformed(self.x[ranges(first, count)], self._adjacency(pair, count), self.y[pair])

    def _adjacency(self, pair: Tensor, sizes: Tensor) -> BlockOperator:
        groups = buckets_by_size(sizes)
        padding = Padding.of(offsets(sizes), groups)
        blocks = [self.x.new_zeros(b, width, width) for b, width in padding.shapes]
        pairs = pair.tolist()
        for group, block in zip(groups, blocks, strict=True):
            for place, graph in enumerate(group.tolist()):  # copying runs of memory beats an index for every cell
                cells = self.cells[pairs[graph]]
                block[place, : len(cells), : len(cells)] = cells
        return BlockOperator(tuple(blocks), padding, padding)


@dataclass(frozen=True)
class SparseAlignments(Alignments):
    """Large graphs: the entries of M are kept, and A2' is never multiplied out.

    Attributes:
        graphs: the training split, G graphs.
        partner: `[K * G]`.
        M: the assignments of all pairs along the diagonal.
        left_ptr, right_ptr: `[K * G + 1]`, where the rows and columns of each pair begin in M.
    """

    graphs: GraphSet
    partner: Tensor
    M: SparseOperator
    left_ptr: Tensor
    right_ptr: Tensor

    def draw(self, ids: Tensor, generator: torch.Generator) -> Transformed:
        pair = draw_pairs(ids, len(self.graphs), self.partner.numel(), generator)
        M = self.M.blocks_of(self.left_ptr, pair, self.right_ptr)
        return transform(M, self.graphs[self.partner[pair]])


def draw_pairs(ids: Tensor, num_graphs: int, num_pairs: int, generator: torch.Generator) -> Tensor:
    """Draw one of the stored pairs of every graph in `ids`."""
    turn = torch.randint(num_pairs // num_graphs, (ids.numel(),), generator=generator)
    return turn.to(ids.device) * num_graphs + ids


def align(graphs: GraphSet, matcher: Matcher, partner: Tensor, memory: int, report: Report = silent) -> Alignments:
    """Match every graph with its partners and keep what mixing needs.

    Args:
        graphs: the training split, G graphs.
        matcher: fitted.
        partner: `[K * G]`, entry `k * G + g` is the k-th partner of graph g.
        memory: bytes that may be kept; more is an error that says what to do.
        report: told after every few hundred pairs.
    """
    left = torch.arange(len(graphs), device=partner.device).repeat(partner.numel() // len(graphs))
    left_ptr, right_ptr = (offsets(graphs.sizes[side]) for side in (left, partner))
    dense: list[Transformed] = []
    sparse: list[SparseOperator] = []
    room = memory
    for pairs in torch.arange(left.numel(), device=partner.device).split(PAIRS_AT_ONCE):
        right = graphs[partner[pairs]]
        M = matcher(graphs[left[pairs]], right)
        if isinstance(M, SparseOperator):
            sparse.append(M)
            room -= size_of(M.column, M.weight)
        else:
            dense.append(transform(M, right))
            room -= size_of(dense[-1].x) + 4 * int((left_ptr[pairs + 1] - left_ptr[pairs]).square().sum())
        if room < 0:
            raise too_large(left.numel(), memory)
        report(Progress("aligning", int(pairs[-1]) + 1, left.numel()))
    if sparse:
        return SparseAlignments(graphs, partner, SparseOperator.stack(sparse), left_ptr, right_ptr)
    cells = [block for part in dense for block in square_cells(part.adj)]
    return DenseAlignments(left_ptr, torch.cat([part.x for part in dense]), cells, graphs.y[partner], len(graphs))


def square_cells(adj: Operator) -> Iterator[Tensor]:
    """Yield the adjacency of each graph `[n, n]` without padding, in the order of the batch."""
    assert isinstance(adj, BlockOperator)
    blocks = {}
    for block, index, mask in zip(adj.blocks, adj.rows.split(adj.rows.index), adj.rows.masks(), strict=True):
        for first, size, cells in zip(index[:, 0].tolist(), mask.sum(1).tolist(), block, strict=True):
            blocks[first] = cells[:size, :size].clone()
    yield from (blocks[first] for first in sorted(blocks))


def size_of(*tensors: Tensor) -> int:
    """Return the bytes that tensors take."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def too_large(pairs: int, memory: int) -> SmixupError:
    """Return the error for alignments that do not fit."""
    return SmixupError(
        f"the alignments of {pairs} pairs need more than {memory // 2**20} MB: lower `partners`, raise `memory`, "
        "set the matcher's `top_k`, or pair afresh in every batch with partners=None."
    )
