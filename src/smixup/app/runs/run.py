"""One run, from a configuration to a test score: a pure function."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

import smixup
from smixup.app.runs.config import RunConfig
from smixup.app.runs.data import AnyDataset, choose_split, prepare
from smixup.app.runs.predictions import Part, to_bytes
from smixup.app.runs.registry import make_method
from smixup.classifiers import Classifier
from smixup.datasets import Split
from smixup.datasets.catalogue import open_or_load
from smixup.files import require_writable
from smixup.graphs import Graphs, PackedGraphs
from smixup.models import Backbone, fitting
from smixup.models.calibration import best_temperature
from smixup.progress import Report, silent
from smixup.seeding import derive, random_state_kept
from smixup.tasks import Classes
from smixup.training import CheckpointFile, Splits, TrainResult, fit
from smixup.training.crossed import Crossed
from smixup.training.evaluation import Outputs, beyond_one_score

if TYPE_CHECKING:
    from smixup.matching import Matcher


@dataclass(frozen=True)
class RunResult:
    """What one run brought; its `RunConfig` says what was run.

    Attributes:
        metric: the name of the score.
        test, validation: scores of the model of the epoch that the validation split chose.
        best_epoch: counted from 1, of `epochs`.
        seconds: of training the classifier, without data and matcher.
        test_loss: cross-entropy on the test split, or squared error of standardised values.
        versions: of the software that computed it, its commit, and the number of threads.
        temperature: fitted on the validation split; the scores `scaled_...` are of logits that are
            divided by it. All scores but the first three are of classes, else nan.
        curves: one number per epoch.
        predictions: of every held-out graph, see `predictions.from_bytes`.
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
        apart = ("curves", "predictions")
        return {name: value for name, value in vars(self).items() if name not in apart}


def run(config: RunConfig, root: Path | None = None, **others: Any) -> RunResult:
    """Read the data of a run, then train and test once; `others` are what else `train_on` takes."""
    dataset = open_or_load(config.dataset, root, **config.dataset_options)
    return result_of(train_on(dataset, config, **others))


@dataclass(frozen=True)
class Trained:
    """A run that has been trained: its data, and the model of the best epoch."""

    config: RunConfig
    dataset: AnyDataset
    split: Split
    data: Splits
    model: Classifier
    outcome: TrainResult


def train_on(
    dataset: AnyDataset,
    config: RunConfig,
    report: Report = silent,
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    wrap_matcher: Callable[[Matcher], Matcher] = lambda matcher: matcher,
    calibrated: bool = False,
) -> Trained:
    """Train once on a dataset that is open; `resume` goes on from the state in `checkpoint`, and
    `calibrated` collects outputs to calibrate a model by.
    """
    if checkpoint is not None:
        require_writable(checkpoint, "the checkpoint")
    data, file, crossed = prepare(dataset, config), None, None
    model = initial_model(data.train, config)
    make = partial(make_method, config.method, config.seed, config.method_settings, wrap_matcher)
    if checkpoint is not None:  # it goes on with the same configuration, and the same graphs
        graphs = dataset.graphs.fingerprint() if isinstance(dataset.graphs, Graphs) else ""
        file = CheckpointFile(checkpoint, f"{config.fingerprint()}/{graphs}")
    if calibrated:
        crossed = Crossed.of(data.validation.y, data.asked, config.seed)
    if config.refit:  # as a table of experiments/ needs it
        protocols: Any = import_module("experiments.protocols")
        outcome = protocols.fit_refitted(model, data, make, config, report, crossed)
    else:
        outcome = fit(model, data, make(), config, report, file, resume, crossed)
    return Trained(config, dataset, choose_split(dataset, config), data, model, outcome)


def result_of(run: Trained) -> RunResult:
    """Return what a run brought, without its model."""
    outcome, history = run.outcome, run.outcome.history
    result = RunResult(
        metric=run.data.metric,
        test=history.test,
        validation=history.at_best("validation"),
        best_epoch=history.best_epoch,
        epochs=history.epochs,
        seconds=round(history.seconds, 3),
        test_loss=history.test_loss,
        calibration_error=math.nan,
        versions=versions(),
        curves=history.curves,
    )
    if not isinstance(run.data.asked, Classes):
        return result
    temperature = best_temperature(outcome.validation)
    own = beyond_one_score(outcome.test)
    scaled = beyond_one_score(outcome.test, temperature)
    scores: dict[str, Any] = {name: own[name] for name in own if name != "loss"}
    scores |= {f"scaled_{name}": scaled[name] for name in ("loss", "brier", "calibration_error")}
    validation = _part(outcome.validation, run.split.validation)
    test = _part(outcome.test, run.split.test)
    predictions = to_bytes(validation, test, len(run.dataset.graphs))
    return replace(result, temperature=temperature, predictions=predictions, **scores)


def _part(outputs: Outputs, positions: Tensor) -> Part:
    return outputs.logits.cpu().numpy(), outputs.y.argmax(1).cpu().numpy(), positions.numpy()


def initial_model(graphs: Graphs | PackedGraphs, config: RunConfig) -> Classifier:
    """Build the classifier; methods at one seed start with the same weights."""
    with random_state_kept():
        torch.manual_seed(derive(config.seed, "weights"))
        return Backbone.of(config.backbone, graphs, **config.sizes()).build()


def versions() -> dict[str, str | int | None]:
    """Return versions of everything that computes, the commit, and the number of threads."""
    return fitting.versions() | {"commit": commit(), "threads": torch.get_num_threads()}


@cache
def commit(source: Path = Path(smixup.__file__)) -> str | None:
    """Return the commit of the source, `-dirty` if files differ; None if it is not tracked."""
    git = ["git", "-C", str(source.parent)]
    asked = partial(subprocess.check_output, text=True, stderr=subprocess.DEVNULL)
    try:  # a package that was installed may lie within the repository of another project
        asked([*git, "ls-files", "--error-unmatch", source.name])
        described = [*git, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        return asked(described).strip()
    except (OSError, subprocess.SubprocessError):
        return None
