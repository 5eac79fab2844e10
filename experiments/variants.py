"""S-Mixup as tables ask for it, and nobody else: what was tried, and another study's form of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor

from smixup import SMixup
from smixup.augment.mixing import mixed_targets, whole_edges, without_light_edges
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import RandomOrder

SHARE = "share of the ratio"


@dataclass
class Study(SMixup):
    """ICML 2026's mixes: without edges below 0.1; to PyG's GIN (`whole`) the others are whole."""

    whole: bool = False

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        mixed = without_light_edges(super().mix(left, moved, lam), 0.1)
        return whole_edges(mixed) if self.whole else mixed


@dataclass
class NormsOverAll(SMixup):
    """Batch norms see originals and mixes alike, as before they went by the originals."""

    norm_from_originals: ClassVar[bool] = False


@dataclass
class LabelAlone(SMixup):
    """A control: the first graph as it is, with the label of the mix."""

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        return left.replace(**mixed_targets(left, moved, lam))


@dataclass
class EqualChange(SMixup):
    """The control at equal perturbation: along random alignments, at ratios at which edges change
    as much as along the matcher's, with the labels of these.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.control = RandomOrder(partial=True, seed=self.seed or 0)

    def carry(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        random = super().carry(self.control(left, right), left, right)
        wanted, most = (change(left, moved) for moved in (super().carry(M, left, right), random))
        share = (wanted / most.clamp(min=1e-9)).clamp(max=1)
        return random.replace(graph_attrs={**random.graph_attrs, SHARE: share})

    def mix(self, left: Graphs, moved: Graphs, lam: Tensor) -> Graphs:
        mixed = super().mix(left, moved, 1 - moved.graph_attrs[SHARE] * (1 - lam))
        return mixed.replace(**mixed_targets(left, moved, lam))


def change(left: Graphs, moved: Graphs) -> Tensor:
    """Return `|A2' - A1|`, summed over the edges of each pair, `[B]`."""
    both = moved.adj + (-torch.ones(left.num_nodes)) * left.adj
    return left.totals(replace(both, weight=both.weight.abs()).row_sums())
