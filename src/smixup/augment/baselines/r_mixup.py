"""R-Mixup (Kan et al. 2023): mixing graphs on the same nodes along geodesics of their matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import draw_ratio, interpolate
from smixup.augment.pairing import draw_any
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets
from smixup.progress import Report
from smixup.settings import Count, NotNegative, Positive


@dataclass
class RMixup(RandomAugmentation):
    """Mixes correlation matrices in their logarithms, `A' = exp(lam log A1 + (1 - lam) log A2)`.

    Example::

        mix = RMixup().fit(train_dataset)  # the same nodes in every graph
        for batch in DataLoader(train_dataset, 16, shuffle=True):
            batch = mix(batch)                   # mixes alone; y is soft

    The matrix of a graph has its edge weights, of any sign, and ones on the diagonal. On a straight
    line between two such matrices determinants swell; here the logarithm of the determinant is
    mixed as everything else is.

    Attributes:
        alpha: of the Beta distribution of the ratio lambda, which is in [0, 1].
        least: eigenvalues below this are raised to it, so that there is a logarithm.
        max_nodes: larger graphs are refused: a mix needs time of the cube of their size.
    """

    alpha: NotNegative = 1.0
    least: Positive = 1e-8
    max_nodes: Count = 500

    purpose: ClassVar[str] = "r-mixup"
    mixes_targets: ClassVar[bool] = True
    reads_features: ClassVar[bool] = True
    averages_edges: ClassVar[bool] = True

    def on_fit(self, train: Graphs, report: Report) -> None:
        self._require_matrices(train)

    def on_batch(self, batch: Graphs) -> Graphs:
        self._require_matrices(batch)
        partner = draw_any(len(batch), len(batch), self.random).to(batch.device)
        lam = draw_ratio(1, self.alpha, False, self.random).expand(len(batch)).to(batch.device)
        matrices = on_eigenvalues(matrices_of(batch), lambda it: it.clamp(min=self.least).log())
        mixed = torch.lerp(matrices[partner], matrices, lam.double().view(-1, 1, 1))
        mixes = interpolate(batch, batch[partner].replace(adj=batch.adj), lam)
        return mixes.replace(adj=edges_of(on_eigenvalues(mixed, torch.exp)), set_id="")

    def _require_matrices(self, graphs: Graphs) -> None:
        adj, least, most = graphs.adj, int(graphs.sizes.min()), int(graphs.sizes.max())
        if least != most:
            raise UsageError(
                f"RMixup mixes graphs on the same nodes, and these have {least} to {most}: choose "
                "a method that aligns nodes, such as s-mixup."
            )
        if most > self.max_nodes:
            raise SmixupError(
                f"RMixup mixes graphs of up to {self.max_nodes} nodes, and these have {most}: "
                "raise max_nodes, or choose another method, such as s-mixup with matcher=identity."
            )
        across = SparseOperator.from_entries(adj.column, adj.row, adj.weight, adj.shape)
        symmetric = adj.symmetric or torch.allclose(adj.merged().values_at(across), across.weight)
        if not symmetric or graphs.edge_attrs or bool((adj.row == adj.column).any()):
            raise SmixupError(
                "RMixup mixes symmetric matrices with ones on the diagonal: make edges undirected, "
                "and leave out self-loops and attributes of edges."
            )


def matrices_of(graphs: Graphs) -> Tensor:
    """Return the matrices of graphs with n nodes each, ones on the diagonal, `[B, n, n]` double."""
    adj, B, n = graphs.adj.merged(), len(graphs), int(graphs.sizes[0])
    matrices = torch.eye(n, dtype=torch.double, device=graphs.device).repeat(B, 1, 1)
    matrices[graphs.batch[adj.row], adj.row % n, adj.column % n] = adj.weight.double()
    return matrices


def on_eigenvalues(matrices: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Return symmetric matrices `[B, n, n]` with a function of their eigenvalues."""
    values, vectors = torch.linalg.eigh(matrices)
    changed: Tensor = (vectors * function(values).unsqueeze(1)) @ vectors.mT
    return changed


def edges_of(matrices: Tensor) -> SparseOperator:
    """Return what is off the diagonals of `[B, n, n]` as the adjacency of B graphs."""
    B, n, _ = matrices.shape
    weight = (matrices + matrices.mT).div(2).float()
    weight.diagonal(dim1=1, dim2=2).zero_()
    graph, row, column = weight.nonzero(as_tuple=True)
    row_ptr = offsets((weight != 0).sum(2).flatten())
    return SparseOperator(row_ptr, graph * n + column, weight[graph, row, column], B * n, True)
