"""How long what is left will take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from smixup.app.sweeps.record import Record


class RunKind(NamedTuple):
    """What decides how long a run takes, the most important first."""

    dataset: str
    method: str
    backbone: str
    epochs: int
    teachers: int = 0
    refit: bool = False

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> RunKind:
        """Return the kind of a configuration; one kept before there was a field has its default."""
        return cls(**{name: config[name] for name in cls._fields if name in config})


@dataclass
class MeanTime:
    """The mean time of some runs.

    Attributes:
        number: how many runs.
        overhead: their seconds outside of training (loading, fitting, aligning), added up.
        per_epoch: their seconds per epoch, added up.
    """

    number: int = 0
    overhead: float = 0.0
    per_epoch: float = 0.0

    def add(self, overhead: float, per_epoch: float) -> None:
        """Count one more run."""
        self.number += 1
        self.overhead += overhead
        self.per_epoch += per_epoch

    def seconds(self, epochs: int) -> float:
        """Return the mean for so many epochs."""
        return (self.overhead + self.per_epoch * epochs) / self.number


class TimeEstimate:
    """How long runs will take, judged by how long the most similar ones took.

    Where none of the same length is known, training is taken to be proportional to its epochs, so
    that a rehearsal tells how long the whole will take.
    """

    def __init__(self, records: Mapping[str, Record]) -> None:
        self.means: dict[tuple[Any, ...], MeanTime] = {}
        for record in records.values():
            if record.result is not None:
                self.add(RunKind.of(record.config), record.seconds, record.result.seconds)

    def add(self, kind: RunKind, seconds: float, training_seconds: float) -> None:
        """Take a finished run into account."""
        training = min(training_seconds, seconds)
        for number in range(1, len(kind) + 1):
            mean = self.means.setdefault(kind[:number], MeanTime())
            mean.add(seconds - training, training / kind.epochs)

    def expected(self, kind: RunKind) -> float | None:
        """Return the seconds of a run, None if there was none on its dataset."""
        similar = (self.means.get(kind[:number]) for number in range(len(kind), 0, -1))
        mean = next((each for each in similar if each is not None), None)
        return None if mean is None else mean.seconds(kind.epochs)

    def left(self, kinds: Mapping[RunKind, int], workers: int) -> float | None:
        """Return the seconds that so many workers need for so many runs of each kind, None if
        nothing is known.

        A kind of which nothing is known is taken for the mean of the others.
        """
        each = {kind: self.expected(kind) for kind, number in kinds.items() if number}
        known = sum(number for kind, number in kinds.items() if number and each[kind] is not None)
        if each and not known:
            return None
        seconds = sum(kinds[kind] * time for kind, time in each.items() if time is not None)
        return seconds * sum(kinds.values()) / max(known, 1) / workers
