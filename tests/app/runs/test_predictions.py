"""Predictions survive their compression as far as anybody asks."""

from __future__ import annotations

import numpy as np
import pytest

from smixup.app.runs.predictions import Predictions, from_bytes, to_bytes

VALIDATED, TESTED, GRAPHS = 20, 400, 600


def packed(
    classes: int = 3, scale: float = 4.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Predictions]:
    random = np.random.default_rng(1)
    logits = scale * random.standard_normal((TESTED, classes))
    labels = random.integers(classes, size=TESTED)
    positions = random.permutation(GRAPHS)[:TESTED]
    others = np.setdiff1d(np.arange(GRAPHS), positions)[:VALIDATED]
    validation = (logits[:VALIDATED], labels[:VALIDATED], others)
    data = to_bytes(validation, (logits, labels, positions), GRAPHS)
    assert len(data) < 1.7 * GRAPHS * max(classes - 1, 1) + 100, "a byte per graph and class"
    return logits, labels, positions, from_bytes(data)


@pytest.mark.parametrize(("classes", "scale"), [(2, 0.01), (3, 1.0), (6, 50.0), (300, 4.0)])
def test_classes_stay_and_distances_hardly_move(classes: int, scale: float) -> None:
    logits, labels, positions, found = packed(classes, scale)
    assert (found.logits[positions].argmax(1) == logits.argmax(1)).all()
    assert (found.labels[positions] == labels).all()
    distance = logits.max(1, keepdims=True) - logits
    np.testing.assert_allclose(-found.logits[positions], distance, rtol=0.016, atol=0.016)


def test_graphs_that_were_not_tested() -> None:
    _, labels, positions, found = packed()
    untested = np.setdiff1d(np.arange(GRAPHS), positions)
    assert found.tested.nonzero()[0].tolist() == sorted(positions)
    assert found.validated.nonzero()[0].tolist() == untested[:VALIDATED].tolist()
    assert (found.labels[found.validated] == labels[:VALIDATED]).all()
    assert (found.labels[untested[VALIDATED:]] == -1).all()
    assert np.isnan(found.logits[untested[VALIDATED:]]).all()
    for values in (found.correct, found.log_loss(), found.brier(2.0)):
        assert np.isnan(values[untested]).all()
        assert np.isfinite(values[positions]).all()


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_losses_by_graph(temperature: float) -> None:
    logits, labels, positions, found = packed()
    weights = np.exp(logits / temperature)
    probabilities = weights / weights.sum(1, keepdims=True)
    loss = -np.log(probabilities[np.arange(TESTED), labels]).mean()
    squares = ((probabilities - np.eye(3)[labels]) ** 2).sum(1).mean()
    assert found.log_loss(temperature)[positions].mean() == pytest.approx(loss, rel=5e-3)
    assert found.brier(temperature)[positions].mean() == pytest.approx(squares, rel=5e-3)
    assert (found.correct[positions] == (logits.argmax(1) == labels)).all()
