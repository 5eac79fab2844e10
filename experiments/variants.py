"""S-Mixup as tables ask for it, and nobody else: what was tried, and another study's form of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup import SMixup
from smixup.augment.mixing import (
    Transport,
    mixed_targets,
    transform,
    whole_edges,
    without_light_edges,
)
from smixup.graphs import Graphs, SparseOperator


@dataclass
class Study(SMixup):
    """The mixes of the public code that ICML 2026's study trained on: edges below 0.1 are dropped,
    and a model without weights (`whole`), such as PyG's GIN, takes the others for whole ones.
    """

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


@dataclass(frozen=True)
class BalancedTransport(Transport):
    """`A2' = s M A2 M^T`, `X2' = s M X2` with `s = n1 / n2`: means are kept instead of totals.

    With `normalization="sinkhorn"`, a feature that all nodes of G2 share stays as it is, and a node
    has the average degree of those it stands for.
    """

    name: ClassVar[str] = "balanced"

    def __call__(self, M: SparseOperator, left: Graphs, right: Graphs) -> Graphs:
        s = (left.sizes / right.sizes.clamp(min=1)).to(torch.float)[left.batch]
        moved = transform(M, left, right)
        return moved.replace(x=s.unsqueeze(1) * moved.x, adj=s * moved.adj)


@dataclass
class Balanced(NormsOverAll):
    """S-Mixup by balanced transport; of graphs without further attributes."""

    transport: str | Transport = BalancedTransport()
