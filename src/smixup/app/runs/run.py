"""One run, from a configuration to a test score: a pure function."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from smixup.app.runs.build import make_backbone, make_method, unchanged
from smixup.app.runs.config import RunConfig
from smixup.app.runs.edge_use import with_used_edges
from smixup.app.runs.environment import versions
from smixup.app.runs.opened import Opened, choose_split
from smixup.app.runs.predictions import Said, to_bytes
from smixup.app.runs.saved_matcher import require_fitted_on
from smixup.checkpoint import require_place
from smixup.classifiers import Classifier
from smixup.datasets import Dataset, Split
from smixup.datasets.catalogue import open_or_load
from smixup.datasets.label_corruption import corrupt_labels
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.progress import Report, silent
from smixup.seeding import derive, random_state_kept
from smixup.tasks import Classes, Labels, Task, task_of_targets
from smixup.training import CheckpointFile, Splits, TrainResult, fit
from smixup.training.evaluation import Outputs
from smixup.training.outcomes import Outcomes, best_temperature

if TYPE_CHECKING:  # most runs have no matcher, and their graphs in memory
    from smixup.datasets.packed_set import PackedDataset
    from smixup.graphs import PackedGraphs
    from smixup.matching import Matcher
    from smixup.training.crossed import Crossed

    Cross = Callable[[Splits, RunConfig], Crossed]

KEPT_APART = ("curves", "predictions")


@dataclass(frozen=True)
class RunResult:
    """What one run brought; its `RunConfig` says what was run.

    Attributes:
        metric: the name of the score.
        test: score on the test split, of the model of the epoch that the validation split chose.
        validation: its validation score.
        best_epoch: counted from 1.
        epochs: how many were trained.
        seconds: of training the classifier, without loading data, fitting a matcher and training
            teachers.
        test_loss: mean loss on the test split: cross-entropy, or squared error of standardised
            values.
        calibration_error: expected calibration error on the test split; this and the following are
            nan where targets are not classes.
        versions: of the software that computed it, its commit, and the number of threads.
        accuracy, rocauc, brier: further scores on the test split, see `training.outcomes`; these
            are nan in results of earlier versions, too.
        temperature: fitted on the validation split; by it, logits of the test split are divided
            for the scores below.
        scaled_loss, scaled_brier, scaled_calibration_error: the scores after that.
        curves: one number per epoch: train_loss, validation, validation_loss, test, test_loss,
            the last two nan in epochs without a test; empty in a result that was read from a
            store, which keeps them apart.
        predictions: of every held-out graph, see `predictions.from_bytes`; kept apart like curves.
    """

    metric: str
    test: float
    validation: float
    best_epoch: int
    epochs: int
    seconds: float
    test_loss: float
    calibration_error: float
    versions: dict[str, str | int | None]
    accuracy: float = math.nan
    rocauc: float = math.nan
    brier: float = math.nan
    temperature: float = math.nan
    scaled_loss: float = math.nan
    scaled_brier: float = math.nan
    scaled_calibration_error: float = math.nan
    curves: dict[str, list[float]] = field(default_factory=dict)
    predictions: bytes = b""

    def scores(self) -> dict[str, Any]:
        """Return all fields but curves and predictions, ready for JSON."""
        return {name: value for name, value in vars(self).items() if name not in KEPT_APART}


def run(
    config: RunConfig,
    root: Path | None = None,
    report: Report = silent,
    checkpoint: Path | None = None,
    resume: bool = False,
    wrap_matcher: Callable[[Matcher], Matcher] = unchanged,
) -> RunResult:
    """Train and test once.

    Args:
        config: decides the result, up to the number of threads.
        root: the data root.
        report: told of every step.
        checkpoint: a file for the state of the run; see `training.fit`.
        resume: go on from the checkpoint.
        wrap_matcher: see `build.make_method`.
    """
    dataset = open_or_load(config.dataset, root, **config.dataset_options)
    return result_of(train_on(dataset, config, report, checkpoint, resume, wrap_matcher))


@dataclass(frozen=True)
class Trained:
    """A run that has been trained.

    Attributes:
        config: what was run.
        dataset: all of it.
        split: the positions of its parts.
        data: the parts, encoded.
        model: as it was at the best epoch.
        outcome: curves, and outputs on the held-out parts.
    """

    config: RunConfig
    dataset: Dataset | PackedDataset
    split: Split
    data: Splits
    model: Classifier
    outcome: TrainResult


def train_on(
    dataset: Dataset | PackedDataset,
    config: RunConfig,
    report: Report = silent,
    checkpoint: Path | None = None,
    resume: bool = False,
    wrap_matcher: Callable[[Matcher], Matcher] = unchanged,
    cross: Cross | None = None,
) -> Trained:
    """Train once on a dataset that is open.

    Args:
        dataset: that of the configuration.
        config: decides the result, up to the number of threads.
        report: told of every step.
        checkpoint: a file for the state of the run.
        resume: go on from the checkpoint.
        wrap_matcher: see `build.make_method`.
        cross: makes what collects outputs to calibrate by, see `training/crossed.py`; for models
            that are kept.
    """
    if checkpoint is not None:
        require_place(checkpoint)
    data = prepare(dataset, config)
    require_fitted_on(config.method_settings.get("matcher"), config.dataset, data.train)
    model = initial_model(data.train, config)
    make = partial(make_method, config.method, config.seed, config.method_settings, wrap_matcher)
    file = None
    if checkpoint is not None:
        file = CheckpointFile(checkpoint, _fingerprint(dataset, config, bool(cross)))
    crossed = cross(data, config) if cross else None
    settings, progress = config.train_settings(), (report, file, resume, crossed)
    if config.teachers:
        from smixup.training.teachers import fit_taught  # code of runs with teachers alone

        fresh = partial(_fresh_model, data.train, config)
        trained = fit_taught(model, data, make(), settings, fresh, config.teachers, *progress)
    elif config.refit:
        from smixup.training.refitting import fit_refitted  # code of runs that train anew alone

        trained = fit_refitted(model, data, make, settings, *progress)
    else:
        trained = fit(model, data, make(), settings, *progress)
    return Trained(config, dataset, choose_split(dataset, config), data, model, trained)


def _fingerprint(dataset: Dataset | PackedDataset, config: RunConfig, kept: bool) -> str:
    """Return what a checkpoint must have to go on with a run: its configuration, and the graphs;
    a packed dataset's are in the configuration.
    """
    graphs = dataset.graphs.fingerprint() if isinstance(dataset, Dataset) else ""
    return f"{config.fingerprint()}{'/kept' if kept else ''}/{graphs}"


def result_of(run: Trained) -> RunResult:
    """Return what a run brought, without its model."""
    trained, split = run.outcome, run.split
    result = _result(trained, run.data.metric)
    if not isinstance(run.data.asked, Classes):
        return result
    said = _said(trained.validation, split.validation), _said(trained.test, split.test)
    number = len(run.dataset.graphs)
    return replace(result, **_judged(trained), predictions=to_bytes(*said, number))


def prepare(dataset: Dataset | PackedDataset, config: RunConfig) -> Splits:
    """Split, encode features by the training split, and corrupt its labels if asked; attributes of
    edges that the backbone does not take are left out, which is said. Graphs on disk stay there.
    """
    if not isinstance(dataset, Dataset):
        return _on_disk(dataset, config)
    graphs = with_used_edges(dataset.graphs, dataset.name, config.backbone)
    opened = Opened.of(replace(dataset, graphs=graphs), config)
    train = corrupt_labels(opened.train, config.label_corruption, config.seed)
    return Splits(train, opened.validation, opened.test, *_asked(dataset, config))


def _on_disk(dataset: PackedDataset, config: RunConfig) -> Splits:
    split = choose_split(dataset, config)
    used = with_used_edges(dataset.graphs, dataset.name, config.backbone)
    graphs = replace(dataset, graphs=used).encoded(split.train)
    train = corrupt_labels(graphs.subset(split.train), config.label_corruption, config.seed)
    validation, test = graphs.subset(split.validation), graphs.subset(split.test)
    return Splits(train, validation, test, *_asked(dataset, config))


def _asked(dataset: Dataset | PackedDataset, config: RunConfig) -> tuple[str, Task]:
    """Return the score, and what is asked of the graphs of a dataset; rare classes weighed as the
    run wishes.
    """
    graphs = dataset.graphs
    task = dataset.task or task_of_targets(graphs.num_classes, graphs.has_classes)
    if config.balanced:
        if not isinstance(task, Classes | Labels):
            raise UsageError(
                f"balanced weighs rare classes and labels, and the targets of {dataset.name} are "
                f"{task.kind}: leave it out."
            )
        task = replace(task, balanced=True)
    own = dataset.metric
    unsaid = own == Dataset.metric and own not in task.metrics  # a default that cannot be meant
    return config.metric or (task.metrics[0] if unsaid else own), task


def initial_model(graphs: Graphs | PackedGraphs, config: RunConfig) -> Classifier:
    """Build the classifier; its weights depend on the seed alone, so methods at one seed start
    alike.
    """
    with random_state_kept():
        torch.manual_seed(derive(config.seed, "weights"))
        return make_backbone(
            config.backbone,
            graphs,
            hidden_channels=config.hidden_channels,
            num_layers=config.num_layers,
            dropout=config.dropout,
            batch_norm=config.batch_norm,
        )


def _fresh_model(graphs: Graphs | PackedGraphs, config: RunConfig, seed: int) -> Classifier:
    return initial_model(graphs, replace(config, seed=seed))


def _said(outputs: Outputs, positions: Tensor) -> Said:
    tensors = (outputs.logits, outputs.y.argmax(1), positions)
    return Said(*(tensor.cpu().numpy() for tensor in tensors))


def _result(trained: TrainResult, metric: str) -> RunResult:
    history = trained.history
    return RunResult(
        metric=metric,
        test=history.at_best("test"),
        validation=history.at_best("validation"),
        best_epoch=history.best_epoch,
        epochs=history.epochs,
        seconds=round(history.seconds, 3),
        test_loss=history.at_best("test_loss"),
        calibration_error=math.nan,
        versions=versions(),
        curves=history.curves,
    )


def _judged(trained: TrainResult) -> dict[str, Any]:
    """Return what else there is to say of predicted classes."""
    temperature = best_temperature(trained.validation)
    plain, scaled = Outcomes.of(trained.test), Outcomes.of(trained.test, temperature)
    return {
        "calibration_error": plain.calibration_error,
        "accuracy": plain.accuracy,
        "rocauc": plain.rocauc,
        "brier": plain.brier,
        "temperature": temperature,
        "scaled_loss": scaled.log_loss,
        "scaled_brier": scaled.brier,
        "scaled_calibration_error": scaled.calibration_error,
    }
