"""What a comparison says of one method: by its score, by log loss, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from smixup.app.evidence.decision import Answer
from smixup.app.runs.words import counted
from smixup.app.studies.compare_settings import VANILLA
from smixup.app.studies.compared_outcomes import Judged
from smixup.app.studies.paired_runs import KeptRun, PairedRuns
from smixup.app.tables.arm import Arm


@dataclass(frozen=True)
class Cost:
    """What a method costs beside Vanilla.

    Attributes:
        ratio: training time over Vanilla's, the median over pairs.
        preparation: seconds before training that Vanilla does not need, such as fitting a matcher.
    """

    ratio: float
    preparation: float

    @classmethod
    def of(cls, method: Sequence[KeptRun], vanilla: Sequence[KeptRun]) -> Cost:
        """Compare paired runs."""
        ratios = [
            ours.result.seconds / theirs.result.seconds
            for ours, theirs in zip(method, vanilla, strict=True)
            if theirs.result.seconds > 0
        ]
        before = [
            median(run.seconds - run.result.seconds for run in side) for side in (method, vanilla)
        ]
        return cls(median(ratios) if ratios else math.nan, max(0.0, before[0] - before[1]))

    def __str__(self) -> str:
        return f"{self.ratio:.1f}x + {self.preparation:.0f} s"


@dataclass(frozen=True)
class MethodVerdict:
    """What a comparison says of one method.

    Attributes:
        arm: the method.
        score: its score less Vanilla's; None without a pair.
        log_loss: its log loss less Vanilla's, both after temperature scaling; None where there is
            none.
        cost: beside Vanilla's; None without a pair.
        failed: why it could not be run; empty if it could.
    """

    arm: Arm
    score: Judged | None
    log_loss: Judged | None
    cost: Cost | None
    failed: str = ""

    @property
    def name(self) -> str:
        """Of the method."""
        return self.arm.name

    @property
    def answer(self) -> Answer:
        """What is said of its score."""
        return self.score.decision.answer if self.score else Answer.CANNOT_TELL

    @property
    def helps(self) -> bool:
        """Whether its score is better."""
        return self.answer is Answer.HELPS

    @classmethod
    def of(cls, pairs: PairedRuns, arm: Arm) -> MethodVerdict:
        """Judge a method by the runs that there are."""
        number, failed = pairs.pairs(arm), pairs.failed.get(arm.name, "")
        if not number:
            return cls(arm, None, None, None, failed)
        ours, theirs = (
            [pairs.runs[name][seed] for seed in range(number)] for name in (arm.name, VANILLA.name)
        )
        judged = pairs.score(arm), pairs.log_loss(arm)
        return cls(arm, *judged, Cost.of(ours, theirs), failed)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, ready for JSON."""
        parts = {"score": self.score, "log_loss": self.log_loss}
        cost = vars(self.cost) if self.cost else {"ratio": math.nan, "preparation": math.nan}
        judged = {name: _told(each) if each else None for name, each in parts.items()}
        return {"sentence": self.sentence(), **judged, **cost}

    def sentence(self) -> str:
        """Say it in one sentence."""
        if self.failed:
            return f"{self.name} could not be run: {self.failed}"
        if self.score is None:
            return f"{self.name}: no paired run yet."
        return verdict_sentence(self.name, self.score)


def _told(judged: Judged) -> dict[str, Any]:
    decision = judged.decision
    bounds = decision.bounds
    return {
        "outcome": judged.outcome.name,
        "verdict": str(decision.answer),
        "difference": judged.mean,
        "low": bounds.low,
        "high": bounds.high,
        "margin": decision.margin,
        "runs": bounds.runs,
        "more_runs_needed": decision.more,
        "differences": judged.differences.tolist(),
    }


def verdict_sentence(name: str, judged: Judged, over: str = "") -> str:
    """Say in one sentence what an outcome of a method says, and how sure that is.

    Args:
        name: of the method.
        judged: the outcome.
        over: words that name what it is compared with, if not Vanilla.
    """
    outcome, decision = judged.outcome, judged.decision
    bounds, mean = decision.bounds, outcome.amount(judged.mean) + over
    after = f"after {counted(bounds.runs, 'paired run')}"
    if decision.answer in (Answer.HELPS, Answer.HURTS):
        least = outcome.bare(bounds.low if bounds.low > 0 else bounds.high)
        return f"{name} {decision.answer}: {outcome.name} {mean} (at least {least}), {after}."
    reach = f"between {outcome.bare(bounds.low)} and {outcome.bare(bounds.high)}"
    if decision.answer is Answer.NO_LARGER:
        what = f"no difference larger than {outcome.limit()}"
        return f"{name} makes {what}: {outcome.name} {mean} ({reach}), {after}."
    known = f" ({reach} {after})" if math.isfinite(bounds.low) else f" {after}"
    missing = decision.more
    more = "more runs than this rule plans"
    if missing is not None:
        more = f"about {counted(missing, 'more paired run')}"
    return f"cannot tell yet whether {name} helps: {outcome.name} {mean}{known}; needs {more}."


def cells(judged: Judged) -> tuple[str, str, str, str]:
    """Return difference, bounds, verdict and runs, for a table."""
    outcome, decision, bounds = judged.outcome, judged.decision, judged.decision.bounds
    known = math.isfinite(bounds.low)
    reach = f"{outcome.bare(bounds.low)} to {outcome.bare(bounds.high)}" if known else "-"
    words = str(decision.answer)
    if decision.answer is Answer.NO_LARGER:
        words = f"within {outcome.limit()}"
    more = f" of ~{decision.needed}" if decision.needed else ""
    return outcome.bare(judged.mean), reach, words, f"{bounds.runs}{more}"
