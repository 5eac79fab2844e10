"""Every validation graph is judged by the epoch that the others choose."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from smixup.errors import SmixupError
from smixup.models.conformal import class_scores, threshold
from smixup.tasks import Classes, Values
from smixup.training.crossed import Crossed
from smixup.training.evaluation import Outputs
from smixup.training.metrics import metric_named
from smixup.training.selection import SELECTIONS, Selection

TASK, ACCURACY = Classes.numbered(2), metric_named("accuracy")


def epochs(number: int, graphs: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits of several epochs that differ by chance alone, and a truth that they know a little
    of."""
    random = torch.Generator().manual_seed(seed)
    y = torch.eye(2)[torch.randint(2, (graphs,), generator=random)]
    return torch.randn(number, graphs, 2, generator=random) + y, y


def test_folds_share_classes_evenly() -> None:
    y = torch.eye(2)[torch.tensor([0] * 40 + [1] * 20)]
    crossed = Crossed.of(y, TASK, seed=0)
    assert crossed.fold.bincount().tolist() == [6] * 10
    assert crossed.fold[40:].bincount().tolist() == [2] * 10
    assert Crossed.of(y[:3], TASK, seed=0).fold.sort().values.tolist() == [0, 1, 2]
    assert not torch.equal(crossed.fold, Crossed.of(y, TASK, seed=1).fold)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_logits_are_of_the_epoch_that_the_other_folds_choose(selection: Selection) -> None:
    logits, y = epochs(15, 30)
    crossed = Crossed.of(y, TASK, seed=0)
    for each in logits:
        crossed.record(Outputs(each, y), ACCURACY, TASK, selection)
    for fold in range(10):
        others = crossed.fold != fold
        losses = [float(TASK.loss(each[others], y[others])) for each in logits]
        scores = [float((each.argmax(1) == y.argmax(1))[others].double().mean()) for each in logits]
        smooth = [np.mean(losses[max(e - 8, 0) : e + 1]) for e in range(15)]
        best = {
            "score": max(range(15), key=lambda e: (round(scores[e], 6), -losses[e])),
            "smoothed-loss": int(np.argmin(smooth)),
            "last": 14,
        }[selection]
        assert torch.equal(crossed.outputs.logits[~others], logits[best][~others])
        assert crossed.best[fold] == best + 1


def test_errors_are_better_the_lower_and_no_score_leaves_the_loss() -> None:
    task, mae = Values(("a",)), metric_named("mae")
    y = torch.arange(12.0).unsqueeze(1)
    crossed = Crossed.of(y, task, seed=0)
    for off in (3.0, 1.0, 2.0):
        crossed.record(Outputs(y + off, y), mae, task, "score")
    assert crossed.best.tolist() == [2] * 10
    unknown = torch.full((4, 1), math.nan)
    crossed = Crossed.of(unknown, task, seed=0)
    crossed.record(Outputs(torch.zeros(4, 1), unknown), mae, task, "score")
    assert crossed.best.tolist() == [1] * 4


def test_it_goes_on_from_a_checkpoint() -> None:
    logits, y = epochs(10, 20)
    whole, half = (Crossed.of(y, TASK, seed=0) for _ in range(2))
    for place, each in enumerate(logits):
        whole.record(Outputs(each, y), ACCURACY, TASK, "score")
        if place < 5:
            half.record(Outputs(each, y), ACCURACY, TASK, "score")
    again = Crossed.of(y, TASK, seed=0)
    again.load_state_dict({name: each.clone() for name, each in half.state_dict().items()})
    for each in logits[5:]:
        again.record(Outputs(each, y), ACCURACY, TASK, "score")
    assert torch.equal(again.logits, whole.logits)
    assert torch.equal(again.best, whole.best)
    with pytest.raises(SmixupError, match="written by a run that keeps no model"):
        again.load_state_dict({})


def covered(seed: int, level: float) -> tuple[float, float]:
    """How often sets hold the truth of new graphs, if forty graphs choose one of thirty epochs: by
    the scores of these forty in that epoch, and by crossed ones.
    """
    logits, y = epochs(30, 1040, seed)
    held = y[:40]
    crossed = Crossed.of(held, TASK, seed)
    for each in logits:
        crossed.record(Outputs(each[:40], held), ACCURACY, TASK, "score")
    merits = [(float((each[:40].argmax(1) == held.argmax(1)).double().mean()),) for each in logits]
    losses = [-float(TASK.loss(each[:40], held)) for each in logits]
    best = max(range(30), key=lambda e: (round(merits[e][0], 6), losses[e]))
    truth = class_scores(logits[best][40:])[y[40:].bool()]
    limits = [
        threshold(class_scores(by)[held.bool()], level)
        for by in (logits[best][:40], crossed.outputs.logits)
    ]
    plain, crossing = (float((truth <= limit).double().mean()) for limit in limits)
    return plain, crossing


@pytest.mark.slow
def test_sets_hold_the_truth_as_often_as_they_say_although_an_epoch_was_chosen() -> None:
    """The same graphs that choose the epoch would promise far too much; 150 draws leave a standard
    error of half a point."""
    level = 0.8
    plain, crossed = np.mean([covered(seed, level) for seed in range(150)], axis=0)
    assert plain < level - 0.04
    assert abs(crossed - level) < 0.015
