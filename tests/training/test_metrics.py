"""Scores agree with scikit-learn and with hand computation."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
import torch
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from smixup.errors import SmixupError, UsageError
from smixup.tasks import Classes
from smixup.training.metrics import accuracy, calibration_error, metric_named, rocauc


@pytest.fixture
def predictions() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(60) % 3
    return torch.randn(60, 3, generator=generator).softmax(1), labels


def test_accuracy(predictions: tuple[torch.Tensor, torch.Tensor]) -> None:
    probabilities, labels = predictions
    assert accuracy(probabilities, labels) == pytest.approx(
        accuracy_score(labels, probabilities.argmax(1)), abs=1e-6
    )
    assert accuracy(torch.eye(2)[[0, 1, 1]], torch.tensor([0, 0, 1])) == 0.666667


def test_area_under_the_curve(predictions: tuple[torch.Tensor, torch.Tensor]) -> None:
    probabilities, labels = predictions
    expected = roc_auc_score(
        labels, probabilities.double() / probabilities.double().sum(1, True), multi_class="ovr"
    )
    assert rocauc(probabilities, labels) == pytest.approx(expected, abs=1e-5)
    two, binary = probabilities[:, :2].softmax(1), (labels > 0).long()
    assert rocauc(two, binary) == pytest.approx(roc_auc_score(binary, two[:, 1]), abs=1e-5)


def test_area_needs_every_class() -> None:
    with pytest.raises(SmixupError, match="every class"):
        rocauc(torch.rand(4, 2), torch.zeros(4, dtype=torch.long))


def test_calibration_error_by_hand() -> None:
    """Confidence 0.9 twice, right once; 0.6 twice, right twice: (2 * 0.4 + 2 * 0.4) / 4."""
    probabilities = torch.tensor([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.4, 0.6]])
    assert calibration_error(probabilities, torch.tensor([0, 1, 1, 1])) == pytest.approx(
        0.4, abs=1e-6
    )


def test_unknown_metric_suggests_a_known_one() -> None:
    with pytest.raises(UsageError, match="Did you mean 'accuracy'"):
        metric_named("acuracy")


def test_scores_need_torchmetrics(
    predictions: tuple[torch.Tensor, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torchmetrics.functional.classification", None)
    for score in (accuracy, rocauc, calibration_error):
        with pytest.raises(
            SmixupError, match=r"needs torchmetrics, .*: pip install 'smixup\[lab\]'"
        ):
            score(*predictions)


def test_scores_of_rare_classes_agree_with_scikit_learn(
    predictions: tuple[torch.Tensor, torch.Tensor],
) -> None:
    probabilities, labels = predictions
    assert metric_named("balanced-accuracy")(probabilities, labels) == pytest.approx(
        balanced_accuracy_score(labels, probabilities.argmax(1))
    )
    expected = average_precision_score(torch.eye(3)[labels], probabilities, average="macro")
    assert metric_named("ap")(probabilities, labels) == pytest.approx(expected, abs=1e-5)
    two, binary = probabilities[:, :2].softmax(1), (labels > 0).long()
    expected = average_precision_score(binary, two[:, 1])
    assert metric_named("ap")(two, binary) == pytest.approx(expected, abs=1e-5)


def test_scores_of_labels_leave_out_what_is_not_known() -> None:
    generator = torch.Generator().manual_seed(0)
    y = (torch.rand(50, 3, generator=generator) < 0.4).float()
    predicted = torch.rand(50, 3, generator=generator)
    y[torch.rand(50, 3, generator=generator) < 0.3] = torch.nan
    y[:, 2] = torch.where(y[:, 2].isnan(), y[:, 2], 1.0)  # nothing to rank
    known = ~y.isnan()

    def mean(score: Callable[..., float], columns: int, given: torch.Tensor) -> float:
        parts = [
            score(y[known[:, each], each], given[known[:, each], each]) for each in range(columns)
        ]
        return sum(parts) / columns

    chosen = (predicted > 0.5).float()
    for name, expected in {
        "rocauc": mean(roc_auc_score, 2, predicted),
        "ap": mean(average_precision_score, 2, predicted),
        "accuracy": mean(accuracy_score, 3, chosen),
    }.items():
        assert metric_named(name)(predicted, y) == pytest.approx(expected, abs=1e-5), name
    with pytest.raises(SmixupError, match="with and without it"):
        metric_named("rocauc")(predicted[:, 2:], y[:, 2:])


def test_scores_of_values_agree_with_scikit_learn() -> None:
    y, predicted = torch.randn(30, 2), torch.randn(30, 2)
    for name, score in {
        "mae": mean_absolute_error,
        "rmse": root_mean_squared_error,
        "r2": r2_score,
    }.items():
        expected = sum(score(y[:, each], predicted[:, each]) for each in range(2)) / 2
        assert metric_named(name)(predicted, y) == pytest.approx(expected, abs=1e-5), name
    y[3:, 1] = torch.nan
    expected = (
        mean_absolute_error(y[:, 0], predicted[:, 0])
        + mean_absolute_error(y[:3, 1], predicted[:3, 1])
    ) / 2
    assert metric_named("mae")(predicted, y) == pytest.approx(expected, abs=1e-5)
    assert not metric_named("mae").higher and metric_named("r2").higher


def test_a_score_must_suit_the_task() -> None:
    with pytest.raises(UsageError, match="mae is no score of classes; take one of accuracy"):
        metric_named("mae").require_suits(Classes.numbered(2))
