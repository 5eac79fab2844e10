"""What a node's place in its graph looks like: features that tell nodes apart where the data's own
cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from smixup.graphs import BlockOperator, Graphs, padding_of

CELLS_AT_ONCE = 2**24


@dataclass(frozen=True)
class StructuralEncoding:
    """Logarithmic degree and random-walk return probabilities.

    Attributes:
        random_walk: steps k; feature s is the probability that a walk is back after s = 1, ..., k
            steps.
        degree: whether `log(1 + degree)` is a feature.
    """

    random_walk: int = 8
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
    """
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
