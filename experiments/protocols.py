"""Training anew on training and validation graphs, as the study "Is Graph Mixup Beneficial?"
(ICML 2026) does.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial

from smixup import Augmentation
from smixup.classifiers import Classifier
from smixup.graphs import Graphs
from smixup.progress import Progress, Report
from smixup.training import CheckpointFile, Splits, TrainResult, TrainSettings, fit
from smixup.training.crossed import Crossed

Keeping = tuple[Report, CheckpointFile | None, bool]
"""Whom a training tells, where it keeps its state, and whether it goes on from there."""


def fit_refitted(
    model: Classifier,
    data: Splits,
    make_augment: Callable[[], Augmentation],
    settings: TrainSettings,
    keeping: Keeping,
    crossed: Crossed | None = None,
) -> TrainResult:
    """Train twice from the same weights: to learn how many epochs the validation split finds best,
    then on training and validation graphs together for so many. What is said of the test split is
    of the second, all else of the first.
    """
    initial, choosing = deepcopy(model.state_dict()), _stage(keeping, "choosing")
    chosen = fit(model, data, make_augment(), settings, *choosing, crossed)
    model.load_state_dict(initial)
    assert isinstance(data.train, Graphs) and isinstance(data.validation, Graphs), "in memory"
    joined = replace(data, train=Graphs.cat([data.train, data.validation]))
    epochs = chosen.history.best_epoch
    again = replace(settings, epochs=epochs, selection="last")
    anew = _stage(keeping, "training anew", last=True)
    tested = fit(model, joined, make_augment(), again, *anew)
    _remove([choosing])
    history = replace(chosen.history, seconds=chosen.history.seconds + tested.history.seconds)
    history.test, history.test_loss = tested.history.test, tested.history.test_loss
    return TrainResult(history, chosen.validation, tested.test, chosen.crossed)


def _stage(keeping: Keeping, name: str, *, last: bool = False) -> Keeping:
    """Return how one of several trainings is kept: in a file beside that of the last."""
    report, file, resume = keeping
    if file is not None and not last:
        path = file.path.with_name(f"{file.path.stem}.{name.replace(' ', '-')}{file.path.suffix}")
        file = CheckpointFile(path, f"{file.fingerprint}/{name}")
    return partial(_renamed, report, name), file, resume and file is not None and file.path.exists()


def _renamed(report: Report, stage: str, progress: Progress) -> None:
    report(replace(progress, stage=stage) if progress.stage == "training" else progress)


def _remove(stages: list[Keeping]) -> None:
    for _, file, _ in stages:
        if file is not None:
            file.path.unlink(missing_ok=True)
