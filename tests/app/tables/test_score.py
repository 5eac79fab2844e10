"""Shares are shown in percent, and errors are better if lower."""

from __future__ import annotations

import pytest

from smixup.app.tables.score import SCORES, score_of
from smixup.training.metrics import METRICS


@pytest.mark.parametrize("metric", ["accuracy", "balanced-accuracy", "rocauc", "ap"])
def test_shares(metric: str) -> None:
    for name, score in SCORES.items():
        assert score_of(name, metric) is score
    assert (SCORES["test"].scale, SCORES["test"].digits) == (100.0, 2)


@pytest.mark.parametrize(("metric", "lower"), [("mae", True), ("rmse", True), ("r2", False)])
@pytest.mark.parametrize("name", ["test", "validation"])
def test_values(metric: str, lower: bool, name: str) -> None:
    found = score_of(name, metric)
    assert found.title == f"{name} {metric}"
    assert (found.scale, found.digits, found.lower_is_better) == (1.0, 3, lower)
    assert score_of("test_loss", metric) is SCORES["test_loss"]


def test_every_metric_is_one_or_the_other() -> None:
    shares = {name for name, metric in METRICS.items() if metric.is_share}
    assert METRICS.keys() - shares == {"mae", "rmse", "r2"}
