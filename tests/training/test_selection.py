"""Which epoch is chosen, what is remembered of all, and that a state goes on where it was kept."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import fmean
from typing import get_args

import numpy as np
import pytest
import torch
from torch import Tensor

from smixup.augment import Augmentation
from smixup.classifiers import GIN
from smixup.errors import SmixupError
from smixup.saved import CheckpointFile
from smixup.tasks import Classes, Values
from smixup.training import state as states
from smixup.training.crossed import Crossed
from smixup.training.evaluation import Evaluation, Outputs
from smixup.training.metrics import metric_named
from smixup.training.settings import Selection
from smixup.training.state import History, TrainState

LOSSES = torch.rand(60, generator=torch.Generator().manual_seed(3)).tolist()
SCORES = [round(score, 1) for score in torch.rand(60, generator=torch.manual_seed(4)).tolist()]
TASK, ACCURACY = Classes.numbered(2), metric_named("accuracy")


def recorded(selection: Selection, losses: list[float], scores: list[float]) -> History:
    history = History(selection=selection)
    for loss, score in zip(losses, scores, strict=True):
        history.record(1.0, Evaluation(loss, score))
    return history


def test_the_rules_of_choosing_an_epoch() -> None:
    best = max(range(60), key=lambda i: (SCORES[i], -LOSSES[i])) + 1
    assert recorded("score", LOSSES, SCORES).best_epoch == best
    means = [fmean(LOSSES[max(i - 8, 0) : i + 1]) for i in range(60)]
    assert recorded("smoothed-loss", LOSSES, SCORES).best_epoch == means.index(min(means)) + 1
    lucky = [1.0] * 20 + [0.5] + [1.0] * 20 + [0.8] * 20
    assert recorded("smoothed-loss", lucky, [0.5] * 61).best_epoch == 50
    assert recorded("last", LOSSES, SCORES).best_epoch == 60
    for selection in ("score", "smoothed-loss"):
        assert recorded(selection, [0.5] * 20, [0.5] * 20).best_epoch == 1  # type: ignore[arg-type]


def test_a_history_is_copied() -> None:
    history = History()
    assert history.record(1.0, Evaluation(0.5, 0.5)), "the best so far"
    assert history.latest() == {"loss": 1.0, "validation": 0.5, "best": 0.5}
    assert not history.record(0.9, Evaluation(0.6, 0.5))
    whole, other = history.to_dict(), History()
    other.restore(whole)
    assert str(other.to_dict()) == str(whole) == str(History(**whole).to_dict())
    history.record(0.1, Evaluation(0.4, 0.9))
    assert (other.epochs, history.best_epoch) == (2, 3), "a copy is independent"


def epochs(number: int, graphs: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Logits of several epochs that differ by chance alone, and a truth that they know a little."""
    random = torch.Generator().manual_seed(seed)
    y = torch.eye(2)[torch.randint(2, (graphs,), generator=random)]
    return torch.randn(number, graphs, 2, generator=random) + y, y


@pytest.mark.parametrize("selection", get_args(Selection))
def test_every_validation_graph_is_judged_by_the_epoch_that_the_others_choose(
    selection: Selection,
) -> None:
    logits, y = epochs(12, 20)
    crossed, half = Crossed.of(y, TASK, seed=0), Crossed.of(y, TASK, seed=0)
    for place, outputs in enumerate(logits):
        crossed.record(Outputs(outputs, y), ACCURACY, TASK, selection)
        if place < 5:
            half.record(Outputs(outputs, y), ACCURACY, TASK, selection)
    for fold in range(10):
        others = crossed.fold != fold
        losses = [float(TASK.loss(out[others], y[others])) for out in logits]
        scores = [float((o.argmax(1) == y.argmax(1))[others].double().mean()) for o in logits]
        smooth = [np.mean(losses[max(e - 8, 0) : e + 1]) for e in range(12)]
        best = {
            "score": max(range(12), key=lambda e: (round(scores[e], 6), -losses[e])),
            "smoothed-loss": int(np.argmin(smooth)),
            "last": 11,
        }[selection]
        assert torch.equal(crossed.outputs.logits[~others], logits[best][~others])
        assert crossed.best[fold] == best + 1
    again = Crossed.of(y, TASK, seed=0)
    again.load_state_dict({name: value.clone() for name, value in half.state_dict().items()})
    for outputs in logits[5:]:
        again.record(Outputs(outputs, y), ACCURACY, TASK, selection)
    assert torch.equal(again.logits, crossed.logits) and torch.equal(again.best, crossed.best)
    with pytest.raises(SmixupError, match="is of a run that keeps no model"):
        again.load_state_dict({})


def test_folds_share_classes_evenly_and_errors_are_better_the_lower() -> None:
    y = torch.eye(2)[torch.tensor([0] * 40 + [1] * 20)]
    crossed = Crossed.of(y, TASK, seed=0)
    assert crossed.fold.bincount().tolist() == [6] * 10
    assert crossed.fold[40:].bincount().tolist() == [2] * 10
    assert Crossed.of(y[:3], TASK, seed=0).fold.sort().values.tolist() == [0, 1, 2]
    assert not torch.equal(crossed.fold, Crossed.of(y, TASK, seed=1).fold)
    task, mae, y = Values(("a",)), metric_named("mae"), torch.arange(12.0).unsqueeze(1)
    crossed = Crossed.of(y, task, seed=0)
    for off in (3.0, 1.0, 2.0):
        crossed.record(Outputs(y + off, y), mae, task, "score")
    assert crossed.best.tolist() == [2] * 10
    unknown = torch.full((4, 1), math.nan)
    crossed = Crossed.of(unknown, task, seed=0)
    crossed.record(Outputs(torch.zeros(4, 1), unknown), mae, task, "score")
    assert crossed.best.tolist() == [1] * 4, "without a score, the loss decides"


def state_of(seed: int, file: CheckpointFile | None) -> TrainState:
    torch.manual_seed(seed)
    model = GIN(3, 2, hidden_channels=4, num_layers=2, dropout=0.5)
    optimizer = torch.optim.Adam(model.parameters(), 0.1, fused=True)
    batches = torch.Generator().manual_seed(seed)
    return TrainState(model, optimizer, Augmentation(), batches, History(), file)


def test_the_state_goes_to_disk_now_and_then_and_when_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, file = 0.0, CheckpointFile(tmp_path / "run", "a")
    monkeypatch.setattr(states.time, "perf_counter", lambda: now)
    state = state_of(0, file)
    state.keep()
    before = state.model.head[0].bias.detach().clone()
    with torch.no_grad():
        state.model.head[0].bias.add_(1)
    state.history.record(1.0, Evaluation(1, 0))
    assert "after epoch 0" in str(state.interrupted())
    assert torch.equal(file.read()[0]["model.head.0.bias"], before), "as before the epoch"
    now = states.SECONDS_BETWEEN_WRITES - 1
    state.keep()
    assert not file.read()[1]["curves"]["train_loss"]
    now += 2
    state.keep()
    assert len(file.read()[1]["curves"]["train_loss"]) == 1
    nowhere = state_of(0, None)
    nowhere.keep()
    nowhere.write()
    assert nowhere.last == ({}, {}) and "its state is not kept" in str(nowhere.interrupted())
    (tmp_path / "folder").mkdir()
    state = state_of(0, CheckpointFile(tmp_path / "folder", "a"))
    with pytest.warns(UserWarning, match="state of the run is not kept: cannot"):
        assert str(state.interrupted()) == "interrupted; its state is not kept."
