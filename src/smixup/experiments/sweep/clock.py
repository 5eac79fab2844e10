"""How long what is left will take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from smixup.experiments.sweep.store import Record

SIMILAR = ("dataset", "method", "backbone", "epochs")


@dataclass(frozen=True)
class Pace:
    """What a run took: seconds beside training (loading, fitting, aligning), and seconds per epoch."""

    beside: float
    per_epoch: float


class Clock:
    """Tells how long runs will take from how long others took, the most similar ones first.

    Where none of the same length is known, training is taken to be proportional to its epochs: a rehearsal foretells
    the real thing.
    """

    def __init__(self, records: Mapping[str, Record]) -> None:
        self.paces: dict[tuple[str, ...], list[Pace]] = {}
        for record in records.values():
            if record.training_seconds is not None:
                self.tell(record.config, record.seconds, record.training_seconds)

    def tell(self, config: Mapping[str, Any], seconds: float, training_seconds: float) -> None:
        """Learn of a run that was done."""
        training = min(training_seconds, seconds)
        pace = Pace(seconds - training, training / config["epochs"])
        for kind in _kinds(config):
            self.paces.setdefault(kind, []).append(pace)

    def expected(self, config: Mapping[str, Any]) -> float | None:
        """Return the seconds of a run, None if there was none on its dataset."""
        kind = next((kind for kind in _kinds(config) if kind in self.paces), None)
        if kind is None:
            return None
        paces = self.paces[kind]
        return fmean(pace.beside for pace in paces) + fmean(pace.per_epoch for pace in paces) * float(config["epochs"])

    def left(self, configs: Sequence[Mapping[str, Any]], workers: int) -> float | None:
        """Return the seconds that so many workers need, None if nothing is known."""
        each = [self.expected(config) for config in configs]
        known = [seconds for seconds in each if seconds is not None]
        if each and not known:
            return None
        return sum(fmean(known) if seconds is None else seconds for seconds in each) / workers


def _kinds(config: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return descriptions of a run, the most particular first."""
    return [tuple(str(config[name]) for name in SIMILAR[:number]) for number in (4, 3, 2, 1)]
