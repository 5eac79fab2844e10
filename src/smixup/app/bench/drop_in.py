"""What the drop-in costs in a loop of a PyG user: an epoch with it beside one without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from smixup.app.bench.epoch import STEPS
from smixup.app.bench.pyg_way import data_list
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.app.bench.vanilla import BATCH_SIZE
from smixup.app.studies.foreign_models import BatchNormGCN
from smixup.augment import SMixup
from smixup.matching import GraphMatcher

AMOUNTS = (0.25, 1.0)
"""Mixes per original graph; a network sees that many graphs more."""


def compare_drop_in(settings: Settings) -> Iterator[Comparison]:
    """Compare original graphs per second of an ordinary loop with S-Mixup, its alignments computed
    by `fit`, and without.

    A ratio of 0.5 means that an epoch costs two without mixing.
    """
    for dataset in settings.loaded():
        data = data_list(dataset.graphs)
        sizes = dataset.graphs.num_features, dataset.graphs.num_classes
        mix = SMixup(GraphMatcher(max_steps=STEPS)).fit(data)
        for amount in AMOUNTS:
            mix.amount = amount
            epochs = (
                epoch_with(BatchNormGCN(*sizes), data, mix),
                epoch_with(BatchNormGCN(*sizes), data, None),
            )
            times = alternate(*epochs, settings.repeat)
            rates = times.rates(len(data))
            case = f"{amount:g} mixes per graph : none"
            row = ("drop-in", dataset.name, case, "graphs/s", *rates)
            yield Comparison(*row, quartiles=times.quartiles)


def epoch_with(model: nn.Module, data: list[Data], mix: SMixup | None) -> Callable[[], None]:
    """Return a function that trains for one epoch of a PyG loader."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    loader = DataLoader(data, BATCH_SIZE, shuffle=True)

    def epoch() -> None:
        with nullcontext() if mix is None else mix.training(model):
            for batch in loader:
                batch = batch if mix is None else mix(batch)
                loss = nn.functional.cross_entropy(model(batch), batch.y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    return epoch
