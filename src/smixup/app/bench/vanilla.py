"""Training without augmentation at the paper's sizes (App. C), beside the ordinary PyG way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import torch
from torch import nn
from torch_geometric.data import Batch
from torch_geometric.loader import DataLoader

from smixup.app.bench.pyg_way import PlainClassifier, PlainGCN, PlainGIN, data_list
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.classifiers import GCN, GIN, Classifier
from smixup.graphs import Graphs

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
            drawn = partial(graphs.batches, BATCH_SIZE, torch.Generator().manual_seed(0))
            loaded = partial(iter, DataLoader(data, BATCH_SIZE, True))
            epochs = epoch_over(ours(*sizes), drawn), epoch_over(plain(*sizes), loaded)
            times = alternate(*epochs, settings.repeat)
            rates = times.rates(len(graphs))
            row = ("vanilla", dataset.name, backbone, "graphs/s", *rates)
            yield Comparison(*row, quartiles=times.quartiles)


def epoch_over(
    model: nn.Module, batches: Callable[[], Iterable[Graphs | Batch]]
) -> Callable[[], None]:
    """Return a function that trains for one epoch, on batches of either way."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)

    def epoch() -> None:
        for batch in batches():
            loss = nn.functional.cross_entropy(model(batch), batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return epoch
