"""Two benchmarks of two days side by side: `smixup bench --json` of one version, and of another.

Seconds of two days are those of two machines, or of one machine with other work to do. So what is
compared is the ratio to the reference, which both days timed in turns with ours. A change counts
only if the ratios of single rounds keep apart: the lower quartile of one day above the upper
quartile of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from smixup.app.bench.timing import Comparison

FASTER, SLOWER, SAME, UNKNOWN = "better", "worse", "within noise", "noise unknown"
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Change:
    """A row of both benchmarks.

    Attributes:
        then: the earlier comparison.
        now: the later one.
    """

    then: Comparison
    now: Comparison

    @property
    def factor(self) -> float | None:
        """How many times the earlier ratio the later one is; None without a reference."""
        if self.then.ratio is None or self.now.ratio is None:
            return None
        return self.now.ratio / self.then.ratio

    @property
    def verdict(self) -> str:
        """What can be said of it."""
        if self.factor is None:
            return ""
        if self.then.quartiles is None or self.now.quartiles is None:
            return UNKNOWN
        if self.now.quartiles[0] > self.then.quartiles[1]:
            return FASTER
        return SLOWER if self.now.quartiles[1] < self.then.quartiles[0] else SAME

    def to_json(self) -> dict[str, Any]:
        """Return both comparisons, the factor and the verdict."""
        return {
            "then": self.then.to_json(),
            "now": self.now.to_json(),
            "factor": self.factor,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class History:
    """What two benchmarks have in common.

    Attributes:
        changes: rows of both, in the order of the later one.
        gone: rows that only the earlier one has.
        new: rows that only the later one has.
    """

    changes: Sequence[Change]
    gone: Sequence[Comparison]
    new: Sequence[Comparison]

    @classmethod
    def of(cls, then: Iterable[Comparison], now: Iterable[Comparison]) -> History:
        """Find the rows of the earlier benchmark among those of the later."""
        before, after = _by_key(then), _by_key(now)
        return cls(
            [Change(before[key], each) for key, each in after.items() if key in before],
            [each for key, each in before.items() if key not in after],
            [each for key, each in after.items() if key not in before],
        )


def _by_key(comparisons: Iterable[Comparison]) -> dict[Key, Comparison]:
    return {(each.benchmark, each.dataset, each.case, each.unit): each for each in comparisons}
