"""Training anew on more graphs is training in one piece, and goes on after it was stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from experiments.protocols import fit_refitted
from smixup import Identity, SMixup
from smixup.app.runs import run
from smixup.classifiers import GIN, Classifier
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.progress import Progress, Report, silent
from smixup.training import CheckpointFile, Interrupted, Splits, TrainResult, TrainSettings, fit

SETTINGS = TrainSettings(epochs=4, learning_rate=0.01, batch_size=16, seed=5, selection="last")
NOWHERE = (silent, None, False)


def fresh(seed: int = 0) -> Classifier:
    torch.manual_seed(seed)
    return GIN(3, 2, hidden_channels=8, num_layers=2, dropout=0.2)


def mixing() -> SMixup:
    return SMixup(Identity(partial=True), seed=0)


@pytest.fixture
def splits(make_graphs: Callable[..., Graphs]) -> Splits:
    graphs = make_graphs([5, 4, 6] * 20)
    return Splits(graphs[range(40)], graphs[range(40, 50)], graphs[range(50, 60)])


def stopped(train: Callable[..., TrainResult], stage: str, file: CheckpointFile) -> TrainResult:
    """Train until the second epoch of a stage, and then the rest."""
    seen = list[str]()

    def report(interrupt: bool, progress: Progress) -> None:
        if progress.stage != "aligning":
            seen.append(progress.stage)
        if interrupt and (progress.stage, progress.done) == (stage, 2):
            raise KeyboardInterrupt

    def keeping(interrupt: bool) -> tuple[Report, CheckpointFile, bool]:
        return partial(report, interrupt), file, not interrupt

    with pytest.raises(Interrupted, match="repeat with --resume"):
        train(keeping(True))
    result = train(keeping(False))
    assert len(seen) in (8, 9, 12, 13), "what was done is not done again"
    assert [path.name for path in file.path.parent.iterdir()] == [file.path.name]
    return result


def test_training_anew_is_two_fits(splits: Splits, tmp_path: Path) -> None:
    first = fit(fresh(), splits, mixing(), SETTINGS)
    more = Graphs.cat([splits.train, splits.validation])  # type: ignore[list-item]
    chosen = replace(SETTINGS, epochs=first.history.best_epoch)
    second = fit(fresh(), replace(splits, train=more), mixing(), chosen)

    def train(keeping: Any) -> TrainResult:
        return fit_refitted(fresh(), splits, mixing, SETTINGS, keeping)

    file = CheckpointFile(tmp_path / "run", "a")
    for both in (train(NOWHERE), stopped(train, "training anew", file)):
        assert torch.equal(both.test.logits, second.test.logits)
        assert torch.equal(both.validation.logits, first.validation.logits)
        assert both.history.curves["validation"] == first.history.curves["validation"]
        for name in ("test", "test_loss"):
            assert getattr(both.history, name) == getattr(second.history, name)


def test_a_package_without_experiments_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "experiments.protocols", None)
    with pytest.raises(UsageError, match="needs experiments/, in a clone of smixup"):
        run._protocols()
