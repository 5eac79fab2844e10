"""Differences in correctness with a known mean, by the designs that comparisons have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smixup.app.compare.evidence import Array

EFFECT = 0.02


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


@dataclass(frozen=True)
class Design:
    """Repeated folds: how many graphs, splits, and folds that together test every graph once."""

    graphs: int
    splits: int
    folds: int

    def tested(self, random: np.random.Generator) -> np.ndarray:
        """`[splits, graphs]`, as drawn."""
        repeats = -(-self.splits // self.folds)
        fold = np.empty((repeats, self.graphs), dtype=int)  # of every graph
        for repeat in range(repeats):
            fold[repeat, random.permutation(self.graphs)] = np.arange(self.graphs) % self.folds
        mask = fold[:, None] == np.arange(self.folds)[:, None]
        return mask.reshape(-1, self.graphs)[: self.splits]


def table(
    design: Design, truth: Truth, random: np.random.Generator, effect: float = EFFECT
) -> Array:
    """`[splits, graphs]` of -1, 0, 1 and nan, whose expectation is the effect, exactly."""
    mask = design.tested(random)
    borderline = random.random(design.graphs) < truth.borderline
    width = np.sqrt(3 / truth.borderline) * truth.graphs
    of_graphs = effect / truth.borderline + random.uniform(-width, width, design.graphs)
    of_splits = np.clip(random.standard_normal((design.splits, 1)), -3, 3) * (
        truth.splits / truth.borderline
    )
    expected = np.where(borderline, of_graphs + of_splits, 0.0)
    assert np.abs(expected).max() <= 1
    differs = np.maximum(np.where(borderline, truth.q / truth.borderline, 0.0), np.abs(expected))
    drawn = random.random(mask.shape)
    sign = np.where(drawn < (differs + expected) / 2, 1.0, -1.0)
    return np.where(mask, np.where(drawn < differs, sign, 0.0), np.nan)
