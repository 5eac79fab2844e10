"""Two ways to do the same work, timed in turns so that whatever else the machine does troubles both
alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True)
class Comparison:
    """How much work per second our way and the reference do, medians over repetitions; or how much
    either stores in a megabyte.

    Attributes:
        benchmark: its name in the registry.
        dataset: the data it ran on.
        case: what distinguishes it from the benchmark's other comparisons, such as a backbone.
        unit: what the two rates count.
        ours: our rate.
        reference: the reference's rate.
        efficiency: share of the machine's matrix-product rate that our way reaches, where it was
            counted.
        memory_mb: the most memory that our way held, where the system tells.
    """

    benchmark: str
    dataset: str
    case: str
    unit: str
    ours: float
    reference: float
    efficiency: float | None = None
    memory_mb: float | None = None

    @property
    def ratio(self) -> float:
        """How many times faster our way is, or how many times more it stores."""
        return self.ours / self.reference

    def to_json(self) -> dict[str, str | float | None]:
        """Return all fields and the ratio."""
        return asdict(self) | {"ratio": self.ratio}


def alternate(
    ours: Callable[[], object], reference: Callable[[], object], repeat: int
) -> tuple[float, float]:
    """Run the two in turns, once to warm up and `repeat` times on the clock; return the median
    seconds of each.
    """
    ours()
    reference()
    rounds = [(seconds(ours), seconds(reference)) for _ in range(repeat)]
    first, second = zip(*rounds, strict=True)
    return median(first), median(second)


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = perf_counter()
    work()
    return perf_counter() - start
