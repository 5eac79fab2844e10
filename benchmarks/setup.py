"""The graphs that benchmarks run on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.utils import to_undirected

from smixup import Graphs, load_dataset, to_pyg
from smixup.datasets.features import encode_features


@dataclass(frozen=True)
class Setup:
    """What all rows share: the set they train on, rounds on the clock, and whether all is tiny."""

    dataset: str = "MOTIF"
    repeat: int = 7
    quick: bool = False
    batch_size: int = 256
    random: torch.Generator = field(default_factory=lambda: torch.Generator().manual_seed(0))

    @cached_property
    def graphs(self) -> Graphs:
        """The dataset with features for a classifier."""
        graphs = load_dataset(self.dataset).graphs
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

    def pairs(self) -> tuple[Tensor, Graphs, Graphs]:
        """Draw pairs: their places `[2, B]`, and both sides."""
        number = 10 if self.quick else 256
        places = torch.randint(len(self.graphs), (2, number), generator=self.random)
        return places, self.graphs[places[0]], self.graphs[places[1]]

    def small(self, number: int) -> list[Data]:
        """Return random trees of about 20 nodes with six more edges; few of them if quick."""
        sizes = torch.randint(16, 25, (60 if self.quick else number,), generator=self.random)
        return [tree(int(n), self.random, further=6) for n in sizes]


def tree(n: int, random: torch.Generator, further: int) -> Data:
    """Return a random tree with further edges."""
    child = torch.arange(1, n)
    parent = (torch.rand(n - 1, generator=random) * child).long()
    more = torch.randint(n, (2, further), generator=random)
    edges = torch.cat([torch.stack([child, parent]), more[:, more[0] != more[1]]], 1)
    edges = to_undirected(edges, num_nodes=n)
    x = torch.eye(8)[torch.randint(8, (n,), generator=random)]
    return Data(x=x, edge_index=edges, y=torch.randint(2, (1,), generator=random))


def write_tu(data: list[Data], folder: Path) -> None:
    """Write graphs as text files of the TU collection, called TEST."""
    batch = Batch.from_data_list(data)
    parts = {"A": batch.edge_index.T + 1, "graph_indicator": batch.batch + 1}
    parts |= {"graph_labels": batch.y, "node_labels": batch.x.argmax(1)}
    folder.mkdir(parents=True)
    for name, values in parts.items():
        np.savetxt(folder / f"TEST_{name}.txt", values.numpy(), fmt="%d", delimiter=", ")
