"""Two methods compared graph by graph, from the predictions that their runs kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smixup.app.evidence.estimate import Estimate
from smixup.app.evidence.paired_graphs import paired_graphs
from smixup.app.runs.predictions import Predictions, from_bytes
from smixup.app.sweeps.record import Record
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.protocol import split_of

Kept = Mapping[str, bytes]
"""Predictions by the identity that a run had when it was run."""

Judge = Callable[[Predictions, float], NDArray[np.float64]]
POINTS = 100.0

OUTCOMES: dict[str, Judge] = {
    "accuracy": lambda said, temperature: POINTS * said.correct,
    "log_loss": lambda said, temperature: said.log_loss(),
    "brier": lambda said, temperature: said.brier(),
    "scaled_loss": lambda said, temperature: said.log_loss(temperature),
    "scaled_brier": lambda said, temperature: said.brier(temperature),
}
"""What a prediction of a graph is worth: accuracy in points; *scaled* after the temperature that
the run fitted on its validation split.
"""
SCALED = ("scaled_loss", "scaled_brier")


@dataclass(frozen=True)
class Paired:
    """Differences between two methods in runs of the same seeds.

    Attributes:
        differences: of every run and graph `[T, G]`, nan where the graph was not tested.
        splits: what tells the split of each run from others `[T]`.
        seeds: of the runs `[T]`.
        reference: the mean outcome of the second method in these runs.
    """

    differences: NDArray[np.float64]
    splits: Sequence[Hashable]
    seeds: Sequence[int]
    reference: float

    def estimate(self) -> Estimate:
        """Return the mean difference with its interval by graphs and splits."""
        return paired_graphs(self.differences, self.splits)


def compared(
    cell: FilledCell, reference: FilledCell, kept: Kept, outcome: str = "accuracy"
) -> Paired | None:
    """Return an outcome of a cell less that of another on the seeds that both have predictions of;
    None if there is none.
    """
    ours, theirs = (_by_seed(each.runs, kept, outcome) for each in (cell, reference))
    seeds = sorted(ours.keys() & theirs.keys())
    if not seeds:
        return None
    differences = np.stack([ours[seed] - theirs[seed] for seed in seeds])
    splits = [split_of(cell.runs[seed].config) for seed in seeds]
    return Paired(differences, splits, seeds, float(np.nanmean([theirs[seed] for seed in seeds])))


def averaged(parts: Sequence[Paired]) -> Paired | None:
    """Return the mean of several comparisons on the runs that all of them have, such as those of
    two backbones; None if there is none.
    """
    seeds = sorted(set.intersection(*(set(part.seeds) for part in parts))) if parts else []
    if not seeds:
        return None
    rows = [[part.seeds.index(seed) for seed in seeds] for part in parts]
    chosen = [part.differences[index] for part, index in zip(parts, rows, strict=True)]
    reference = float(np.mean([part.reference for part in parts]))
    return Paired(np.mean(chosen, 0), [parts[0].splits[each] for each in rows[0]], seeds, reference)


def with_validation(runs: Mapping[int, Record], kept: Kept) -> dict[int, Record]:
    """Return the runs that kept predictions of their validation split.

    The first records did not, and their temperature went to its bound where all of these graphs
    were right: they say nothing of scaled outcomes.
    """
    return {
        seed: run
        for seed, run in runs.items()
        if run.id in kept and from_bytes(kept[run.id]).validated.any()
    }


def _by_seed(
    runs: Mapping[int, Record], kept: Kept, outcome: str
) -> dict[int, NDArray[np.float64]]:
    runs = with_validation(runs, kept) if outcome in SCALED else runs
    return {
        seed: OUTCOMES[outcome](from_bytes(kept[record.id]), record.result.temperature)
        for seed, record in runs.items()
        if record.id in kept and record.result is not None
    }
