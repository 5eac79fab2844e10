"""What a node's place in its graph looks like: features that tell nodes apart where the data's own
cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import torch
from torch import Tensor

from smixup.graphs import BlockOperator, Graphs, SparseOperator, padding_of
from smixup.matching.walk_estimates import estimated_returns
from smixup.ranges import Range, RangedFields

CELLS_AT_ONCE = 2**24
WALKS_AT_ONCE = 2**18
LARGE = 128
"""Nodes of a graph from which on walks are faster than powers, on one thread."""
EXACT = 2**12
"""Nodes of a graph up to which walks are followed to every node they reach."""


@dataclass(frozen=True)
class StructuralEncoding(RangedFields):
    """Logarithmic degree and random-walk return probabilities.

    Attributes:
        random_walk: steps k; feature s is the probability that a walk is back after s = 1, ..., k
            steps.
        degree: whether `log(1 + degree)` is a feature.
    """

    random_walk: Annotated[int, Range(0, limit=1000)] = 8
    degree: bool = True

    @property
    def width(self) -> int:
        """Number of features."""
        return self.random_walk + int(self.degree)

    def __call__(self, batch: Graphs) -> Tensor:
        """Return the features `[n, width]`."""
        features = [torch.log1p(batch.adj.row_sums()).unsqueeze(1)] if self.degree else []
        features += [return_probabilities(batch, self.random_walk)] if self.random_walk else []
        return torch.cat(features, dim=1) if features else batch.x.new_zeros(batch.num_nodes, 0)


def return_probabilities(batch: Graphs, steps: int) -> Tensor:
    """Return `diag((D^-1 A)^s)` for s = 1, ..., steps as `[n, steps]`; an isolated node never
    returns.

    Small graphs are done many at a time, by powers of dense matrices. Of a large one that would
    take minutes: walks from its nodes go along its edges instead. Beyond `EXACT` nodes long walks
    are estimated, see `matching/walk_estimates.py`.
    """
    batch = batch.without_attributes()
    large = _is_large(batch)
    if not large.any():
        return _by_powers(batch, steps)
    found = batch.adj.row_sums().new_empty(batch.num_nodes, steps)
    if not large.all():
        small = batch[(~large).nonzero().squeeze(1)]
        found[~large[batch.batch]] = _by_powers(small, steps)
    for place in large.nonzero().squeeze(1).tolist():
        first, end = batch.ptr[place : place + 2].tolist()
        adj = batch[place : place + 1].adj.to_sparse()
        by = _by_walks if adj.shape[0] <= EXACT else estimated_returns
        found[first:end] = by(adj, steps)
    return found


def _is_large(batch: Graphs) -> Tensor:
    """Tell of each graph whether it has many nodes and not nearly all of their pairs as edges."""
    edges = batch.adj.to_sparse().row_ptr[batch.ptr].diff()
    return (batch.sizes > LARGE) & (2 * edges <= batch.sizes.square())


def _by_walks(adj: SparseOperator, steps: int) -> Tensor:
    """Follow walks from some of the nodes at a time, a column of `walks` for each.

    If A is symmetric, so is `S = D^-1/2 A D^-1/2`, whose powers have the same diagonal, and half
    the steps are enough: `(S^(a + b))_ii` is the product of the i-th columns of `S^a` and `S^b`.
    """
    degree, n = adj.row_sums(), adj.shape[0]
    halved = adj.symmetric and bool((degree >= 0).all())
    scale = torch.where(degree > 0, degree.rsqrt() if halved else 1 / degree, 0.0)
    P = adj.conjugated(scale) if halved else scale * adj
    found = degree.new_empty(n, steps)
    for nodes in torch.arange(n, device=degree.device).split(max(1, WALKS_AT_ONCE // n)):
        own = torch.arange(len(nodes), device=degree.device)
        walks = [degree.new_zeros(n, len(nodes)).index_put_((nodes, own), degree.new_ones(()))]
        for _ in range((steps + 1) // 2 if halved else steps):
            walks.append(P.product(walks[-1]))
        for step in range(1, steps + 1):
            half = step // 2
            found[nodes, step - 1] = (
                (walks[half] * walks[step - half]).sum(0) if halved else walks[step][nodes, own]
            )
    return found


def _by_powers(batch: Graphs, steps: int) -> Tensor:
    found = []
    for part in _windows(batch):
        padding = padding_of(part.ptr)
        adjacency = BlockOperator.from_sparse(part.adj.to_sparse(), padding, padding)
        found.append(padding.unpad([_return_probabilities(A, steps) for A in adjacency.blocks]))
    return torch.cat(found)


def _windows(graphs: Graphs) -> Iterator[Graphs]:
    """Go through the graphs in order, as many at a time as fit into memory as dense blocks."""
    window = graphs.sizes.square().cumsum(0) // CELLS_AT_ONCE
    cuts = (window.diff().nonzero().squeeze(1) + 1).tolist()
    for first, end in pairwise([0, *cuts, len(graphs)]):
        yield graphs[first:end]


def _return_probabilities(A: Tensor, steps: int) -> Tensor:
    degree = A.sum(2, keepdim=True)
    P = torch.where(degree > 0, A / degree, 0.0)
    walks, diagonals = P, []
    for _ in range(steps):
        diagonals.append(walks.diagonal(dim1=1, dim2=2))
        walks = walks @ P
    return torch.stack(diagonals, dim=2)
