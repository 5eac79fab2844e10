"""Runs that nobody computed, whose predictions have a known quality."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from smixup.app.runs.predictions import Said, to_bytes

GRAPHS, TESTED = 200, 150


def positions_of(seed: int) -> NDArray[np.int64]:
    """Which graphs a seed tests."""
    return np.random.default_rng([seed, 7]).permutation(GRAPHS)[:TESTED]


def predictions(seed: int, share_right: float, sureness: float = 2.0) -> bytes:
    """Predictions of two classes, of which so many of the tested graphs are right."""
    positions = positions_of(seed)
    labels = positions % 2
    right = np.arange(TESTED) < round(share_right * TESTED)
    said = np.where(right, labels, 1 - labels)
    logits = np.zeros((TESTED, 2))
    logits[np.arange(TESTED), said] = sureness
    others = np.setdiff1d(np.arange(GRAPHS), positions)[:10]
    validation = Said(logits[:10], others % 2, others)
    return to_bytes(validation, Said(logits, labels, positions), GRAPHS)
