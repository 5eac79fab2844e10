"""What the matching network sees of a node: the data's own features and its place in the graph, on
one scale.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from smixup.graphs import Graphs, Padding, SparseOperator, buckets_by_size, to_blocks

SMALLEST_SPREAD = 1e-3
CELLS_AT_ONCE = 2**24
WALKS_AT_ONCE = 2**18
LARGE = 128
"""Nodes of a graph from which on walks are faster than powers, on one thread."""


class NodeInput(nn.Module):
    """Features, structural encodings and a constant side by side, standardised; columns of zeros
    and ones stay as they are.

    Args:
        num_features: width of the data's features, d.
        random_walk: steps k; column s is the probability that a walk is back after s = 1, ..., k
            steps.
        degree: whether `log(1 + degree)` is a column.
    """

    mean: Tensor
    spread: Tensor

    def __init__(self, num_features: int, random_walk: int = 8, degree: bool = True) -> None:
        super().__init__()
        self.num_features, self.random_walk, self.degree = num_features, random_walk, degree
        self.width = num_features + random_walk + int(degree) + 1
        self.attribute = f"encoding {random_walk} {degree}"
        self.register_buffer("mean", torch.zeros(self.width))
        self.register_buffer("spread", torch.ones(self.width))

    def fit(self, sample: Graphs) -> None:
        """Take mean and spread of each column from a sample of training graphs."""
        values = self.columns(with_magnitudes(sample))
        if not len(values):
            return
        binary = ((values == 0) | (values == 1)).all(0)
        spread = values.std(0, unbiased=False).clamp(min=SMALLEST_SPREAD)
        self.mean = torch.where(binary, 0.0, values.mean(0))
        self.spread = torch.where(binary, 1.0, spread)

    def prepare(self, graphs: Graphs) -> Graphs:
        """Attach the structural encodings; whoever changes edges prepares anew."""
        plain = with_magnitudes(graphs.without_attributes())
        return plain.replace(node_attrs={self.attribute: self.encoded(plain)})

    def encoded(self, batch: Graphs) -> Tensor:
        """Return the structural encodings, `[n, k + 1]` or, without degrees, `[n, k]`."""
        degree = torch.log1p(batch.adj.row_sums()).unsqueeze(1)
        walks = [return_probabilities(batch, self.random_walk)] if self.random_walk else []
        return torch.cat([degree[:, : int(self.degree)], *walks], dim=1)

    def columns(self, batch: Graphs) -> Tensor:
        """Return the raw input `[n, width]`."""
        x, encoded = batch.floating().x, batch.node_attrs.get(self.attribute)
        encoded = self.encoded(batch) if encoded is None else encoded
        return torch.cat([x, encoded, x.new_ones(len(x), 1)], dim=1)

    def forward(self, batch: Graphs) -> Graphs:
        """Return the graphs with the network's input as features."""
        return batch.replace(x=(self.columns(batch) - self.mean) / self.spread)


def with_magnitudes(graphs: Graphs) -> Graphs:
    """Return the graphs with the sizes of their weights: there is no walk along a negative one."""
    return graphs.replace(adj=replace(graphs.adj, weight=graphs.adj.weight.abs()))


def return_probabilities(batch: Graphs, steps: int) -> Tensor:
    """Return `diag((D^-1 A)^s)` for s = 1, ..., steps as `[n, steps]`: of small graphs by powers of
    dense matrices, of a large one, where these take minutes, by walks along its edges.
    """
    batch = batch.without_attributes()
    edges = batch.adj.row_ptr[batch.ptr].diff()
    large = (batch.sizes > LARGE) & (2 * edges <= batch.sizes.square())
    if not large.any():
        return _by_powers(batch, steps)
    probabilities = batch.adj.row_sums().new_empty(batch.num_nodes, steps)
    if not large.all():
        small = batch[(~large).nonzero().squeeze(1)]
        probabilities[~large[batch.batch]] = _by_powers(small, steps)
    for place in large.nonzero().squeeze(1).tolist():
        own = slice(*batch.ptr[place : place + 2].tolist())
        probabilities[own] = _by_walks(batch[place : place + 1].adj, steps)
    return probabilities


def _by_walks(adj: SparseOperator, steps: int) -> Tensor:
    # The powers of S = D^-1/2 A D^-1/2 have the same diagonal, and half the steps are enough:
    # (S^(a + b))_ii is the product of the i-th row of S^a and the i-th column of S^b.
    degree, n = adj.row_sums(), adj.shape[0]
    S = adj.conjugated(torch.where(degree > 0, degree.rsqrt(), 0.0))
    diagonals = degree.new_empty(n, steps)
    for nodes in torch.arange(n, device=degree.device).split(max(1, WALKS_AT_ONCE // n)):
        own = torch.arange(len(nodes), device=degree.device)
        columns = [degree.new_zeros(n, len(nodes)).index_put_((nodes, own), degree.new_ones(()))]
        rows = [columns[0]]
        for _ in range((steps + 1) // 2):
            columns.append(S.product(columns[-1]))
            rows.append(columns[-1] if adj.symmetric else S.T.product(rows[-1]))
        for step in range(1, steps + 1):
            half = step // 2
            diagonals[nodes, step - 1] = (rows[half] * columns[step - half]).sum(0)
    return diagonals


def _by_powers(graphs: Graphs, steps: int) -> Tensor:
    # As many graphs at a time, in order, as fit into memory.
    window = graphs.sizes.square().cumsum(0) // CELLS_AT_ONCE
    probabilities = [graphs.adj.row_sums().new_zeros(0, steps)]
    for number in window.unique():
        part = graphs[(window == number).nonzero().squeeze(1)]
        padding = Padding.of(part.ptr, buckets_by_size(part.sizes))
        adjacency = to_blocks(part.adj, padding, padding)
        blocks = []
        for A in adjacency:
            degree = A.sum(2, keepdim=True)
            walks = P = torch.where(degree > 0, A / degree, 0.0)
            diagonals = [walks.diagonal(dim1=1, dim2=2)]
            for _ in range(steps - 1):
                walks = walks @ P
                diagonals.append(walks.diagonal(dim1=1, dim2=2))
            blocks.append(torch.stack(diagonals, dim=2))
        probabilities.append(padding.unpad(blocks))
    return torch.cat(probabilities)
