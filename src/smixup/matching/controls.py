"""Assignments that know nothing, which any alignment has to beat, and what MOTIF says of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import ranks
from smixup.matching.assign import SolverMatcher
from smixup.matching.base import Matcher
from smixup.matching.pairs import PairBlock, require_pairs
from smixup.precision import single_precision
from smixup.seeding import RandomSource, rand
from smixup.settings import Natural


@dataclass
class Uniform(SolverMatcher):
    """All nodes score alike: every node of G2 is spread evenly over G1. With
    `normalization="one-to-one"` neighbours alone decide.
    """

    reads_features: ClassVar[bool] = False

    def solve(self, block: PairBlock) -> Tensor:
        return block.mask.float()


@dataclass
class Identity(Matcher):
    """Nodes are matched one to one in the order they are stored.

    Attributes:
        partial: where G2 is larger, leave its last nodes without match, as `one-to-one` alignments
            do; otherwise nodes of G1 are taken in turn.
    """

    partial: bool = field(default=False, kw_only=True)

    reads_features: ClassVar[bool] = False

    @single_precision()
    def __call__(self, left: Graphs, right: Graphs) -> SparseOperator:
        require_pairs(left, right)
        place, partner = self.order(left), self.order(right)
        node = torch.empty_like(place)
        node[left.ptr[left.batch] + place] = torch.arange(left.num_nodes, device=left.device)
        size = left.sizes[right.batch]
        if not self.partial:
            partner = partner % size.clamp(min=1)
        column = (partner < size).nonzero().squeeze(1)
        row = node[left.ptr[right.batch[column]] + partner[column]]
        shape = left.num_nodes, right.num_nodes
        ones = torch.ones(len(row), device=left.device)
        return SparseOperator.from_entries(row, column, ones, shape)

    def order(self, graphs: Graphs) -> Tensor:
        """Number the nodes of each graph, `[n]`."""
        return torch.arange(graphs.num_nodes, device=graphs.device) - graphs.ptr[graphs.batch]


@dataclass
class RandomOrder(Identity):
    """Nodes are matched one to one in random order (Sec. 5.1).

    Attributes:
        seed: the seed of the orders.
    """

    seed: Natural = 0
    random: RandomSource = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.random = RandomSource(self.seed, "random order")

    def order(self, graphs: Graphs) -> Tensor:
        key = rand(graphs.num_nodes, generator=self.random.generator, like=graphs.ptr)
        return ranks(graphs.ptr, key)


def motif_kept(M: SparseOperator, left: Graphs, right: Graphs) -> Tensor:
    """Return the share of the motif that is kept when G2 is carried onto G1, `[B]`: with E1 and E2
    the edges within the motifs, `sum of min(M E2 M^T, E1) / sum of E1`.
    """
    E1, E2 = _motif_edges(left), _motif_edges(right)
    carried = (M @ E2 @ M.T).values_at(E1)
    kept = left.totals(torch.minimum(carried, E1.weight), E1.row)
    return kept / left.totals(E1.weight, E1.row)


def _motif_edges(graphs: Graphs) -> SparseOperator:
    if graphs.motif is None:
        raise SmixupError("these graphs have no known motif: use MOTIF.")
    adj = graphs.adj
    return adj.mask_entries(graphs.motif[adj.row] & graphs.motif[adj.column])
