"""An estimate in words: better, worse, no different within a margin, or undecided."""

from __future__ import annotations

from dataclasses import dataclass

from smixup.app.evidence.estimate import FEWEST, Estimate
from smixup.errors import require_number

POINT = 0.01


@dataclass(frozen=True)
class Verdict:
    """What an estimate allows to say; `str` gives the words.

    Attributes:
        direction: "better" or "worse" if the 95 % interval leaves zero out, otherwise "".
        within: whether the 90 % interval lies inside the margin.
        margin: its words.
    """

    direction: str
    within: bool
    margin: str = "1 point"

    def __str__(self) -> str:
        if self.direction:
            return self.direction + (f", by less than {self.margin}" if self.within else "")
        return f"within {self.margin}" if self.within else "undecided"


def verdict(
    estimate: Estimate,
    margin: float = POINT,
    words: str = "1 point",
    *,
    higher_is_better: bool = True,
) -> Verdict:
    """Judge a difference by two questions, each at 5 %.

    Is there one? The 95 % interval leaves zero out. Is it smaller than the margin? Two one-sided
    tests both say so, which is to say that the 90 % interval lies between -margin and margin. The
    words answer the first question first: a difference that is there and small is "better, by less
    than 1 point"; none seen and none beyond the margin is "within 1 point"; the rest is
    "undecided". Fewer than three splits or trainings, which may agree by chance, decide nothing.

    Args:
        estimate: the first method's score less the second's.
        margin: in the units of the estimate; 0.01 is a point of accuracy.
        words: for the margin.
        higher_is_better: False for a loss.
    """
    require_number("margin", margin, above=0)
    if estimate.number < FEWEST:
        return Verdict("", False, words)
    direction = ""
    if estimate.decided:
        direction = "better" if (estimate.low > 0) == higher_is_better else "worse"
    within = -margin < estimate.narrow_low and estimate.narrow_high < margin
    return Verdict(direction, within, words)
