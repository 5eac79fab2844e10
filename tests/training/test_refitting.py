"""Training anew is `fit` once more: from the same weights, on more graphs, for the epochs that were
chosen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.augment import Augmentation, SMixup
from smixup.checkpoint import CheckpointFile
from smixup.classifiers import GCN, Classifier
from smixup.errors import SmixupError
from smixup.graphs import Graphs, open_packed, pack
from smixup.matching import Identity
from smixup.progress import Progress
from smixup.training import Interrupted, Splits, TrainResult, TrainSettings, fit, fit_refitted

SETTINGS = TrainSettings(epochs=6, learning_rate=0.01, batch_size=16, seed=5)
CHOOSING, ANEW = "choosing the epochs", "training anew"


def fresh() -> Classifier:
    torch.manual_seed(0)
    return GCN(3, 2, hidden_channels=8, num_layers=2, dropout=0.2, batch_norm=True)


def mixing() -> SMixup:
    return SMixup(Identity(partial=True), seed=0)


def same(one: Classifier, two: Classifier) -> bool:
    pairs = zip(one.state_dict().values(), two.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def by_hand(splits: Splits) -> tuple[Classifier, TrainResult, TrainResult]:
    """The two trainings, one after the other, each from the beginning."""
    first = fit(fresh(), splits, mixing(), SETTINGS)
    assert isinstance(splits.train, Graphs)
    assert isinstance(splits.validation, Graphs)
    more = replace(splits, train=Graphs.cat([splits.train, splits.validation]))
    model = fresh()
    settings = replace(SETTINGS, epochs=first.history.best_epoch, selection="last")
    return model, first, fit(model, more, mixing(), settings)


def test_it_is_two_fits(splits: Splits) -> None:
    expected, first, second = by_hand(splits)
    model = fresh()
    found = fit_refitted(model, splits, mixing, SETTINGS)
    assert same(model, expected)
    assert torch.equal(found.test.logits, second.test.logits)
    assert torch.equal(found.validation.logits, first.validation.logits)
    history = found.history
    assert (history.best_epoch, history.epochs) == (first.history.best_epoch, 6)
    for name in ("train_loss", "validation", "validation_loss"):
        assert history.curves[name] == first.history.curves[name]
    for name in ("test", "test_loss"):
        assert history.at_best(name) == second.history.curves[name][-1]
    assert history.at_best("test_loss") != first.history.at_best("test_loss")


def test_the_seconds_are_those_of_both(splits: Splits, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float] = []

    def watched(*args: object) -> TrainResult:
        result = fit(*args)  # type: ignore[arg-type]
        seconds.append(result.history.seconds)
        return result

    monkeypatch.setattr("smixup.training.refitting.fit", watched)
    found = fit_refitted(fresh(), splits, mixing, SETTINGS)
    assert len(seconds) == 2
    assert found.history.seconds == sum(seconds)


def test_the_test_split_decides_nothing(splits: Splits) -> None:
    assert isinstance(splits.test, Graphs)
    turned = replace(splits, test=splits.test.replace(y=1 - splits.test.y))
    one, two = fresh(), fresh()
    fit_refitted(one, splits, mixing, SETTINGS)
    fit_refitted(two, turned, mixing, SETTINGS)
    assert same(one, two)


def test_validation_graphs_are_learnt_from(splits: Splits) -> None:
    assert isinstance(splits.validation, Graphs)
    settings = replace(SETTINGS, selection="last", epochs=40)
    turned = replace(splits, validation=splits.validation.replace(y=1 - splits.validation.y))
    one, two = fresh(), fresh()
    fit_refitted(one, splits, Augmentation, settings)
    fit_refitted(two, turned, Augmentation, settings)
    assert not same(one, two), "with other labels of theirs another model is learnt"


class Stop:
    """Interrupts in the second epoch of a stage."""

    def __init__(self, stage: str) -> None:
        self.stage, self.seen = stage, list[str]()

    def __call__(self, progress: Progress) -> None:
        self.seen.append(progress.stage)
        if (progress.stage, progress.done) == (self.stage, 2):
            raise KeyboardInterrupt

    @property
    def epochs(self) -> list[str]:
        return [stage for stage in self.seen if stage in (CHOOSING, ANEW)]


def test_stages_have_names(splits: Splits) -> None:
    seen = Stop("")
    chosen = fit_refitted(fresh(), splits, mixing, SETTINGS, seen).history.best_epoch
    assert seen.epochs == [CHOOSING] * 6 + [ANEW] * chosen
    assert "aligning" in seen.seen


def test_no_validation_score_is_told_of_graphs_that_were_trained_on(splits: Splits) -> None:
    told: list[Progress] = []
    fit_refitted(fresh(), splits, Augmentation, SETTINGS, told.append)
    assert {tuple(each.metrics) for each in told if each.stage == ANEW} == {("loss",)}
    assert {"validation", "best"} <= set(told[0].metrics)


@pytest.mark.parametrize("stage", [CHOOSING, ANEW])
def test_it_goes_on_where_it_was_stopped(splits: Splits, stage: str, tmp_path: Path) -> None:
    settings = replace(SETTINGS, selection="last")  # so that there are six epochs to stop in
    file, stop, seen = CheckpointFile(tmp_path / "run.safetensors", "a"), Stop(stage), Stop("")
    whole, model = fresh(), fresh()
    expected = fit_refitted(whole, splits, mixing, settings)
    with pytest.raises(Interrupted, match="repeat with --resume"):
        fit_refitted(fresh(), splits, mixing, settings, stop, file)
    found = fit_refitted(model, splits, mixing, settings, seen, file, resume=True)
    assert same(model, whole)
    assert found.history.curves == expected.history.curves
    assert torch.equal(found.test.logits, expected.test.logits)
    assert len(stop.epochs) + len(seen.epochs) in (12, 13), "what was done is not done again"
    assert [path.name for path in tmp_path.iterdir()] == ["run.safetensors"]


def test_without_resume_it_starts_afresh(splits: Splits, tmp_path: Path) -> None:
    file, seen = CheckpointFile(tmp_path / "run.safetensors", "a"), Stop("")
    with pytest.raises(Interrupted):
        fit_refitted(fresh(), splits, mixing, SETTINGS, Stop(CHOOSING), file)
    assert [path.name for path in tmp_path.iterdir()] == ["run.choosing.safetensors"]
    fit_refitted(fresh(), splits, mixing, SETTINGS, seen, file)
    assert seen.epochs.count(CHOOSING) == 6


def test_what_cannot_go_on_is_refused_before_anything_is_trained(
    splits: Splits, tmp_path: Path
) -> None:
    file, seen = CheckpointFile(tmp_path / "run.safetensors", "a"), Stop("")
    with pytest.raises(SmixupError, match="there is no checkpoint"):
        fit_refitted(fresh(), splits, mixing, SETTINGS, seen, file, resume=True)
    assert seen.seen == []


def test_graphs_on_disk_cannot_be_joined(splits: Splits, tmp_path: Path) -> None:
    pack(splits.train, tmp_path / "packed")  # type: ignore[arg-type]
    on_disk = replace(splits, train=open_packed(tmp_path / "packed"))
    with pytest.raises(SmixupError, match="must be in memory: leave refit out"):
        fit_refitted(fresh(), on_disk, mixing, SETTINGS)
