"""From graphs to a model."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import torch
from torch import Tensor

import smixup
from smixup.augment import Augmentation
from smixup.datasets.base import Reading
from smixup.datasets.features import fit_encoder
from smixup.errors import SmixupError, require
from smixup.graphs import Graphs
from smixup.models.calibration import Calibration
from smixup.models.model import Backbone, Model
from smixup.progress import Report, silent
from smixup.seeding import derive, generator, random_state_kept
from smixup.tasks import Task
from smixup.training import History, Splits, TrainSettings, fit
from smixup.training.crossed import Crossed
from smixup.training.loop import task_and_metric


def fit_model(
    graphs: Graphs,
    task: Task,
    backbone: str,
    augment: Augmentation,
    settings: TrainSettings,
    validation: float = 0.15,
    report: Report = silent,
    about: Mapping[str, Any] | None = None,
    reading: Reading | None = None,
    **sizes: Any,
) -> tuple[Model, History]:
    """Train a model, a classifier of a name and `sizes` such as `hidden_channels`, on all graphs
    but a share that chooses its epoch and calibrates it; `about` is written down with the model.
    """
    train, held = held_out(task.strata(graphs.y), validation, settings.seed)
    encoder = fit_encoder(graphs, train)
    encoded = encoder(graphs)
    data = Splits(encoded[train], encoded[held], encoded[held], task=task)
    task, metric = task_and_metric(data)
    chosen = Backbone.of(backbone, encoded, **sizes)
    with random_state_kept():
        torch.manual_seed(derive(settings.seed, "weights"))
        classifier = chosen.build()
    crossed = Crossed.of(data.validation.y, task, settings.seed)
    done = fit(classifier, data, augment, settings, report, crossed=crossed)
    assert done.crossed is not None, "it was asked for"
    notes = {
        "data": {"name": "graphs", "graphs": len(graphs), "fingerprint": graphs.fingerprint()},
        "split": {"kind": "random", "train": len(train), "validation": len(held)},
        "training": {**vars(settings), "validation": validation},
        "scores": {"metric": metric.name, "validation": done.history.at_best("validation")},
        "versions": versions(),
        **(about or {}),
    }
    calibration = Calibration.of(done.crossed, task)
    members = (classifier.cpu().eval(),)
    return Model(task, chosen, members, encoder, calibration, reading, notes), done.history


def held_out(strata: Tensor, share: float, seed: int) -> tuple[Tensor, Tensor]:
    """Return positions of graphs to train on, and of a share held out, equal in every stratum."""
    require(0 < share < 1, "share of validation graphs", share, "above 0 and below 1")
    number = len(strata)
    if number < 2:
        raise SmixupError(f"two graphs at least are needed to train, and there is {number}.")
    order = torch.randperm(number, generator=generator(seed, "validation"))
    order = order[strata[order].argsort(stable=True)]
    count = min(max(round(share * number), 1), number - 1)
    # Evenly spaced places of an order in which strata stand together.
    places = ((torch.arange(count) + 0.5) * number / count).long()
    mask = torch.zeros(number, dtype=torch.bool)
    mask[places] = True
    return order[~mask].sort().values, order[mask].sort().values


def versions() -> dict[str, str]:
    """Return versions of what computes."""
    ours = {"smixup": smixup.__version__, "python": platform.python_version()}
    return ours | {package: version(package) for package in ("torch", "torch_geometric")}
