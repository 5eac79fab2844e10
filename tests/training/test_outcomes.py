"""Scores beyond accuracy, against scikit-learn and a plain search."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from smixup.training.evaluation import Outputs
from smixup.training.outcomes import HOTTEST, Outcomes, best_temperature


def outputs(graphs: int, classes: int, seed: int = 0, scale: float = 3.0) -> Outputs:
    random = torch.Generator().manual_seed(seed)
    labels = torch.arange(graphs) % classes
    logits = scale * (torch.randn(graphs, classes, generator=random) + F.one_hot(labels, classes))
    return Outputs(logits, F.one_hot(labels, classes).float())


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_as_scikit_learn_has_them(classes: int, temperature: float) -> None:
    given = outputs(120, classes)
    found = Outcomes.of(given, temperature)
    probabilities = (given.logits / temperature).double().softmax(1).numpy()
    labels, one_hot = given.y.argmax(1).numpy(), given.y.numpy()
    assert found.accuracy == pytest.approx((probabilities.argmax(1) == labels).mean(), abs=1e-6)
    assert found.log_loss == pytest.approx(log_loss(labels, probabilities), rel=1e-5)
    assert found.rocauc == pytest.approx(
        roc_auc_score(
            labels, probabilities[:, 1] if classes == 2 else probabilities, multi_class="ovr"
        ),
        abs=1e-6,
    )
    assert found.brier == pytest.approx(((probabilities - one_hot) ** 2).sum(1).mean(), rel=1e-5)
    if classes == 2:
        assert found.brier == pytest.approx(2 * brier_score_loss(labels, probabilities[:, 1]))


def test_without_graphs_of_a_class_there_is_no_roc_curve() -> None:
    given = outputs(30, 3)
    two = given.y.argmax(1) < 2
    assert math.isnan(Outcomes.of(Outputs(given.logits[two], given.y[two])).rocauc)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_the_temperature_is_the_best_of_many(classes: int, scale: float) -> None:
    given = outputs(60, classes, scale=scale)
    smooth = (60 * given.y + 1) / (60 + classes)
    losses = {
        temperature: float(F.cross_entropy(given.logits.double() / temperature, smooth.double()))
        for temperature in np.geomspace(1 / HOTTEST, HOTTEST, 4001)
    }
    best = min(losses, key=losses.__getitem__)
    assert best_temperature(given) == pytest.approx(best, rel=2e-3)


def test_scaling_changes_no_class_and_improves_the_split_it_was_fitted_on() -> None:
    given = outputs(80, 3, scale=5.0)
    temperature = best_temperature(given)
    plain, scaled = Outcomes.of(given), Outcomes.of(given, temperature)
    assert temperature > 1, "the logits are too bold"
    assert scaled.log_loss < plain.log_loss
    assert scaled.accuracy == plain.accuracy


@pytest.mark.parametrize("graphs", [10, 100])
def test_graphs_that_are_all_right_do_not_make_it_infinitely_sure(graphs: int) -> None:
    """Of n graphs that are right, as sure as (n + 1) to 1, by hand."""
    y = F.one_hot(torch.arange(graphs) % 2, 2).float()
    expected = 1 / math.log(graphs + 1)
    assert best_temperature(Outputs(y.clone(), y)) == pytest.approx(expected, rel=1e-3)
    assert best_temperature(Outputs(1 - y, y)) == pytest.approx(HOTTEST, rel=1e-3)
