"""Scores agree with scikit-learn and with hand computation."""

from __future__ import annotations

import sys

import pytest
import torch
from sklearn.metrics import accuracy_score, roc_auc_score

from smixup.errors import SmixupError, UsageError
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
