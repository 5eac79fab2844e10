"""What an augmentation costs: an epoch under each method beside an epoch of Vanilla."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

import torch

from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.app.bench.vanilla import BACKBONES, BATCH_SIZE, HIDDEN_CHANNELS, NUM_LAYERS
from smixup.app.runs.build import make_method
from smixup.app.runs.registry import METHODS, SAME_NODES, chosen_matcher
from smixup.augment import Augmentation, SMixup
from smixup.classifiers import Classifier
from smixup.datasets import Dataset
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.optional import MissingPackageError
from smixup.progress import silent

STEPS = 25
"""Of a matcher, whose quality makes no epoch longer or shorter."""
FEW_STEPS = {"matcher.max_steps": STEPS}
FEW_PAIRS = {"ged-mixup": {"partners": 2}}
"""Of methods that prepare pairs before training: more of them make no epoch longer."""


def compare_epochs(settings: Settings) -> Iterator[Comparison]:
    """Compare original graphs per second under S-Mixup, its alignments computed before, with
    Vanilla's.

    A ratio of 0.5 means that an epoch costs two of Vanilla's.
    """
    for dataset in settings.loaded():
        augment = SMixup(GraphMatcher(max_steps=STEPS))
        yield from _compared("epoch", "s-mixup", augment, dataset, settings)


def compare_methods(settings: Settings) -> Iterator[Comparison]:
    """Compare every other method with Vanilla likewise; what is done once per run is not counted
    there. Methods that put new graphs behind the split, or prepare pairs, have a row of their own
    for it.
    """
    for dataset in settings.loaded():
        for name in METHODS:
            if name not in {"vanilla", "s-mixup", *SAME_NODES}:
                few = FEW_STEPS if chosen_matcher(name, {}) else FEW_PAIRS.get(name, {})
                method = make_method(name, 0, few)
                try:
                    yield from _compared("methods", name, method, dataset, settings)
                except MissingPackageError as reason:
                    settings.note(f"{name} is left out: {reason}")


def _compared(
    benchmark: str, name: str, augment: Augmentation, dataset: Dataset, settings: Settings
) -> Iterator[Comparison]:
    start = perf_counter()
    train = augment.fit_extend(dataset.graphs, silent)
    if augment.grows or name in FEW_PAIRS:
        seconds, case = perf_counter() - start, f"before training, {name}"
        yield Comparison(benchmark, dataset.name, case, "seconds", seconds, spent=True)
    for backbone, (ours, _) in BACKBONES.items():
        model = ours(train.num_features, train.num_classes, HIDDEN_CHANNELS, NUM_LAYERS)
        epochs = epoch_of(model, train, augment), epoch_of(model, dataset.graphs, Augmentation())
        times = alternate(*epochs, settings.repeat)
        rates = times.rates(len(dataset.graphs))
        case = f"{backbone}, {name} : vanilla"
        row = (benchmark, dataset.name, case, "graphs/s", *rates)
        yield Comparison(*row, quartiles=times.quartiles)


def epoch_of(
    model: Classifier, graphs: Graphs, augment: Augmentation, batch_size: int = BATCH_SIZE
) -> Callable[[], None]:
    """Return a function that trains for one epoch under an augmentation."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    generator = torch.Generator().manual_seed(0)
    augment.bind(model)

    def epoch() -> None:
        for batch in graphs.batches(batch_size, generator):
            batch = augment.on_batch(batch)
            h, y = augment.on_embedding(model.embed(batch), batch.y)
            loss = torch.nn.functional.cross_entropy(model.head(h), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return epoch
