"""Which epoch is chosen."""

from __future__ import annotations

from statistics import fmean

import pytest
import torch

from smixup.training.evaluation import Evaluation
from smixup.training.history import History
from smixup.training.selection import SELECTIONS, WINDOW, Selection, merit


def recorded(selection: Selection, losses: list[float], scores: list[float]) -> History:
    history = History(selection=selection)
    for loss, score in zip(losses, scores, strict=True):
        history.record(1.0, Evaluation(loss, score))
    return history


LOSSES = torch.rand(60, generator=torch.Generator().manual_seed(3)).tolist()
SCORES = [round(score, 1) for score in torch.rand(60, generator=torch.manual_seed(4)).tolist()]


def test_the_highest_score_wins_then_the_lower_loss() -> None:
    expected = max(range(60), key=lambda i: (SCORES[i], -LOSSES[i])) + 1
    assert recorded("score", LOSSES, SCORES).best_epoch == expected


def test_the_lowest_mean_loss_of_nine_epochs_wins() -> None:
    means = [fmean(LOSSES[max(i - 8, 0) : i + 1]) for i in range(60)]
    assert WINDOW == 9
    assert recorded("smoothed-loss", LOSSES, SCORES).best_epoch == means.index(min(means)) + 1


def test_one_lucky_epoch_is_not_chosen() -> None:
    losses = [1.0] * 20 + [0.5] + [1.0] * 20 + [0.8] * 20
    assert recorded("smoothed-loss", losses, [0.5] * 61).best_epoch == 50


def test_last_is_last() -> None:
    assert recorded("last", LOSSES, SCORES).best_epoch == 60


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_history_remembers_its_rule(selection: Selection) -> None:
    history = recorded(selection, LOSSES[:30], SCORES[:30])
    again = History(**history.to_dict())
    for each in (history, again):
        for loss, score in zip(LOSSES[30:], SCORES[30:], strict=True):
            each.record(1.0, Evaluation(loss, score))
    assert again == history
    assert again.best_epoch == recorded(selection, LOSSES, SCORES).best_epoch


@pytest.mark.parametrize("selection", ["score", "smoothed-loss"])
def test_of_equals_the_earlier_epoch_is_the_best(selection: Selection) -> None:
    assert recorded(selection, [0.5] * 20, [0.5] * 20).best_epoch == 1
    assert merit(selection, {"validation": [1, 1], "validation_loss": [2, 2]}, 1) == merit(
        selection, {"validation": [1, 1], "validation_loss": [2, 2]}, 2
    )
