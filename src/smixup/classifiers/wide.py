"""The network for few labelled graphs: one that also sees how large a graph is."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from smixup.classical.numbers import SIZES, size_numbers
from smixup.classifiers.base import Classifier, NodeNorm
from smixup.classifiers.edges import EdgeMessages, GINELayer
from smixup.classifiers.gin import GINLayer
from smixup.graphs import Graphs, PackedGraphs
from smixup.graphs.ragged import row_means
from smixup.settings import Count, Dropout, Natural, require_ranges

NUMBERS = "sizes and degrees"


class Wide(Classifier):
    """A GIN, or a GINE where edges have features, with residual connections, whose head is given
    mean and sum over the nodes, and sizes, density, triangles and degrees of the graph.

    A mean over nodes alone throws the size of a graph away, which costs more points where labels
    are few than any augmentation brings. The numbers of a mix are mixed as its label is.
    """

    batch_norm = True

    def __init__(
        self,
        num_features: Natural,
        num_classes: Count,
        num_edge_features: Natural = 0,
        hidden_channels: Count = 64,
        num_layers: Natural = 3,
        dropout: Dropout = 0.2,
        batch_norm: bool | None = None,
    ) -> None:
        require_ranges(Wide, locals())
        self.num_edge_features = num_edge_features  # before the layers are made
        width = hidden_channels
        super().__init__(width, num_classes, width, num_layers, dropout, batch_norm)
        self.encoder, self.dropout = nn.Linear(num_features, width), nn.Dropout(dropout)
        joined = 2 * width + len(SIZES)
        self.norm = nn.Identity() if batch_norm is False else NodeNorm(joined)
        self.head[0] = nn.Linear(joined, width)

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        if self.num_edge_features:
            return GINELayer(self.num_edge_features, out_channels, batch_norm)
        return GINLayer(in_channels, out_channels, batch_norm)

    def prepare(self, graphs: Graphs | PackedGraphs) -> Graphs | PackedGraphs:
        """Return graphs with their numbers, which are not computed again then."""
        if isinstance(graphs, PackedGraphs):
            return graphs
        return graphs.replace(graph_attrs={**graphs.graph_attrs, NUMBERS: size_numbers(graphs)})

    def nodes(self, batch: Graphs) -> Tensor:
        """Return node representations `[n, H]`."""
        h: Tensor = self.encoder(batch.floating().x)
        along = EdgeMessages(*batch.edge_features()) if self.num_edge_features else batch.adj
        for layer in self.layers:
            h = h + self.dropout(layer(h, along))
        return h

    def embed(self, batch: Graphs) -> Tensor:
        """Return graph representations `[B, 2 H + 13]`."""
        mean, numbers = row_means(self.nodes(batch), batch.ptr), batch.graph_attrs.get(NUMBERS)
        if numbers is None:
            numbers = size_numbers(batch)
        h = [mean, mean * batch.sizes.unsqueeze(1), numbers.sign() * numbers.abs().log1p()]
        out: Tensor = self.norm(torch.cat(h, 1))
        return out
