"""One cell of a table: the runs behind it, the choice among them, and the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from smixup.lab.runs.config import RunConfig
from smixup.lab.sweeps.identity import run_id
from smixup.lab.sweeps.store import Record
from smixup.lab.tables.comparison import Difference, Summary

Records = Mapping[str, Record]


@dataclass(frozen=True)
class Candidate:
    """One setting of a method's grid.

    Attributes:
        settings: the fields that are searched.
        configs: one run per seed.
    """

    settings: Mapping[str, Any]
    configs: Sequence[RunConfig]

    @cached_property
    def ids(self) -> dict[int, str]:
        """The identities of its runs by seed."""
        return {config.seed: run_id(config) for config in self.configs}

    def finished(self, records: Records) -> dict[int, Record]:
        """Return its finished runs by seed."""
        found = {seed: records.get(id) for seed, id in self.ids.items()}
        return {
            seed: record for seed, record in found.items() if record is not None and record.done
        }

    def validation(self, records: Records) -> float:
        """Return the mean validation score over its finished runs."""
        scores = [
            record.validation
            for record in self.finished(records).values()
            if record.validation is not None
        ]
        return fmean(scores) if scores else -math.inf


@dataclass(frozen=True)
class Published:
    """What the paper reports for a cell, in percent."""

    mean: float
    deviation: float | None = None


@dataclass(frozen=True)
class Cell:
    """A place in a table.

    Attributes:
        backbone, row, column: where it stands.
        candidates: the grid.
        published: the paper's value.
    """

    backbone: str
    row: str
    column: str
    candidates: Sequence[Candidate]
    published: Published | None = None

    @property
    def configs(self) -> list[RunConfig]:
        """All runs behind the cell."""
        return [config for candidate in self.candidates for config in candidate.configs]

    def choose(self, records: Records) -> Choice:
        """Choose the candidate with the highest mean validation score; the test split has no say.

        Only candidates with the most finished seeds take part, so that none wins by a few easy
        splits.
        """
        numbers = [len(candidate.finished(records)) for candidate in self.candidates]
        complete = min(numbers) == len(self.candidates[0].configs)
        most = [
            each
            for each, number in zip(self.candidates, numbers, strict=True)
            if number == max(numbers)
        ]
        chosen = max(most, key=lambda candidate: candidate.validation(records))
        failed = sum(
            id in records and not records[id].done
            for each in self.candidates
            for id in each.ids.values()
        )
        return Choice(self, chosen, chosen.finished(records), complete, failed)


@dataclass(frozen=True)
class Choice:
    """A cell, filled.

    Attributes:
        cell: the place.
        candidate: the one that was chosen.
        runs: its finished runs by seed.
        complete: whether the whole grid was run at all seeds.
        failed: how many runs of the grid failed.
    """

    cell: Cell
    candidate: Candidate
    runs: Mapping[int, Record]
    complete: bool
    failed: int = 0

    def scores(self, name: str) -> dict[int, float]:
        """Return one score per seed; `test` and `calibration_error` in percent."""
        scale = 1.0 if name == "test_loss" else 100.0
        found = {seed: getattr(record, name) for seed, record in self.runs.items()}
        return {seed: scale * value for seed, value in found.items() if value is not None}

    def summary(self, name: str) -> Summary | None:
        """Return mean and deviation, None if nothing was run."""
        scores = list(self.scores(name).values())
        return Summary.of(scores) if scores else None

    def difference(self, reference: Choice, name: str) -> Difference | None:
        """Compare with another cell on the seeds that both have, None if there is none."""
        ours, theirs = self.scores(name), reference.scores(name)
        shared = sorted(ours.keys() & theirs.keys())
        if not shared:
            return None
        return Difference.between(
            [ours[seed] for seed in shared], [theirs[seed] for seed in shared]
        )
