"""Training in half-width products (bf16) beside single precision, at the sizes of ogbg-molhiv."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch.nn import functional as F

from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.app.bench.vanilla import BACKBONES
from smixup.app.runs.presets import preset_for
from smixup.classifiers import Classifier
from smixup.graphs import Graphs

SIZES = preset_for("ogbg-molhiv")
GRAPHS = 2048
"""Of a dataset at most: an epoch of all molecules takes minutes."""


def compare_precision(settings: Settings) -> Iterator[Comparison]:
    """Compare graphs per second of training epochs with `bf16-mixed` and `32-true`.

    A processor without instructions for bf16 is slower with it.
    """
    for dataset in settings.loaded():
        graphs = dataset.graphs[: settings.size or GRAPHS]
        for backbone, (network, _) in BACKBONES.items():
            sizes = graphs.num_features, graphs.num_classes, SIZES.hidden_channels, SIZES.num_layers
            half, full = (epoch_in(network(*sizes), graphs, half) for half in (True, False))
            times = alternate(half, full, settings.repeat)
            rates = times.rates(len(graphs))
            case = f"{backbone} of {SIZES.hidden_channels} channels, bf16 : 32"
            row = ("precision", dataset.name, case, "graphs/s", *rates)
            yield Comparison(*row, quartiles=times.quartiles)


def epoch_in(model: Classifier, graphs: Graphs, half: bool) -> Callable[[], None]:
    """Return a function that trains for one epoch, in half-width products or not."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    generator = torch.Generator().manual_seed(0)

    def epoch() -> None:
        for batch in graphs.batches(SIZES.batch_size, generator):
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                loss = F.cross_entropy(model(batch), batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return epoch
