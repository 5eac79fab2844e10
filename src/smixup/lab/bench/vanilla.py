"""Training without augmentation at the paper's sizes (App. C), beside the ordinary PyG way."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import nn
from torch_geometric.data import Batch
from torch_geometric.loader import DataLoader

from smixup.classifiers import GCN, GIN, Classifier
from smixup.graphs import Graphs
from smixup.lab.bench.pyg_way import PlainClassifier, PlainGCN, PlainGIN, data_list
from smixup.lab.bench.settings import Settings
from smixup.lab.bench.timing import Comparison, alternate

BATCH_SIZE = 256
HIDDEN_CHANNELS = 32
NUM_LAYERS = 4
BACKBONES: dict[str, tuple[type[Classifier], type[PlainClassifier]]] = {
    "gcn": (GCN, PlainGCN),
    "gin": (GIN, PlainGIN),
}


def compare_vanilla(settings: Settings) -> Iterator[Comparison]:
    """Compare graphs per second of whole training epochs, batching included, for each dataset and
    backbone.
    """
    for dataset in settings.loaded():
        graphs, data = dataset.graphs, data_list(dataset.graphs)
        for backbone, (ours, plain) in BACKBONES.items():
            sizes = (graphs.num_features, graphs.num_classes, HIDDEN_CHANNELS, NUM_LAYERS)
            epochs = (
                our_epoch(ours(*sizes), graphs),
                plain_epoch(plain(*sizes), DataLoader(data, BATCH_SIZE, True)),
            )
            rates = [len(graphs) / seconds for seconds in alternate(*epochs, settings.repeat)]
            yield Comparison("vanilla", dataset.name, backbone, "graphs/s", *rates)


def our_epoch(model: Classifier, graphs: Graphs) -> Callable[[], None]:
    """Return a function that trains for one epoch in our way."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    generator = torch.Generator().manual_seed(0)

    def epoch() -> None:
        for batch in graphs.batches(BATCH_SIZE, generator):
            train_step(model, batch, optimizer)

    return epoch


def plain_epoch(model: nn.Module, loader: DataLoader) -> Callable[[], None]:
    """Return a function that trains for one epoch in the ordinary way."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)

    def epoch() -> None:
        for batch in loader:
            train_step(model, batch, optimizer)

    return epoch


def train_step(model: nn.Module, batch: Graphs | Batch, optimizer: torch.optim.Optimizer) -> None:
    """Take one step of gradient descent."""
    loss = nn.functional.cross_entropy(model(batch), batch.y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
