"""What the matching network sees of a node: the data's own features and its place in the graph, on
one scale.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from smixup.graphs import Graphs, SparseOperator
from smixup.matching.encodings import StructuralEncoding

SMALLEST_SPREAD = 1e-3


class NodeInput(nn.Module):
    """Features and structural encodings side by side, standardised; columns of zeros and ones stay
    as they are.

    A constant column is appended, so that graphs without features and encodings still have an
    input.

    Args:
        num_features: width of the data's features, d.
        encoding: the structural features.
    """

    mean: Tensor
    spread: Tensor

    def __init__(self, num_features: int, encoding: StructuralEncoding) -> None:
        super().__init__()
        self.num_features = num_features
        self.encoding = encoding
        self.width = num_features + encoding.width + 1
        self.attribute = f"encoding {encoding.random_walk} {encoding.degree}"
        self.register_buffer("mean", torch.zeros(self.width))
        self.register_buffer("spread", torch.ones(self.width))

    def fit(self, sample: Graphs) -> None:
        """Take mean and spread of each column from a sample of training graphs."""
        values = self.columns(with_magnitudes(sample))
        if not len(values):
            return
        binary = ((values == 0) | (values == 1)).all(0)
        self.mean = torch.where(binary, 0.0, values.mean(0))
        self.spread = torch.where(
            binary, 1.0, values.std(0, unbiased=False).clamp(min=SMALLEST_SPREAD)
        )

    def prepare(self, graphs: Graphs) -> Graphs:
        """Attach the structural encodings, so that they are computed once per graph.

        They are those of the graphs as they are: whoever changes edges prepares anew.
        """
        seen = with_magnitudes(graphs.without_attributes())
        return seen.replace(node_attrs={self.attribute: self.encoding(seen)})

    def columns(self, batch: Graphs) -> Tensor:
        """Return the raw input `[n, width]`."""
        x, encoded = batch.floating().x, batch.node_attrs.get(self.attribute)
        encoded = self.encoding(batch) if encoded is None else encoded
        return torch.cat([x, encoded, x.new_ones(len(x), 1)], dim=1)

    def forward(self, batch: Graphs) -> Graphs:
        """Return the graphs with the network's input as features."""
        return batch.replace(x=(self.columns(batch) - self.mean) / self.spread)


def with_magnitudes(graphs: Graphs) -> Graphs:
    """Return the graphs with the sizes of their weights: there is no walk along a negative one."""
    adj = graphs.adj
    if not isinstance(adj, SparseOperator) or not (adj.weight < 0).any():
        return graphs
    return graphs.replace(adj=replace(adj, weight=adj.weight.abs()))
