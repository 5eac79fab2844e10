"""Training with teachers: models trained without augmentation label what the augmentation makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from smixup.augment import Augmentation
from smixup.augment.teacher import Taught
from smixup.checkpoint import CheckpointFile
from smixup.classifiers import Classifier
from smixup.errors import require
from smixup.progress import Progress, Report, silent
from smixup.seeding import derive
from smixup.training.crossed import Crossed
from smixup.training.loop import Splits, TrainResult, fit
from smixup.training.settings import TrainSettings

MakeModel = Callable[[int], Classifier]
"""Returns a classifier with fresh weights, drawn by a seed."""


def train_teachers(
    make_model: MakeModel,
    data: Splits,
    settings: TrainSettings,
    number: int,
    report: Report = silent,
    checkpoint: CheckpointFile | None = None,
    resume: bool = False,
) -> list[Classifier]:
    """Train models without augmentation, each with a seed of its own derived from the run's.

    Example::

        teachers = train_teachers(lambda seed: make_gin(seed), splits, settings, number=3)

    Each is left as it was at its best epoch, which the validation split decides. The test split is
    shown to none of them.

    Args are those of `fit`; each teacher keeps its state in a file beside the run's checkpoint.
    """
    require(number >= 1, "number of teachers", number, "1 or more")
    files = _files(checkpoint, number)
    teachers = []
    for place, file in enumerate(files):
        seed = derive(settings.seed, f"teacher {place}")
        model = make_model(seed)
        fit(
            model,
            replace(data, test=data.validation),
            Augmentation(),
            replace(settings, seed=seed, test_every_epoch=False),
            partial(_report, report, f"teacher {place + 1} of {number}"),
            checkpoint=file,
            resume=resume and _exists(file),
        )
        teachers.append(model.eval())
    return teachers


def fit_taught(
    model: Classifier,
    data: Splits,
    augment: Augmentation,
    settings: TrainSettings,
    make_model: MakeModel,
    number: int,
    report: Report = silent,
    checkpoint: CheckpointFile | None = None,
    resume: bool = False,
    crossed: Crossed | None = None,
) -> TrainResult:
    """Train teachers, then `model` under an augmentation whose new graphs they label.

    See `train_teachers` and `fit`. The teachers' files go when all is done; a run that was stopped
    among its teachers goes on there.
    """
    augment.require_kind(data.train.has_classes)  # what would be refused is refused now
    files = _files(checkpoint, number)
    begun = _exists(checkpoint) or not any(map(_exists, files))
    if checkpoint and resume and begun:
        checkpoint.read()
    teachers = train_teachers(make_model, data, settings, number, report, checkpoint, resume)
    result = fit(
        model,
        data,
        Taught(augment, teachers),
        settings,
        report,
        checkpoint=checkpoint,
        resume=resume and begun,
        crossed=crossed,
    )
    for file in filter(None, files):
        file.path.unlink(missing_ok=True)
    return result


def _files(checkpoint: CheckpointFile | None, number: int) -> list[CheckpointFile | None]:
    """Return where the state of each teacher is kept, None if nothing is."""
    return [checkpoint and checkpoint.beside(f"teacher-{place}") for place in range(number)]


def _exists(file: CheckpointFile | None) -> bool:
    return file is not None and file.exists


def _report(report: Report, stage: str, progress: Progress) -> None:
    report(replace(progress, stage=stage))
