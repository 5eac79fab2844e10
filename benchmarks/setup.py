"""The graphs that benchmarks run on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.utils import to_undirected

from smixup import Graphs, load_dataset, to_pyg
from smixup.datasets.features import encode_features


@dataclass(frozen=True)
class Setup:
    """What all rows share: MOTIF, or a few of its graphs if `quick`."""

    quick: bool = False
    batch_size: int = 256
    random: torch.Generator = field(default_factory=lambda: torch.Generator().manual_seed(0))

    @cached_property
    def graphs(self) -> Graphs:
        """The dataset with features for a classifier."""
        graphs = load_dataset("MOTIF").graphs
        graphs = encode_features(graphs, torch.arange(len(graphs))).floating()
        return graphs[:40].renumbered() if self.quick else graphs

    @cached_property
    def data(self) -> list[Data]:
        """The same as a PyG dataset gives it: integer labels, no weights."""
        return [
            Data(x=each.x, edge_index=each.edge_index, y=each.y.argmax(1))
            for each in to_pyg(self.graphs).to_data_list()
        ]

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of features and classes."""
        return self.graphs.num_features, self.graphs.num_classes

    @property
    def steps(self) -> int:
        """Of a matcher: its quality makes nothing faster or slower."""
        return 2 if self.quick else 25

    def loader(self) -> DataLoader:
        """Return batches of the dataset in random order."""
        return DataLoader(self.data, self.batch_size, shuffle=True)

    def large(self, n: int) -> Data:
        """Return a random tree of n nodes with 4n more edges."""
        child = torch.arange(1, n)
        parent = (torch.rand(n - 1, generator=self.random) * child).long()
        more = torch.randint(n, (2, 4 * n), generator=self.random)
        edges = torch.cat([torch.stack([child, parent]), more[:, more[0] != more[1]]], 1)
        x = torch.eye(8)[torch.randint(8, (n,), generator=self.random)]
        y = torch.randint(2, (1,), generator=self.random)
        return Data(x=x, edge_index=to_undirected(edges, num_nodes=n), y=y)
