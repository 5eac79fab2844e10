"""Predictions of one run for every graph that it tested, in about a byte per graph and class."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FORMAT = 1
HEADER = struct.Struct("<BHI")  # format, classes, graphs of the dataset
LEVELS = 255
FURTHEST = 1000.0
STEP = float(np.arcsinh(FURTHEST)) / LEVELS
NO_LABEL = np.iinfo(np.uint16).max


@dataclass(frozen=True)
class Predictions:
    """What a model said of the graphs of a dataset, in the order of the dataset.

    Attributes:
        logits: `[G, C]`, the most likely class at 0 and the others below; nan of graphs that were
            not tested.
        labels: classes `[G]`; -1 of graphs that were not tested.
    """

    logits: NDArray[np.float32]
    labels: NDArray[np.int64]

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Which graphs were tested `[G]`."""
        tested: NDArray[np.bool_] = self.labels >= 0
        return tested

    @property
    def correct(self) -> NDArray[np.float64]:
        """1 where the most likely class is the label, 0 where it is not, nan if not tested."""
        return np.where(self.tested, self.logits.argmax(1) == self.labels, np.nan)

    def log_loss(self, temperature: float = 1.0) -> NDArray[np.float64]:
        """Return the cross-entropy of every graph `[G]`, nan if not tested."""
        log_probabilities = _log_softmax(self.logits.astype(np.float64) / temperature)
        found: NDArray[np.float64] = -np.take_along_axis(
            log_probabilities, np.maximum(self.labels, 0)[:, None], 1
        )[:, 0]
        return found

    def brier(self, temperature: float = 1.0) -> NDArray[np.float64]:
        """Return the squared distance of every graph's probabilities to its class `[G]`."""
        probabilities = np.exp(_log_softmax(self.logits.astype(np.float64) / temperature))
        target = np.eye(self.logits.shape[1])[np.maximum(self.labels, 0)]
        found: NDArray[np.float64] = ((probabilities - target) ** 2).sum(1)
        return found


def to_bytes(
    logits: NDArray[np.floating],
    labels: NDArray[np.integer],
    positions: NDArray[np.integer],
    num_graphs: int,
) -> bytes:
    """Return predictions as compressed bytes.

    What counts of logits is how far each class lies below the most likely one. That distance is
    rounded on a scale that is fine near 0 and coarse far away (the inverse hyperbolic sine, 255
    steps up to 1000): the most likely class stays, and no distance moves by more than 1.5 %, or by
    0.015 where it is below 1.

    Args:
        logits: `[T, C]` of the graphs that were tested.
        labels: their classes `[T]`.
        positions: where they stand in the dataset `[T]`.
        num_graphs: G, graphs of the dataset.
    """
    below = logits.max(1, keepdims=True) - logits.astype(np.float64)
    levels = np.clip(np.ceil(np.arcsinh(below) / STEP), 1, LEVELS)
    levels[np.arange(len(levels)), logits.argmax(1)] = 0
    codes = np.zeros((logits.shape[1], num_graphs), np.uint8)
    codes[:, positions] = levels.T
    known = np.full(num_graphs, NO_LABEL, np.uint16)
    known[positions] = labels
    body = zlib.compress(known.astype("<u2").tobytes() + codes.tobytes(), 9)
    return HEADER.pack(FORMAT, logits.shape[1], num_graphs) + body


def from_bytes(data: bytes) -> Predictions:
    """Return the predictions that `to_bytes` wrote.

    Raises:
        ValueError: the bytes are damaged, or of another format.
    """
    try:
        version, classes, graphs = HEADER.unpack_from(data)
        body = zlib.decompress(data[HEADER.size :])
        known = np.frombuffer(body, "<u2", graphs).astype(np.int64)
        codes = np.frombuffer(body, np.uint8, offset=2 * graphs).reshape(classes, graphs).T
    except (struct.error, zlib.error, ValueError) as error:
        raise ValueError(f"damaged predictions ({error})") from error
    if version != FORMAT:
        raise ValueError(f"predictions of format {version}, not {FORMAT}")
    tested = known != NO_LABEL
    below = np.where(codes == 0, 0.0, np.sinh((codes - 0.5) * STEP))
    logits = np.where(tested[:, None], -below, np.nan).astype(np.float32)
    return Predictions(logits, np.where(tested, known, -1))


def _log_softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shifted = logits - logits.max(1, keepdims=True)
    found: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return found
