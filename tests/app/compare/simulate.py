"""Differences in correctness with a known mean, by the designs that comparisons have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smixup.app.compare.evidence import Array

EFFECT, FOLDS = 0.02, 10


@dataclass(frozen=True)
class Truth:
    """How differences arise: a share of the graphs is borderline, and only these ever differ.

    `q` is the share of entries that are not zero; `graphs` and `splits` are standard deviations, of
    effects between borderline graphs, times the root of their share, and of means between splits.
    """

    q: float = 0.1
    graphs: float = 0.07
    splits: float = 0.015
    borderline: float = 0.2


TRUTHS = {
    "mixed": Truth(),
    "graphs differ": Truth(q=0.15, graphs=0.15, splits=0.0),
    "splits differ": Truth(graphs=0.0, splits=0.03),
    "chance": Truth(graphs=0.0, splits=0.0),
}


def table(
    graphs: int, splits: int, truth: Truth, random: np.random.Generator, effect: float = EFFECT
) -> Array:
    """`[splits, graphs]` of -1, 0, 1 and nan, whose expectation is the effect, exactly."""
    fold = np.empty((splits // FOLDS, graphs), dtype=int)  # of every graph, anew in every repeat
    for repeat in fold:
        repeat[random.permutation(graphs)] = np.arange(graphs) % FOLDS
    mask = (fold[:, None] == np.arange(FOLDS)[:, None]).reshape(splits, graphs)
    borderline = random.random(graphs) < truth.borderline
    width = np.sqrt(3 / truth.borderline) * truth.graphs
    of_graphs = effect / truth.borderline + random.uniform(-width, width, graphs)
    of_splits = np.clip(random.standard_normal((splits, 1)), -3, 3) * (
        truth.splits / truth.borderline
    )
    expected = np.where(borderline, of_graphs + of_splits, 0.0)
    assert np.abs(expected).max() <= 1
    differs = np.maximum(np.where(borderline, truth.q / truth.borderline, 0.0), np.abs(expected))
    drawn = random.random(mask.shape)
    sign = np.where(drawn < (differs + expected) / 2, 1.0, -1.0)
    return np.where(mask, np.where(drawn < differs, sign, 0.0), np.nan)
