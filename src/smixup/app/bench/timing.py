"""Two ways to do the same work, timed in turns so that whatever else the machine does troubles both
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import median, quantiles
from time import perf_counter
from typing import Self

LONG = 90.0
"""Seconds on the clock after which nothing is timed once more, however often it was asked for."""


@dataclass(frozen=True)
class Comparison:
    """How much work per second our way and the reference do, medians over repetitions; or how much
    either stores in a megabyte, finds, or spends.

    Attributes:
        benchmark: its name in the registry.
        dataset: the data it ran on.
        case: what distinguishes it from the benchmark's other comparisons, such as a backbone.
        unit: what the two numbers count.
        ours: our number.
        reference: the reference's; None where the reference cannot do this work.
        efficiency: share of the machine's matrix-product rate that our way reaches, where it was
            counted.
        memory_mb: the most memory that our way held, where the system tells.
        spent: whether the two count what is spent, such as seconds, so that less is better.
        quartiles: between which half of the rounds' ratios lie, where rounds were timed: the noise
            of the ratio.
    """

    benchmark: str
    dataset: str
    case: str
    unit: str
    ours: float
    reference: float | None = None
    efficiency: float | None = None
    memory_mb: float | None = None
    spent: bool = field(default=False, kw_only=True)
    quartiles: tuple[float, float] | None = field(default=None, kw_only=True)

    @property
    def ratio(self) -> float | None:
        """How many times better our way is: faster, or more stored or found; None without
        reference.
        """
        if self.reference is None:
            return None
        return self.reference / self.ours if self.spent else self.ours / self.reference

    def to_json(self) -> dict[str, str | float | tuple[float, float] | None]:
        """Return all fields and the ratio."""
        return asdict(self) | {"ratio": self.ratio}


class Medians(tuple[float, float]):
    """The median seconds of both sides.

    Attributes:
        quartiles: between which half of the rounds' ratios lie, reference over ours; None for a
            single round.
    """

    quartiles: tuple[float, float] | None

    @classmethod
    def of(cls, rounds: Sequence[tuple[float, float]]) -> Self:
        """Return the medians of rounds."""
        first, second = zip(*rounds, strict=True)
        found = cls((median(first), median(second)))
        found.quartiles = None
        if len(rounds) > 1:
            ratios = [reference / ours for ours, reference in rounds]
            low, _, high = quantiles(ratios, n=4, method="inclusive")
            found.quartiles = low, high
        return found

    def rates(self, work: int) -> tuple[float, float]:
        """Return how much both do in a second, if this much work is done each time."""
        return work / self[0], work / self[1]

    def quartiles_of(self, work: float) -> tuple[float, float] | None:
        """Return the quartiles where our side did `work` times as much as the reference."""
        return self.quartiles and (work * self.quartiles[0], work * self.quartiles[1])


def alternate(ours: Callable[[], object], reference: Callable[[], object], repeat: int) -> Medians:
    """Run the two in turns, once to warm up and `repeat` times on the clock, or until they took
    `LONG`; return the median seconds of each.
    """
    ours()
    reference()
    return Medians.of(turns(lambda _: ours(), lambda _: reference(), repeat))


def turns(
    ours: Callable[[int], object], reference: Callable[[int], object], repeat: int
) -> list[tuple[float, float]]:
    """Run the two in turns, `repeat` times or until they took `LONG`; return the seconds of both in
    every round. Each is told which round it is, and may have other work in each.
    """
    rounds: list[tuple[float, float]] = []
    while len(rounds) < repeat and sum(map(sum, rounds)) < LONG:
        each = partial(ours, len(rounds)), partial(reference, len(rounds))
        rounds.append((seconds(each[0]), seconds(each[1])))
    return rounds


def timed(work: Callable[[], object], repeat: int, before: float = 0.0) -> list[float]:
    """Return the seconds of `repeat` calls, of fewer if they take `LONG` with what was timed
    before.
    """
    found: list[float] = []
    while len(found) < repeat and sum(found) + before < LONG:
        found.append(seconds(work))
    return found


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = perf_counter()
    work()
    return perf_counter() - start
