"""How long what is left will take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from smixup.experiments.sweep.job import Job
from smixup.experiments.sweep.store import Record


class Clock:
    """Tells how long jobs will take from how long others took, the most similar ones first."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self.seconds: dict[tuple[str, ...], list[float]] = {}
        for record in records.values():
            if record.done:
                self._add(record.config, record.seconds)

    def tell(self, job: Job, seconds: float) -> None:
        """Learn of a job that was done."""
        self._add(job.config, seconds)

    def left(self, jobs: Sequence[Job], workers: int) -> float | None:
        """Return the seconds that so many workers need, None if nothing is known."""
        each = [self.expected(job.config) for job in jobs]
        known = [seconds for seconds in each if seconds is not None]
        if each and not known:
            return None
        return sum(fmean(known) if seconds is None else seconds for seconds in each) / workers

    def expected(self, config: Mapping[str, Any]) -> float | None:
        """Return the mean of the most similar runs, None if there is none of this dataset and length."""
        return next((fmean(self.seconds[kind]) for kind in _kinds(config) if kind in self.seconds), None)

    def _add(self, config: Mapping[str, Any], seconds: float) -> None:
        for kind in _kinds(config):
            self.seconds.setdefault(kind, []).append(seconds)


def _kinds(config: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return descriptions of a run, the most particular first."""
    parts = ["dataset", "epochs", "method", "backbone"]
    return [tuple(str(config[name]) for name in parts[:number]) for number in (4, 3, 2)]
