"""How long what is left will take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from smixup.lab.sweeps.store import Record


class Kind(NamedTuple):
    """What decides how long a run takes, the most important first."""

    dataset: str
    method: str
    backbone: str
    epochs: int

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Kind:
        """Return the kind of a configuration."""
        return cls(*(config[name] for name in cls._fields))


@dataclass
class Pace:
    """What runs took in all: seconds beside training (loading, fitting, aligning), and seconds per
    epoch.
    """

    number: int = 0
    beside: float = 0.0
    per_epoch: float = 0.0

    def add(self, beside: float, per_epoch: float) -> None:
        """Count one more run."""
        self.number += 1
        self.beside += beside
        self.per_epoch += per_epoch

    def seconds(self, epochs: int) -> float:
        """Return the mean for so many epochs."""
        return (self.beside + self.per_epoch * epochs) / self.number


class Clock:
    """Tells how long runs will take from how long others took, the most similar ones first.

    Where none of the same length is known, training is taken to be proportional to its epochs: a
    rehearsal foretells the real thing.
    """

    def __init__(self, records: Mapping[str, Record]) -> None:
        self.paces: dict[tuple[Any, ...], Pace] = {}
        for record in records.values():
            if record.training_seconds is not None:
                self.tell(Kind.of(record.config), record.seconds, record.training_seconds)

    def tell(self, kind: Kind, seconds: float, training_seconds: float) -> None:
        """Learn of a run that was done."""
        training = min(training_seconds, seconds)
        for number in range(1, len(kind) + 1):
            self.paces.setdefault(kind[:number], Pace()).add(
                seconds - training, training / kind.epochs
            )

    def expected(self, kind: Kind) -> float | None:
        """Return the seconds of a run, None if there was none on its dataset."""
        similar = (self.paces.get(kind[:number]) for number in range(len(kind), 0, -1))
        pace = next((pace for pace in similar if pace is not None), None)
        return None if pace is None else pace.seconds(kind.epochs)

    def left(self, kinds: Mapping[Kind, int], workers: int) -> float | None:
        """Return the seconds that so many workers need for so many runs of each kind, None if
        nothing is known.

        A kind of which nothing is known is taken for the mean of the others.
        """
        each = {kind: self.expected(kind) for kind, number in kinds.items() if number}
        known = sum(number for kind, number in kinds.items() if number and each[kind] is not None)
        if each and not known:
            return None
        seconds = sum(
            kinds[kind] * expected for kind, expected in each.items() if expected is not None
        )
        return seconds * sum(kinds.values()) / max(known, 1) / workers
