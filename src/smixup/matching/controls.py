"""Assignments that know nothing: what any alignment has to beat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import ranks
from smixup.matching.assign import SolverMatcher
from smixup.matching.base import Matcher
from smixup.matching.pairs import PairBlock, require_pairs
from smixup.precision import single_precision
from smixup.ranges import Seed
from smixup.seeding import RandomSource, rand


@dataclass
class Uniform(SolverMatcher):
    """All nodes score alike: every node of G2 is spread evenly over G1, and G2' keeps nothing but
    averages.

    With `normalization="one-to-one"` neighbours alone decide: what an alignment is worth that has
    learnt nothing of nodes.
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

    seed: Seed = 0
    random: RandomSource = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.random = RandomSource(self.seed, "random order")

    def order(self, graphs: Graphs) -> Tensor:
        key = rand(graphs.num_nodes, generator=self.random.generator, like=graphs.ptr)
        return ranks(graphs.ptr, key)
