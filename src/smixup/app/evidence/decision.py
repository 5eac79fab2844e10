"""Does a method help? The answer in words, from looks at paired runs as they come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from smixup.app.evidence.estimate import FEWEST, Estimate
from smixup.app.evidence.sequential import LOOKS, Bounds, bounds, half_width
from smixup.errors import require_number

LookAt = Callable[[int], Estimate]
"""Returns the estimate of the first so many paired runs."""


class Answer(StrEnum):
    """What bounds allow to say."""

    HELPS = "helps"
    HURTS = "hurts"
    NO_LARGER = "no difference larger than"
    CANNOT_TELL = "cannot tell yet"


@dataclass(frozen=True)
class Decision:
    """An answer, and what it rests on.

    Attributes:
        answer: the word.
        bounds: of the look that gave the answer, or of the last one.
        margin: a difference that would matter, in the units of the estimate.
        runs: paired runs that there were.
        needed: paired runs in all after which an answer is likely, if differences stay as they are;
            None if there is one, or if none of the planned looks would be enough.
    """

    answer: Answer
    bounds: Bounds
    margin: float
    runs: int
    needed: int | None = None

    @property
    def decided(self) -> bool:
        """Whether there is an answer; it stays, whatever further runs bring."""
        return self.answer is not Answer.CANNOT_TELL

    @property
    def more(self) -> int | None:
        """How many runs are missing, about; see `needed`."""
        return None if self.needed is None else self.needed - self.runs


def decide(
    look_at: LookAt,
    runs: int,
    margin: float,
    methods: int = 1,
    *,
    higher_is_better: bool = True,
) -> Decision:
    """Go through the looks that so many runs allow; the first answer counts.

    *Helps*: the bounds leave zero out on the better side. *Hurts*: on the other. *No difference
    larger than d*: they lie within the margin on both sides. Each of these is wrong in 5 % of all
    courses at most, over all looks and methods; see `sequential`.

    ```python
    decide(lambda runs: paired_look(differences[:runs], range(runs)), runs=30, margin=0.02)
    ```

    Args:
        look_at: the method's outcome less that of the reference.
        runs: paired runs that there are, one at least.
        margin: d, above zero.
        methods: how many are compared with the reference.
        higher_is_better: False for a loss.
    """
    require_number("margin", margin, above=0)
    require_number("runs", runs, at_least=1, whole=True)
    last = None
    for look in (each for each in LOOKS if each <= runs):
        last = bounds(look_at(look), look, methods)
        answer = _answer(last, margin, higher_is_better)
        if answer is not Answer.CANNOT_TELL:
            return Decision(answer, last, margin, runs)
    found = last or bounds(look_at(runs), runs, methods)
    needed = _needed(look_at(runs), runs, margin, methods)
    return Decision(Answer.CANNOT_TELL, found, margin, runs, needed)


def _answer(found: Bounds, margin: float, higher_is_better: bool) -> Answer:
    if found.low > 0 or found.high < 0:
        return Answer.HELPS if (found.low > 0) == higher_is_better else Answer.HURTS
    if -margin < found.low and found.high < margin:
        return Answer.NO_LARGER
    return Answer.CANNOT_TELL


def _needed(estimate: Estimate, runs: int, margin: float, methods: int) -> int | None:
    """Return the first look at which bounds around the same mean would leave zero or the margin
    out.
    """
    later = [look for look in LOOKS if look > runs]
    if estimate.number < FEWEST:  # nothing is known of the error
        return later[0] if later else None
    room = max(abs(estimate.mean), margin - abs(estimate.mean))
    enough = (each for each in later if half_width(estimate.se, runs, each, methods) < room)
    return next(enough, None)
