"""What S-Mixup costs: an epoch with reused alignments beside an epoch of Vanilla."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from smixup.augment import Augmentation, SMixup
from smixup.bench.settings import Settings
from smixup.bench.timing import Comparison, alternate
from smixup.bench.vanilla import BACKBONES, BATCH_SIZE, HIDDEN_CHANNELS, NUM_LAYERS, train_step
from smixup.classifiers import Classifier
from smixup.graphs import GraphSet
from smixup.matching import GraphMatcher


def compare_epochs(settings: Settings) -> Iterator[Comparison]:
    """Compare original graphs per second; a ratio of 0.5 means that an S-Mixup epoch costs two of Vanilla's."""
    for dataset in settings.loaded():
        graphs = dataset.graphs
        mixup = SMixup(GraphMatcher(max_steps=1))
        mixup.on_dataset(graphs)
        for backbone, (ours, _) in BACKBONES.items():
            model = ours(graphs.num_features, graphs.num_classes, HIDDEN_CHANNELS, NUM_LAYERS)
            epochs = epoch_of(model, graphs, mixup), epoch_of(model, graphs, Augmentation())
            rates = [len(graphs) / seconds for seconds in alternate(*epochs, settings.repeat)]
            yield Comparison("epoch", dataset.name, f"{backbone}, s-mixup : vanilla", "graphs/s", *rates)


def epoch_of(model: Classifier, graphs: GraphSet, augment: Augmentation) -> Callable[[], None]:
    """Return a function that trains for one epoch under an augmentation."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    generator = torch.Generator().manual_seed(0)

    def epoch() -> None:
        for batch in graphs.batches(BATCH_SIZE, generator):
            train_step(model, augment.on_batch(batch), optimizer)

    return epoch
