"""Training anew on training and validation graphs together, once these have chosen how long."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial

from smixup.augment import Augmentation
from smixup.checkpoint import CheckpointFile
from smixup.classifiers import Classifier
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.progress import Progress, Report, silent
from smixup.training.crossed import Crossed
from smixup.training.evaluation import Evaluation
from smixup.training.loop import Splits, TrainResult, fit
from smixup.training.settings import TrainSettings

MakeAugment = Callable[[], Augmentation]
"""Returns the method as it is before it is fitted."""

TRAINING, CHOOSING, REFITTING = "training", "choosing the epochs", "training anew"


def fit_refitted(
    model: Classifier,
    data: Splits,
    make_augment: MakeAugment,
    settings: TrainSettings,
    report: Report = silent,
    checkpoint: CheckpointFile | None = None,
    resume: bool = False,
    crossed: Crossed | None = None,
) -> TrainResult:
    """Train twice from the same initial weights: first as `fit` does, to learn how many epochs the
    validation split finds best, then on training and validation graphs together for so many, and
    test that model.

    Example::

        result = fit_refitted(model, splits, lambda: SMixup(seed=0), settings)

    It is how "Is Graph Mixup Beneficial?" (ICML 2026) assesses a method: no graph is set aside for
    nothing. In the result, curves, best epoch and outputs on the validation split are those of the
    first training; whatever is said of the test split is of the second. Seconds are those of both.

    Args are those of `fit`, but that the method is fitted for either training by itself; the first
    training keeps its state in a file beside the checkpoint, and alone collects `crossed`.
    """
    joined = _joined(data)
    first = checkpoint.beside("choosing") if checkpoint else None
    half = first is not None and first.exists
    begun = not half or (checkpoint is not None and checkpoint.exists)
    if checkpoint and resume and begun:
        checkpoint.read()  # what would be refused is refused now
    initial = deepcopy(model.state_dict())
    chosen = fit(
        model,
        data,
        make_augment(),
        settings,
        partial(_report, report, CHOOSING),
        checkpoint=first,
        resume=resume and half,
        crossed=crossed,
    )
    model.load_state_dict(initial)
    length = chosen.history.best_epoch
    again = replace(settings, epochs=length, selection="last", test_every_epoch=False)
    tested = fit(
        model,
        joined,
        make_augment(),
        again,
        partial(_report, report, REFITTING),
        checkpoint=checkpoint,
        resume=resume and begun,
    )
    if first is not None:
        first.path.unlink(missing_ok=True)
    history = replace(chosen.history, seconds=chosen.history.seconds + tested.history.seconds)
    at_end = tested.history
    history.record_test(Evaluation(at_end.at_best("test_loss"), at_end.at_best("test")))
    return TrainResult(history, chosen.validation, tested.test, chosen.crossed)


def _joined(data: Splits) -> Splits:
    train, validation = data.train, data.validation
    if not (isinstance(train, Graphs) and isinstance(validation, Graphs)):
        raise SmixupError(
            "training anew joins training and validation graphs, which must be in memory: leave "
            "refit out, or load the dataset instead of its packed folder."
        )
    return replace(data, train=Graphs.cat([train, validation]))


def _report(report: Report, stage: str, progress: Progress) -> None:
    """Pass on what is reported, epochs under another name; of the second training the loss alone,
    as it has seen the validation graphs.
    """
    if progress.stage == TRAINING:
        shown = progress.metrics if stage == CHOOSING else {"loss": progress.metrics["loss"]}
        progress = replace(progress, stage=stage, metrics=shown)
    report(progress)
