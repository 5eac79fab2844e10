"""The readout of Eq. (2) as an operator from nodes to graphs."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.graphs.operator import Operator
from smixup.graphs.ragged import row_of
from smixup.graphs.sparse import SparseOperator


@dataclass(frozen=True)
class MeanReadout(Operator):
    """Averages node signals over each graph, `[B, n]`; a graph without nodes reads zero.

    Attributes:
        ptr: `[B + 1]`, where the nodes of each graph begin.
    """

    ptr: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        return self.ptr.numel() - 1, int(self.ptr[-1])

    @property
    def T(self) -> Operator:
        return _MeanSpread(self.ptr)

    def product(self, h: Tensor) -> Tensor:
        every = torch.arange(h.size(0), device=h.device)
        return F.embedding_bag(every, h.detach(), self.ptr, mode="mean", include_last_offset=True)

    def to_sparse(self) -> SparseOperator:
        n = self.shape[1]
        weight = self.ptr.diff().float().reciprocal()[row_of(self.ptr)]
        return SparseOperator(
            self.ptr, torch.arange(n, device=self.ptr.device), weight, num_columns=n
        )


@dataclass(frozen=True)
class _MeanSpread(Operator):
    """The transpose of `MeanReadout`: gives every node its share of the graph's signal."""

    ptr: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.ptr[-1]), self.ptr.numel() - 1

    @property
    def T(self) -> Operator:
        return MeanReadout(self.ptr)

    def product(self, h: Tensor) -> Tensor:
        sizes = self.ptr.diff()
        return (h / sizes.clamp(min=1).unsqueeze(1)).repeat_interleave(sizes, dim=0)

    def to_sparse(self) -> SparseOperator:
        return MeanReadout(self.ptr).to_sparse().T
