"""A run whose model is kept, or several of them as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from smixup.app.runs.config import RunConfig
from smixup.app.runs.edge_use import used_edges
from smixup.app.runs.environment import versions
from smixup.app.runs.run import RunResult, Trained, result_of, train_on
from smixup.app.runs.scored_parts import scored_split
from smixup.datasets import Dataset, Split
from smixup.datasets.catalogue import open_or_load
from smixup.datasets.features import Encoder, fit_encoder
from smixup.errors import require
from smixup.models import Backbone, Calibration, Model, Predictions
from smixup.models.ensemble import together
from smixup.models.model import USUAL_LEVEL
from smixup.progress import Report, silent
from smixup.tasks import Classes, Labels, Task
from smixup.training import Splits
from smixup.training.crossed import Crossed
from smixup.training.evaluation import Outputs
from smixup.training.metrics import metric_named

if TYPE_CHECKING:
    from smixup.datasets.packed_set import PackedDataset


@dataclass(frozen=True)
class Kept:
    """A trained model, and the runs of its members.

    Attributes:
        model: ready to be saved.
        results: of each member by itself.
        notes: what the data has to tell.
    """

    model: Model
    results: tuple[RunResult, ...]
    notes: tuple[str, ...] = ()


def train_model(
    config: RunConfig,
    members: int = 1,
    root: Path | None = None,
    report: Report = silent,
    checkpoint: Path | None = None,
    resume: bool = False,
    command: str = "",
    dataset: Dataset | PackedDataset | None = None,
) -> Kept:
    """Train a model to be kept.

    Args:
        config: of the first member; the others have the seeds that follow, and the same split.
        members: how many models are averaged.
        root: the data root.
        report: told of every step.
        checkpoint: a file for the state of the first member; others have files beside it.
        resume: go on from these files.
        command: the command line that makes this model.
        dataset: that of the configuration, if it is open already.
    """
    require(members >= 1, "number of models in an ensemble", members, "1 or more")
    if dataset is None:
        dataset = open_or_load(config.dataset, root, **config.dataset_options)
    scored_split(dataset, config)
    trained = []
    for place in range(members):
        own = replace(config, seed=config.seed + place, split_seed=config.seed_of_split)
        file = member_file(checkpoint, place)
        going_on = resume and (place == 0 or (file is not None and file.exists()))
        trained.append(
            train_on(dataset, own if place else config, report, file, going_on, cross=_crossed)
        )
    model = _assembled(trained, dataset, command)
    return Kept(model, tuple(map(result_of, trained)), dataset.notes)


def member_file(checkpoint: Path | None, place: int) -> Path | None:
    """Return where the state of a member is kept while it trains."""
    if checkpoint is None or place == 0:
        return checkpoint
    return checkpoint.with_name(f"{checkpoint.stem}.member-{place}{checkpoint.suffix}")


def _crossed(data: Splits, config: RunConfig) -> Crossed:
    return Crossed.of(data.validation.y, data.asked, config.seed)


def _assembled(trained: Sequence[Trained], dataset: Dataset | PackedDataset, command: str) -> Model:
    first = trained[0]
    config, data, task = first.config, first.data, first.data.asked
    crossed = [each.outcome.crossed for each in trained]
    outputs = [each for each in crossed if each is not None]
    joined = Outputs(together(task, [each.logits for each in outputs]), outputs[0].y)
    backbone = Backbone.of(
        config.backbone,
        data.train,
        hidden_channels=config.hidden_channels,
        num_layers=config.num_layers,
        dropout=config.dropout,
        batch_norm=config.batch_norm,
    )
    model = Model(
        task,
        backbone,
        tuple(each.model.cpu().eval() for each in trained),
        _encoder(dataset, first.split, config.backbone),
        Calibration.of(joined, task),
        dataset.reading,
    )
    return replace(model, about=_about(model, trained, dataset, command))


def _encoder(dataset: Dataset | PackedDataset, split: Split, backbone: str) -> Encoder:
    if isinstance(dataset, Dataset):
        return fit_encoder(used_edges(dataset.graphs, backbone), split.train)
    from smixup.datasets.packed_features import fit_packed_encoder

    return fit_packed_encoder(used_edges(dataset.graphs, backbone), split.train)


def _about(
    model: Model, trained: Sequence[Trained], dataset: Dataset | PackedDataset, command: str
) -> dict[str, Any]:
    first = trained[0]
    config, split = first.config, first.split
    parts = {name: getattr(split, name) for name in ("train", "validation", "test")}
    settings = ", ".join(f"{name}={value}" for name, value in config.method_settings.items())
    return {
        "data": {
            "name": dataset.name,
            "source": config.dataset,
            "options": dict(config.dataset_options),
            "graphs": len(dataset.graphs),
            "fingerprint": dataset.graphs.fingerprint(),
        },
        "split": {
            "kind": config.split,
            "seed": config.seed_of_split,
            **{name: len(positions) for name, positions in parts.items()},
            "sha256": {
                name: sha256(positions.numpy().tobytes()).hexdigest()
                for name, positions in parts.items()
            },
        },
        "method": config.method + (f" ({settings})" if settings else ""),
        "training": config.to_dict(),
        "scores": _scores(model, trained),
        "members": [{"seed": each.config.seed, **_brief(result_of(each))} for each in trained],
        "versions": versions(),
        "command": command,
        "notes": list(dataset.notes),
    }


def _brief(result: RunResult) -> dict[str, Any]:
    return {
        name: getattr(result, name)
        for name in ("test", "validation", "best_epoch", "epochs", "seconds")
    }


def _scores(model: Model, trained: Sequence[Trained]) -> dict[str, Any]:
    """Return what all members together are worth, and how often sets hold the truth of the test
    split.
    """
    task, metric = model.task, metric_named(trained[0].data.metric)
    joined = {
        split: Outputs(
            together(task, [getattr(each.outcome, split).logits.cpu() for each in trained]),
            getattr(trained[0].outcome, split).y.cpu(),
        )
        for split in ("validation", "test")
    }
    found: dict[str, Any] = {"metric": metric.name}
    found |= {split: each.evaluated(metric, task).score for split, each in joined.items()}
    scaled = Outputs(model.calibration.scaled(joined["test"].logits), joined["test"].y)
    found["test_loss"] = float(task.loss(scaled.logits, scaled.y))
    if model.calibration.can(USUAL_LEVEL):
        said = Predictions(task, scaled.logits, model.calibration, USUAL_LEVEL)
        found["coverage"] = {"level": USUAL_LEVEL, "test": coverage(said, scaled.y)}
    return found


def coverage(said: Predictions, y: torch.Tensor) -> float:
    """Return how often sets hold the truth `y [G, C]`, as far as that is known."""
    task: Task = said.task
    if isinstance(task, Classes):
        return float(said.inside.gather(1, y.argmax(1, keepdim=True)).double().mean())
    known = ~y.isnan()
    if isinstance(task, Labels):
        place = torch.where(known, y, 0.0).round().long().unsqueeze(2)
        return float(said.inside.gather(2, place).squeeze(2)[known].double().mean())
    low, high = said.intervals
    return float(((low <= y) & (y <= high))[known].double().mean())
