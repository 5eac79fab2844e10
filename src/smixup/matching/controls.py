"""Assignments that know nothing: what any alignment has to beat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor

from smixup.graphs import Graphs, Operator
from smixup.matching.base import Matcher
from smixup.matching.normalized import NormalizedMatcher
from smixup.matching.pairs import Pairs
from smixup.precision import single_precision
from smixup.seeding import RandomSource


@dataclass
class Uniform(NormalizedMatcher):
    """All nodes score alike: every node of G2 is spread evenly over G1, and G2' keeps nothing but
    averages.

    With `normalization="one-to-one"` neighbours alone decide: what an alignment is worth that has
    learnt nothing of nodes.
    """

    reads_features: ClassVar[bool] = False

    @single_precision()
    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        pairs = Pairs.of(left, right)
        return self.normalized(
            pairs, (torch.zeros(mask.shape, device=mask.device) for mask in pairs.masks())
        )


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
    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        pairs = Pairs.of(left, right)
        M = pairs.operator([self._match(block.mask1, block.mask2) for block in pairs.blocks()])
        return M.to_sparse() if self.partial else M

    def order(self, mask: Tensor) -> Tensor:
        """Number the nodes of each graph, `[b, N]`."""
        return torch.arange(mask.size(1), device=mask.device).expand(mask.shape)

    def _match(self, mask1: Tensor, mask2: Tensor) -> Tensor:
        place, partner = self.order(mask1), self.order(mask2)
        if not self.partial:
            partner = partner % mask1.sum(1, keepdim=True).clamp(min=1)
        same = place.unsqueeze(2) == partner.unsqueeze(1)
        return (same & mask1.unsqueeze(2) & mask2.unsqueeze(1)).float()


@dataclass
class RandomOrder(Identity):
    """Nodes are matched one to one in random order (Sec. 5.1).

    Attributes:
        seed: of the orders.
    """

    seed: int = 0
    random: RandomSource = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.random = RandomSource(self.seed, "random order")

    def order(self, mask: Tensor) -> Tensor:
        key = torch.rand(mask.shape, generator=self.random.generator).to(mask.device) + (~mask)
        return key.argsort(1).argsort(1)
