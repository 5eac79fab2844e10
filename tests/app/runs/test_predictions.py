"""Predictions survive their compression as far as anybody asks."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.predictions import HEADER, Predictions, Said, from_bytes, to_bytes
from smixup.app.runs.run import run

VALIDATED = 20


def packed(
    classes: int = 3, scale: float = 4.0, tested: int = 400, graphs: int = 600
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Predictions]:
    random = np.random.default_rng(1)
    logits = scale * random.standard_normal((tested, classes))
    labels = random.integers(classes, size=tested)
    positions = random.permutation(graphs)[:tested]
    others = np.setdiff1d(np.arange(graphs), positions)[:VALIDATED]
    validation = Said(logits[: len(others)], labels[: len(others)], others)
    data = to_bytes(validation, Said(logits, labels, positions), graphs)
    return logits, labels, positions, from_bytes(data)


@pytest.mark.parametrize("classes", [2, 3, 6, 300])
@pytest.mark.parametrize("scale", [0.01, 1.0, 50.0])
def test_classes_stay_and_distances_hardly_move(classes: int, scale: float) -> None:
    logits, labels, positions, found = packed(classes, scale)
    assert (found.logits[positions].argmax(1) == logits.argmax(1)).all()
    assert (found.labels[positions] == labels).all()
    distance = logits.max(1, keepdims=True) - logits
    assert np.abs(-found.logits[positions] - distance) == pytest.approx(
        0, abs=0.016 * max(1, distance.max())
    )
    np.testing.assert_allclose(-found.logits[positions], distance, rtol=0.016, atol=0.016)


def test_graphs_that_were_not_tested() -> None:
    logits, labels, positions, found = packed()
    untested = np.setdiff1d(np.arange(600), positions)
    assert found.tested.sum() == 400
    assert not found.tested[untested].any()
    assert found.validated.nonzero()[0].tolist() == untested[:VALIDATED].tolist()
    assert (found.labels[found.validated] == labels[:VALIDATED]).all()
    assert (found.logits[found.validated].argmax(1) == logits[:VALIDATED].argmax(1)).all()
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
    own = probabilities[np.arange(400), labels]
    assert found.log_loss(temperature)[positions].mean() == pytest.approx(
        -np.log(own).mean(), rel=5e-3
    )
    squares = ((probabilities - np.eye(3)[labels]) ** 2).sum(1)
    assert found.brier(temperature)[positions].mean() == pytest.approx(squares.mean(), rel=5e-3)
    assert (found.correct[positions] == (logits.argmax(1) == labels)).all()


def test_a_byte_per_graph_and_class() -> None:
    logits, labels, positions, _ = packed(classes=2, tested=5000, graphs=5100)
    nothing = Said(logits[:0], labels[:0], positions[:0])
    assert len(to_bytes(nothing, Said(logits, labels, positions), 5100)) < 1.7 * 5100


def test_the_format_before_has_no_validation_graphs() -> None:
    body = np.array([1, 65535, 0], "<u2").tobytes() + bytes([0, 0, 50, 9, 0, 0])
    found = from_bytes(HEADER.pack(1, 2, 3) + zlib.compress(body))
    assert found.tested.tolist() == [True, False, True]
    assert not found.validated.any()
    assert found.correct[[0, 2]].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("damage", [b"", b"\x01\x02", b"\x02\x02\x00\x01\x00\x00\x00x"])
def test_damaged_bytes_are_refused(damage: bytes) -> None:
    with pytest.raises(ValueError, match="predictions"):
        from_bytes(damage)


def test_a_run_keeps_what_it_tested() -> None:
    options = {"num_graphs": 60}
    config = configure(
        "MOTIF", epochs=2, batch_size=16, dataset_options=options, split="few", train_graphs=15
    )
    result = run(config)
    found = from_bytes(result.predictions)
    assert found.tested.sum() == 30
    assert np.nanmean(found.correct) == pytest.approx(result.test, abs=1e-6)
    assert np.nanmean(found.log_loss()) == pytest.approx(result.test_loss, rel=0.02)
    scaled = np.nanmean(found.log_loss(result.temperature))
    assert scaled == pytest.approx(result.scaled_loss, rel=0.02)


def test_a_seed_of_the_split_alone() -> None:
    def tested(**changes: int) -> list[bool]:
        config = configure("MOTIF", epochs=1, dataset_options={"num_graphs": 60}, **changes)
        return from_bytes(run(config).predictions).tested.tolist()

    assert tested(seed=1, split_seed=7) == tested(seed=2, split_seed=7) == tested(seed=7)
    assert tested(seed=1) != tested(seed=2)
