"""Graph convolutional network (Kipf and Welling 2017)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from smixup.classifiers.base import Aggregation, Classifier, NodeNorm
from smixup.graphs import SparseOperator


class GCN(Classifier):
    """GCN as in App. C: `H <- ReLU(D^-1/2 (A + I) D^-1/2 H W + b)`, with edge weights in `A` and in
    the degrees `D`; of negative ones, see `Normalised`.
    """

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        return GCNLayer(in_channels, out_channels, batch_norm)

    def propagation(self, adj: SparseOperator) -> Normalised:
        return Normalised.of(adj)


@dataclass(frozen=True)
class Normalised:
    """`D^-1/2 (A + I) D^-1/2` with `D_ii = 1 + sum_j |A_ij|`, the degrees of `A + I`.

    Without negative weights this is Kipf and Welling's. A negative weight, as in correlation
    matrices, turns the sign of a message and counts in `D` by its size: sums of weights may be zero
    or less, and have no such root.

    Attributes:
        adj: the entries of A.
        own: what is on the diagonal besides, `[n, 1]`.
    """

    adj: SparseOperator
    own: Tensor

    @classmethod
    def of(cls, adj: SparseOperator) -> Normalised:
        """Normalise an adjacency."""
        degree = adj.row_sizes() + 1.0
        return cls(adj.conjugated(degree.rsqrt()), degree.reciprocal().unsqueeze(1))

    def __matmul__(self, h: Tensor) -> Tensor:
        result: Tensor = Aggregation.apply(h, self.own.to(h.dtype), self.adj)
        return result


class GCNLayer(nn.Module):
    """One graph convolution."""

    def __init__(self, in_channels: int, out_channels: int, batch_norm: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))
        self.norm = NodeNorm(out_channels) if batch_norm else nn.Identity()
        nn.init.xavier_uniform_(self.linear.weight)

    def forward(self, h: Tensor, adj: Normalised) -> Tensor:
        """Return the next representations `[n, out]`."""
        h = adj @ self.linear(h)
        out: Tensor = self.norm(h.add_(self.bias)).relu_()
        return out
