"""Teachers are trained on the same split, without augmentation and without its test graphs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.augment import Augmentation, SMixup, Taught
from smixup.checkpoint import CheckpointFile
from smixup.classifiers import GCN, Classifier
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import Identity
from smixup.progress import Progress
from smixup.seeding import derive
from smixup.training import (
    Interrupted,
    Splits,
    TrainSettings,
    fit,
    fit_taught,
    train_teachers,
)

SETTINGS = TrainSettings(epochs=3, learning_rate=0.01, batch_size=16, seed=5)


def fresh(seed: int = 0) -> Classifier:
    torch.manual_seed(seed)
    return GCN(3, 2, hidden_channels=8, num_layers=2, dropout=0.2, batch_norm=True)


def same(one: Classifier, two: Classifier) -> bool:
    pairs = zip(one.state_dict().values(), two.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def mixing() -> SMixup:
    return SMixup(Identity(partial=True), seed=0)


def test_a_teacher_is_the_model_that_fit_trains_without_augmentation(splits: Splits) -> None:
    teachers = train_teachers(fresh, splits, SETTINGS, 2)
    for place, teacher in enumerate(teachers):
        seed = derive(5, f"teacher {place}")
        model = fresh(seed)
        fit(model, splits, Augmentation(), replace(SETTINGS, seed=seed))
        assert same(teacher, model)
        assert not teacher.training
    assert not same(*teachers)
    assert not same(teachers[0], train_teachers(fresh, splits, replace(SETTINGS, seed=6), 1)[0])


def test_the_test_split_is_not_shown(splits: Splits) -> None:
    broken = replace(splits, test=splits.test.replace(x=splits.test.x * torch.nan))
    assert same(
        train_teachers(fresh, broken, SETTINGS, 1)[0], train_teachers(fresh, splits, SETTINGS, 1)[0]
    )


def test_they_report_by_name(splits: Splits) -> None:
    seen: list[Progress] = []
    fit_taught(fresh(), splits, Augmentation(), SETTINGS, fresh, 2, seen.append)
    stages = [progress.stage for progress in seen]
    assert stages == ["teacher 1 of 2"] * 3 + ["teacher 2 of 2"] * 3 + ["training"] * 3


def test_a_taught_model_is_fitted_under_taught(splits: Splits) -> None:
    model, other = fresh(), fresh()
    history = fit_taught(model, splits, mixing(), SETTINGS, fresh, 2).history
    teachers = train_teachers(fresh, splits, SETTINGS, 2)
    expected = fit(other, splits, Taught(mixing(), teachers), SETTINGS).history
    assert history.curves == expected.curves
    assert same(model, other)
    plain = fit(fresh(), splits, mixing(), SETTINGS).history
    assert history.curves["train_loss"] != plain.curves["train_loss"]


class Stop:
    """Interrupts in the second epoch of a stage."""

    def __init__(self, stage: str) -> None:
        self.stage, self.seen = stage, list[str]()

    def __call__(self, progress: Progress) -> None:
        self.seen.append(progress.stage)
        if (progress.stage, progress.done) == (self.stage, 2):
            raise KeyboardInterrupt


@pytest.mark.parametrize("stage", ["teacher 1 of 2", "teacher 2 of 2", "training"])
def test_it_goes_on_where_it_was_stopped(splits: Splits, stage: str, tmp_path: Path) -> None:
    file, stop, seen = CheckpointFile(tmp_path / "run.safetensors", "a"), Stop(stage), Stop("")
    whole = fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 2)
    with pytest.raises(Interrupted, match="repeat with --resume"):
        fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 2, stop, file)
    found = fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 2, seen, file, resume=True)
    assert {**found.history.to_dict(), "seconds": 0} == {**whole.history.to_dict(), "seconds": 0}
    done = [each for each in stop.seen if each != "aligning"]
    again = [each for each in seen.seen if each != "aligning"]
    assert len(done) + len(again) in (9, 10), "what was done is not done again"
    assert [path.name for path in tmp_path.iterdir()] == ["run.safetensors"]


def test_without_resume_it_starts_afresh(splits: Splits, tmp_path: Path) -> None:
    file, seen = CheckpointFile(tmp_path / "run.safetensors", "a"), Stop("")
    with pytest.raises(Interrupted):
        fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 1, Stop("teacher 1 of 1"), file)
    fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 1, seen, file)
    assert seen.seen.count("teacher 1 of 1") == 3


def test_what_cannot_go_on_is_refused_before_anything_is_trained(
    splits: Splits, tmp_path: Path
) -> None:
    file, seen = CheckpointFile(tmp_path / "run.safetensors", "a"), Stop("")
    with pytest.raises(SmixupError, match="there is no checkpoint"):
        fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 1, seen, file, resume=True)
    assert seen.seen == []
    with pytest.raises(UsageError, match="number of teachers must be 1 or more"):
        train_teachers(fresh, splits, SETTINGS, 0)


@pytest.mark.slow
def test_two_processes_train_with_teachers(splits: Splits, warm: None) -> None:
    """Teachers are trained by two processes and are sent to two others."""
    settings, losses = replace(SETTINGS, batch_size=20), []
    for devices in (1, 2):
        result = fit_taught(
            plain(), splits, Augmentation(), replace(settings, devices=devices), plain, 1
        )
        losses.append(result.history.curves["train_loss"])
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)


def plain(seed: int = 0) -> Classifier:
    """Without dropout and norm, several processes train what one does."""
    torch.manual_seed(seed)
    return GCN(3, 2, hidden_channels=8, num_layers=2)


def test_teachers_learn_what_can_be_learnt(splits: Splits) -> None:
    settings = replace(SETTINGS, epochs=40)
    (teacher,) = train_teachers(plain, splits, settings, 1)
    train: Graphs = splits.train.floating()
    assert float((teacher(train).argmax(1) == train.labels).float().mean()) > 0.8
