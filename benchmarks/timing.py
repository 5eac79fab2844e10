"""Two ways to do the same work, timed in turns: what else the machine does troubles both alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter

Work = Callable[[], object]
LONG = 90.0  # seconds after which nothing is timed once more


@dataclass(frozen=True)
class Timing:
    """Medians of seconds, and of ratios, reference over ours, with quartiles."""

    row: str
    case: str
    seconds: float
    reference: float
    ratio: float
    low: float
    high: float

    @classmethod
    def of(cls, row: str, case: str, rounds: list[tuple[float, float]]) -> Timing:
        """Summarise two rounds or more, seconds of ours and of the reference."""
        ours, reference = zip(*rounds, strict=True)
        ratios = [theirs / mine for mine, theirs in rounds]
        low, middle, high = quantiles(ratios, n=4, method="inclusive")
        return cls(row, case, median(ours), median(reference), middle, low, high)


def turns(ours: Work, reference: Work, repeat: int) -> list[tuple[float, float]]:
    """Run the two in turns, once to warm up and then `repeat` times, or twice if that takes long;
    return the seconds of every round.
    """
    ours(), reference()
    rounds: list[tuple[float, float]] = []
    while len(rounds) < 2 or (len(rounds) < repeat and sum(map(sum, rounds)) < LONG):
        rounds.append((seconds(ours), seconds(reference)))
    return rounds


def seconds(work: Work) -> float:
    """Time one call."""
    start = perf_counter()
    work()
    return perf_counter() - start
