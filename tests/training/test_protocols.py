"""Training from disk, anew on more graphs, with teachers: as
training in one piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation, DropEdge, SMixup, Taught
from smixup.classifiers import GIN, Classifier
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, pack
from smixup.matching import Identity
from smixup.progress import Progress
from smixup.seeding import derive
from smixup.training import (
    CheckpointFile,
    Interrupted,
    Splits,
    TrainResult,
    TrainSettings,
    fit,
    fit_refitted,
    fit_taught,
    train_teachers,
)

SETTINGS = TrainSettings(epochs=4, learning_rate=0.01, batch_size=16, seed=5)
CHOOSING, ANEW = "choosing the epochs", "training anew"


def fresh(seed: int = 0) -> Classifier:
    torch.manual_seed(seed)
    return GIN(3, 2, hidden_channels=8, num_layers=2, dropout=0.2)


def mixing() -> SMixup:
    return SMixup(Identity(partial=True), seed=0)


def same(one: Classifier, two: Classifier) -> bool:
    return all(map(torch.equal, one.state_dict().values(), two.state_dict().values()))


@pytest.fixture
def on_disk(splits: Splits, tmp_path: Path) -> Splits:
    """The same splits as subsets of one packed set."""
    whole = Graphs.cat([splits.train, splits.validation, splits.test])  # type: ignore[list-item]
    packed = pack(whole.replace(ids=torch.arange(60)), tmp_path / "set")
    parts = torch.arange(60).split([40, 10, 10])
    return Splits(*(packed.subset(part) for part in parts))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", [Augmentation, lambda: DropEdge(seed=1)])
def test_training_from_disk_is_training_from_memory(
    splits: Splits, on_disk: Splits, method: Callable[[], Augmentation], tmp_path: Path
) -> None:
    memory, disk = fresh(), fresh()
    expected = fit(memory, splits, method(), SETTINGS)
    found = fit(disk, on_disk, method(), SETTINGS)
    assert found.history.curves == expected.history.curves
    assert torch.equal(found.test.logits, expected.test.logits) and same(memory, disk)
    file = CheckpointFile(tmp_path / "state.safetensors", "run")
    with pytest.raises(Interrupted):
        fit(fresh(), on_disk, method(), SETTINGS, Stop("training"), file)
    again = fit(fresh(), on_disk, method(), SETTINGS, checkpoint=file, resume=True)
    assert again.history.curves == expected.history.curves


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SAME_NODES])
def test_every_method_trains_from_disk_or_says_why_not(name: str, on_disk: Splits) -> None:
    few = {"matcher.max_steps": 2, "matcher.hidden_channels": 4, "partners": 2}
    method = make_method(name, 0, few if name in ("s-mixup", "s-cut") else {})
    if method.grows:
        with pytest.raises(UsageError, match="load it into memory"):
            fit(fresh(), on_disk, method, SETTINGS)
    else:
        assert fit(fresh(), on_disk, method, replace(SETTINGS, epochs=2)).history.epochs == 2


class Stop:
    """Interrupts in the second epoch of a stage."""

    def __init__(self, stage: str) -> None:
        self.stage, self.seen, self.told = stage, list[str](), list[Progress]()

    def __call__(self, progress: Progress) -> None:
        if progress.stage != "aligning":
            self.seen.append(progress.stage)
            self.told.append(progress)
        if (progress.stage, progress.done) == (self.stage, 2):
            raise KeyboardInterrupt


def test_training_anew_is_two_fits(
    splits: Splits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, anew, model = replace(SETTINGS, selection="last"), fresh(), fresh()
    first = fit(fresh(), splits, mixing(), settings)
    more = Graphs.cat([splits.train, splits.validation])  # type: ignore[list-item]
    chosen = replace(settings, epochs=first.history.best_epoch)
    second = fit(anew, replace(splits, train=more), mixing(), chosen)
    seen, seconds = Stop(""), list[float]()

    def watched(*args: object, **options: object) -> TrainResult:
        result = fit(*args, **options)  # type: ignore[arg-type]
        seconds.append(result.history.seconds)
        return result

    with monkeypatch.context() as patch:
        patch.setattr("smixup.training.refitting.fit", watched)
        both = fit_refitted(model, splits, mixing, settings, seen)
    assert same(model, anew) and both.history.seconds == sum(seconds)
    assert torch.equal(both.test.logits, second.test.logits)
    assert torch.equal(both.validation.logits, first.validation.logits)
    for name in ("train_loss", "validation", "validation_loss"):
        assert both.history.curves[name] == first.history.curves[name]
    for name in ("test", "test_loss"):
        assert both.history.at_best(name) == second.history.curves[name][-1]
    assert seen.seen == [CHOOSING] * 4 + [ANEW] * 4
    metrics = {tuple(progress.metrics) for progress in seen.told if progress.stage == ANEW}
    assert metrics == {("loss",)}, "no validation score of graphs that were trained on"
    file, stop, rest, again = CheckpointFile(tmp_path / "run", "a"), Stop(ANEW), Stop(""), fresh()
    with pytest.raises(Interrupted, match="repeat with --resume"):
        fit_refitted(fresh(), splits, mixing, settings, stop, file)
    resumed = fit_refitted(again, splits, mixing, settings, rest, file, resume=True)
    assert same(again, anew) and resumed.history.curves == both.history.curves
    assert len(stop.seen) + len(rest.seen) in (8, 9), "what was done is not done again"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_teachers_are_trained_without_augmentation_and_without_test_graphs(
    splits: Splits, tmp_path: Path
) -> None:
    broken = replace(splits, test=splits.test.replace(x=splits.test.x * torch.nan))
    teachers = train_teachers(fresh, broken, SETTINGS, 2)
    for place, teacher in enumerate(teachers):
        seed = derive(5, f"teacher {place}")
        model = fresh(seed)
        fit(model, splits, Augmentation(), replace(SETTINGS, seed=seed))
        assert same(teacher, model) and not teacher.training
    seen, model, other = Stop(""), fresh(), fresh()
    taught = fit_taught(model, splits, mixing(), SETTINGS, fresh, 2, seen)
    stages = ["teacher 1 of 2", "teacher 2 of 2", "training"]
    assert seen.seen == [stage for stage in stages for _ in range(4)]
    expected = fit(other, splits, Taught(mixing(), teachers), SETTINGS)
    assert taught.history.curves == expected.history.curves and same(model, other)
    file, stop, rest = CheckpointFile(tmp_path / "run", "a"), Stop(stages[1]), Stop("")
    with pytest.raises(Interrupted, match="repeat with --resume"):
        fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 2, stop, file)
    resumed = fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 2, rest, file, resume=True)
    assert resumed.history.curves == taught.history.curves
    assert len(stop.seen) + len(rest.seen) in (12, 13), "what was done is not done again"


def test_what_cannot_go_on_is_refused_before_anything_is_trained(
    splits: Splits, on_disk: Splits, tmp_path: Path
) -> None:
    file, seen = CheckpointFile(tmp_path / "run.safetensors", "a"), Stop("")

    cases: list[tuple[Callable[[], object], str]] = [
        (
            lambda: fit_refitted(fresh(), splits, mixing, SETTINGS, seen, file, resume=True),
            "there is no checkpoint",
        ),
        (
            lambda: fit_taught(fresh(), splits, mixing(), SETTINGS, fresh, 1, seen, file, True),
            "there is no checkpoint",
        ),
        (lambda: train_teachers(fresh, splits, SETTINGS, 0), "teachers must be 1 or more"),
        (
            lambda: fit_refitted(fresh(), on_disk, mixing, SETTINGS),
            "must be in memory: leave refit",
        ),
    ]
    for call, message in cases:
        with pytest.raises(SmixupError, match=message):
            call()
    assert seen.seen == []
