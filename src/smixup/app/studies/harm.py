"""Can the drop-in do harm? Foreign models in a foreign loop, with mixing and without.

The two arms of a pair share training graphs, initial weights and the order of batches. Nothing is
chosen: the score is the accuracy on all other graphs, averaged over the last epochs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from smixup.app.studies.foreign_models import MODELS
from smixup.app.tables.comparison import Difference
from smixup.augment import SMixup
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.matching import GraphMatcher
from smixup.progress import Progress, Report, silent
from smixup.ranges import Count, RangedFields, Rate, Steps
from smixup.seeding import derive, generator, random_state_kept

ON_CODES = ("embedded codes",)
OPTIONS: dict[str, dict[str, str]] = {"MOTIF": {"features": "degree"}}
"""Of datasets; without degrees, the nodes of MOTIF have one feature, which is one."""
TRAIN_GRAPHS = {"MOTIF": 60, "MUTAG": 60, "PROTEINS": 150}
DEFAULT_TRAIN_GRAPHS = 100


@dataclass(frozen=True)
class HarmSettings(RangedFields):
    """How the foreign loop trains.

    Attributes:
        epochs: of training.
        last: the score is the mean of so many last epochs.
        batch_size, learning_rate: of Adam; the rate falls to zero as a cosine does. At a constant
            rate the running statistics of batch norms lag behind the weights, and tests are a
            matter of luck with mixing and without.
        max_test: of the other graphs, at most so many are tested.
        matcher_steps: of training of the matcher.
    """

    epochs: Steps = 100
    last: Steps = 5
    batch_size: Count = 16
    learning_rate: Rate = 0.01
    max_test: Count = 400
    matcher_steps: Steps = 120


@dataclass(frozen=True)
class Pair:
    """The two scores of one seed.

    Attributes:
        dataset, model, seed: of both.
        plain, mixed: accuracy without and with mixing.
    """

    dataset: str
    model: str
    seed: int
    plain: float
    mixed: float


@dataclass(frozen=True)
class Part:
    """Graphs of one seed as a PyG user has them.

    Attributes:
        train, test: lists of `Data`.
        width: of the features, or the number of codes.
        num_classes: C.
    """

    train: list[Data]
    test: list[Data]
    width: int
    num_classes: int


def study(
    dataset: str,
    seeds: Sequence[int],
    models: Sequence[str] = tuple(MODELS),
    root: Path | None = None,
    settings: HarmSettings | None = None,
    report: Report = silent,
) -> Iterator[Pair]:
    """Yield the pairs of every seed and model, each as soon as both arms are trained."""
    if not models:
        return
    settings = settings or HarmSettings()
    graphs = load_dataset(dataset, root, **OPTIONS.get(dataset, {})).graphs
    done, total = 0, len(seeds) * len(models)
    for seed in seeds:
        index = torch.randperm(len(graphs), generator=generator(seed, "harm split"))
        number = TRAIN_GRAPHS.get(dataset, min(DEFAULT_TRAIN_GRAPHS, len(graphs) // 2))
        train, test = index[:number], index[number : number + settings.max_test]
        encoded = encode_features(graphs, train).floating()
        fitted = GraphMatcher(seed=seed, max_steps=settings.matcher_steps).fit(
            encoded[train], silent
        )
        for name in models:
            codes = name in ON_CODES
            part = part_of(encoded, train, test, codes)
            matcher = GraphMatcher(max_steps=settings.matcher_steps) if codes else fitted
            mix = SMixup(matcher, encode="one-hot" if codes else None, seed=seed)
            plain, mixed = (
                score(name, part, augment, seed, settings)
                for augment in (None, mix.fit(part.train, silent))
            )
            done += 1
            report(Progress("training pairs", done, total))
            yield Pair(dataset, name, seed, plain, mixed)


def part_of(graphs: Graphs, train: torch.Tensor, test: torch.Tensor, codes: bool) -> Part:
    """Return training and test graphs as lists of `Data` with integer labels.

    Args:
        graphs: with one-hot features.
        train, test: their places.
        codes: features as code numbers `[n]`, one for each column that they were.
    """

    def data(index: torch.Tensor) -> list[Data]:
        found: list[Data] = to_pyg(graphs[index].without_attributes()).to_data_list()
        for each in found:
            each.y = each.y.argmax(1)
            each.x = each.x.argmax(1) if codes else each.x
        return found

    return Part(data(train), data(test), graphs.num_features, graphs.num_classes)


def score(
    name: str, part: Part, augment: SMixup | None, seed: int, settings: HarmSettings
) -> float:
    """Train a model in a user's loop, and return its accuracy on the test graphs in per cent."""
    with random_state_kept():
        torch.manual_seed(derive(seed, "harm weights"))
        model = MODELS[name](part.width, part.num_classes)
        optimizer = torch.optim.Adam(model.parameters(), lr=settings.learning_rate)
        decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.epochs)
        order = generator(seed, "harm order")
        loader = DataLoader(part.train, settings.batch_size, shuffle=True, generator=order)
        found = []
        with nullcontext() if augment is None else augment.training(model):
            for epoch in range(1, settings.epochs + 1):
                model.train()
                for batch in loader:
                    batch = batch if augment is None else augment(batch)
                    loss = nn.functional.cross_entropy(model(batch), batch.y)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                decay.step()
                if epoch > settings.epochs - settings.last:
                    found.append(accuracy(model, part.test))
        return fmean(found)


@torch.no_grad()
def accuracy(model: nn.Module, graphs: list[Data]) -> float:
    """Return the share of graphs that a model classifies rightly, in per cent."""
    model.eval()
    right = sum(int((model(batch).argmax(1) == batch.y).sum()) for batch in DataLoader(graphs, 256))
    return 100 * right / len(graphs)


def differences(pairs: Sequence[Pair]) -> dict[tuple[str, str], Difference]:
    """Return how much higher mixing scores, by dataset and model."""
    keys = dict.fromkeys((pair.dataset, pair.model) for pair in pairs)
    return {
        key: Difference.between(
            [pair.mixed for pair in pairs if (pair.dataset, pair.model) == key],
            [pair.plain for pair in pairs if (pair.dataset, pair.model) == key],
        )
        for key in keys
    }
