"""Sets hold the truth as often as was asked, by simulation, and thresholds are the right ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from smixup.models.calibration import Calibration
from smixup.models.conformal import (
    class_scores,
    highest_level,
    label_scores,
    rank_of,
    threshold,
    value_scores,
)
from smixup.models.predictions import Predictions
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training.evaluation import Outputs


@pytest.mark.parametrize("number", [1, 8, 9, 18, 99, 100, 1000])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_the_threshold_is_numpys_higher_quantile_of_one_graph_more(
    number: int, level: float
) -> None:
    scores = torch.rand(number, dtype=torch.double, generator=torch.Generator().manual_seed(number))
    with_one_more = np.append(scores.numpy(), np.inf)
    # the smallest score that at least a share `level` of n + 1 does not exceed
    expected = np.quantile(with_one_more, level, method="inverted_cdf")
    assert threshold(scores, level) == expected


def test_too_few_scores_and_scores_that_are_not_known() -> None:
    assert threshold(torch.rand(8), 0.9) == math.inf
    assert threshold(torch.rand(0), 0.1) == math.inf
    assert threshold(torch.tensor([math.nan, 2.0, 1.0, math.nan]), 0.5) == 2.0
    for number in (1, 9, 18, 100):
        assert rank_of(highest_level(number), number) == number
        assert rank_of(highest_level(number) + 1e-6, number) == number + 1


def test_scores_are_the_logarithms_of_probabilities_and_do_not_tie() -> None:
    logits = torch.tensor([[40.0, 0.0], [41.0, 0.0]])
    assert class_scores(logits)[0, 0] > class_scores(logits)[1, 0] > 0
    some = torch.randn(20, 4, generator=torch.Generator().manual_seed(0)).double() * 3
    torch.testing.assert_close(class_scores(some), -some.log_softmax(1))
    torch.testing.assert_close(
        label_scores(torch.tensor([[0.7]])).exp().reciprocal().sum(2), torch.ones(1, 1).double()
    )
    found = value_scores(torch.tensor([[1.0, 5.0]]), torch.tensor([[3.0, math.nan]]))
    assert found[0, 0] == 2
    assert found[0, 1].isnan()


def drawn(task: Task, number: int, random: torch.Generator) -> Outputs:
    """Outputs of a model that is somewhat too sure, and a truth that they are right about."""
    logits = 2 * torch.randn(number, task.width, generator=random)
    if isinstance(task, Classes):
        truth = torch.multinomial((logits / 2).softmax(1), 1, generator=random).squeeze(1)
        return Outputs(logits, torch.nn.functional.one_hot(truth, task.width).float())
    if isinstance(task, Labels):
        y = torch.bernoulli((logits / 2).sigmoid(), generator=random)
        unknown = torch.rand(y.shape, generator=random) < 0.3
        return Outputs(logits, torch.where(unknown, math.nan, y))
    noise = torch.randn(number, task.width, generator=random).exp()
    return Outputs(logits, task.predicted(logits) + noise)


def covered(task: Task, number: int, level: float, random: torch.Generator) -> float:
    calibration = Calibration.of(drawn(task, number, random), task)
    new = drawn(task, 2000, random)
    said = Predictions(task, calibration.scaled(new.logits), calibration, level)
    known = ~new.y.isnan()
    if isinstance(task, Classes):
        return float(said.inside[new.y.bool()].double().mean())
    if isinstance(task, Labels):
        held = said.inside.gather(2, new.y.nan_to_num().long().unsqueeze(2)).squeeze(2)
        return float(held[known].double().mean())
    low, high = said.intervals
    return float(((low <= new.y) & (new.y <= high)).double().mean())


@pytest.mark.parametrize("level", [0.8, 0.9])
@pytest.mark.parametrize(
    "task", [Classes.numbered(4), Labels(("a", "b")), Values(("a", "b"))], ids=lambda t: t.kind
)
def test_sets_hold_the_truth_as_often_as_they_say(task: Task, level: float) -> None:
    """Over 150 calibrations by 99 graphs the mean has a standard error of 0.003 to 0.004."""
    random = torch.Generator().manual_seed(0)
    found = float(np.mean([covered(task, 99, level, random) for _ in range(150)]))
    assert abs(found - level) < 0.01
