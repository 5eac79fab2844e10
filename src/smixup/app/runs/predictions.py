"""What one run said of every held-out graph, in about a byte per graph and class."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FORMAT = 2
HEADER = struct.Struct("<BHI")  # format, classes, graphs of the dataset
LEVELS = 255
FURTHEST = 1000.0
STEP = float(np.arcsinh(FURTHEST)) / LEVELS
LOGITS = -np.sinh(np.clip(np.arange(LEVELS + 1) - 0.5, 0, None) * STEP).astype(np.float32)
NO_LABEL = np.iinfo(np.uint16).max


Part = tuple[NDArray[np.floating], NDArray[np.integer], NDArray[np.integer]]
"""Logits `[T, C]` of graphs, their classes `[T]`, and their places in the dataset `[T]`."""


@dataclass(frozen=True)
class Predictions:
    """Logits of a dataset's graphs `[G, C]`, the most likely class at 0, nan of those trained on;
    their classes `[G]`, -1 of those trained on; and which of them validated `[G]`.
    """

    logits: NDArray[np.float32]
    labels: NDArray[np.int64]
    validated: NDArray[np.bool_]

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Which graphs were tested `[G]`."""
        return np.asarray((self.labels >= 0) & ~self.validated)

    @property
    def correct(self) -> NDArray[np.float64]:
        """1 where the most likely class is the label, 0 where it is not, nan if not tested."""
        return np.where(self.tested, self.logits.argmax(1) == self.labels, np.nan)


def to_bytes(validation: Part, test: Part, num_graphs: int) -> bytes:
    """Return predictions on a dataset of so many graphs as compressed bytes.

    Distances below the most likely class are rounded on the scale of the inverse hyperbolic sine:
    none moves by more than 1.5 %, or by 0.015 where it is below 1.
    """
    classes = test[0].shape[1]
    codes, known = np.zeros((classes, num_graphs), np.uint8), np.full(num_graphs, NO_LABEL, "<u2")
    validated = np.isin(np.arange(num_graphs), validation[2])
    for logits, labels, positions in (validation, test):
        below = logits.max(1, keepdims=True) - logits.astype(np.float64)
        levels = np.clip(np.ceil(np.arcsinh(below) / STEP), 1, LEVELS)
        levels[np.arange(len(levels)), logits.argmax(1)] = 0
        codes[:, positions] = levels.astype(np.uint8).T
        known[positions] = labels
    body = zlib.compress(known.tobytes() + validated.tobytes() + codes.tobytes(), 9)
    return HEADER.pack(FORMAT, classes, num_graphs) + body


def from_bytes(data: bytes) -> Predictions:
    """Return the predictions that `to_bytes` wrote."""
    _, classes, graphs = HEADER.unpack_from(data)
    body = zlib.decompress(data[HEADER.size :])
    known = np.frombuffer(body, "<u2", graphs).astype(np.int64)
    validated = np.frombuffer(body, np.uint8, graphs, 2 * graphs).astype(bool)
    codes = np.frombuffer(body, np.uint8, offset=3 * graphs).reshape(classes, graphs).T
    held_out = known != NO_LABEL
    logits = np.where(held_out[:, None], LOGITS[codes], np.float32(np.nan))
    return Predictions(logits, np.where(held_out, known, -1), validated)
