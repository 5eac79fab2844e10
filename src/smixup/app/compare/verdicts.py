"""The result of comparing methods: verdicts in words, a table, and what to train with."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, median
from typing import Any

from smixup.app.compare.evidence import LOOKS, Answer, Verdict
from smixup.app.compare.pairs import WHY, PairedRuns, score_measure
from smixup.app.compare.settings import CONTROL, VANILLA, Arm
from smixup.app.runs.config import RunConfig, train_command
from smixup.app.runs.words import counted
from smixup.models import Model

HEADER = ("method", "outcome", "mean", "diff.", "bounds", "verdict", "runs", "cost")
Row = tuple[str, ...]


def sentence(name: str, verdict: Verdict, over: str = "") -> str:
    """Say in one sentence what a measure of a method says, and how sure that is.

    Args:
        name: of the method.
        verdict: on it.
        over: words that name what it is compared with, if not Vanilla.
    """
    measure, answer = verdict.measure, verdict.answer
    mean = f"{measure.name} {measure.amount(verdict.mean)}{over}"
    after = f"after {counted(verdict.runs, 'paired run')}"
    if answer in (Answer.HELPS, Answer.HURTS):
        least = measure.bare(verdict.low if verdict.low > 0 else verdict.high)
        return f"{name} {answer}: {mean} (at least {least}), {after}."
    reach = f"between {measure.bare(verdict.low)} and {measure.bare(verdict.high)}"
    if answer is Answer.NO_LARGER:
        what = f"no difference larger than {measure.limit()}"
        return f"{name} makes {what}: {mean} ({reach}), {after}."
    known = f" ({reach} {after})" if math.isfinite(verdict.low) else f" {after}"
    more = "more runs than this rule plans"
    if verdict.more is not None:
        more = f"about {counted(verdict.more, 'more paired run')}"
    return f"cannot tell yet whether {name} helps: {mean}{known}; needs {more}."


def cells(verdict: Verdict) -> Row:
    """Return difference, bounds, verdict and runs, for a table."""
    measure, known = verdict.measure, math.isfinite(verdict.low)
    reach = f"{measure.bare(verdict.low)} to {measure.bare(verdict.high)}" if known else "-"
    within = verdict.answer is Answer.NO_LARGER
    words = f"within {measure.limit()}" if within else str(verdict.answer)
    more = f" of ~{verdict.needed}" if verdict.needed else ""
    return measure.bare(verdict.mean), reach, words, f"{verdict.runs}{more}"


def verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict, ready for JSON."""
    return {
        "outcome": verdict.measure.name,
        "verdict": str(verdict.answer),
        "difference": verdict.mean,
        "low": verdict.low,
        "high": verdict.high,
        "margin": verdict.measure.margin,
        "runs": verdict.runs,
        "more_runs_needed": verdict.more,
        "differences": verdict.differences.tolist(),
    }


@dataclass(frozen=True)
class Cost:
    """What a method costs beside Vanilla.

    Attributes:
        ratio: training time over Vanilla's, the median over pairs.
        preparation: seconds before training that Vanilla does not need, such as fitting a matcher.
    """

    ratio: float = math.nan
    preparation: float = math.nan

    def __str__(self) -> str:
        return f"{self.ratio:.1f}x + {self.preparation:.0f} s"


@dataclass(frozen=True)
class MethodResult:
    """What a comparison says of one method.

    Attributes:
        arm: the method.
        score: the verdict on its score; None without a pair.
        log_loss: that on its log loss after temperature scaling; None where there is none.
        cost: beside Vanilla's; None without a pair.
        failed: why it could not be run; empty if it could.
    """

    arm: Arm
    score: Verdict | None
    log_loss: Verdict | None
    cost: Cost | None
    failed: str

    @property
    def name(self) -> str:
        """Of the method."""
        return self.arm.name

    @property
    def answer(self) -> Answer:
        """What is said of its score."""
        return self.score.answer if self.score else Answer.CANNOT_TELL

    @property
    def helps(self) -> bool:
        """Whether its score is better."""
        return self.answer is Answer.HELPS

    @classmethod
    def of(cls, pairs: PairedRuns, arm: Arm) -> MethodResult:
        """Judge a method by the runs that there are."""
        failed = pairs.failed.get(arm.name, "")
        return cls(arm, pairs.score(arm), pairs.log_loss(arm), _cost(pairs, arm), failed)

    def sentence(self) -> str:
        """Say it in one sentence."""
        if self.failed:
            return f"{self.name} could not be run: {self.failed}"
        return sentence(self.name, self.score) if self.score else f"{self.name}: no paired run yet."

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, ready for JSON."""
        return {
            "sentence": self.sentence(),
            "score": verdict_to_dict(self.score) if self.score else None,
            "log_loss": verdict_to_dict(self.log_loss) if self.log_loss else None,
            **vars(self.cost or Cost()),
        }


def _cost(pairs: PairedRuns, arm: Arm) -> Cost | None:
    seeds, before, trained = range(pairs.pairs(arm)), list[float](), list[list[float]]()
    if not seeds:
        return None
    for runs in (pairs.done(arm), pairs.done(VANILLA)):
        times = [(runs[seed].seconds, runs[seed].result) for seed in seeds]
        known = [(whole, result.seconds) for whole, result in times if result is not None]
        before.append(median(whole - training for whole, training in known))
        trained.append([training for _, training in known])
    ratios = [ours / theirs for ours, theirs in zip(*trained, strict=True) if theirs > 0]
    return Cost(median(ratios) if ratios else math.nan, max(0.0, before[0] - before[1]))


@dataclass(frozen=True)
class Comparison:
    """The result: `str` gives the verdict and a table, `recommended` the method to train with.

    Attributes:
        pairs: all runs.
        seconds: spent in this call.
        model: the recommended model, if it was trained.
    """

    pairs: PairedRuns
    seconds: float
    model: Model | None = None

    @cached_property
    def verdicts(self) -> list[MethodResult]:
        """On the methods, in the order in which they were named."""
        return [MethodResult.of(self.pairs, arm) for arm in self.pairs.methods]

    @property
    def best(self) -> MethodResult | None:
        """The method that gains most among those that help by the score; None if none does."""
        gains = {each.name: abs(each.score.mean) for each in self.verdicts if each.score}
        helping = [each for each in self.verdicts if each.helps]
        return max(helping, key=lambda each: gains[each.name], default=None)

    @property
    def recommended(self) -> str:
        """The name of the method to train with: `vanilla` where none earns its place."""
        return self.best.name if self.best else VANILLA.name

    @property
    def final(self) -> RunConfig:
        """The run that trains the recommended model."""
        return self.pairs.settings.final(self.best.arm if self.best else VANILLA)

    @property
    def command(self) -> str:
        """The command that trains the recommended model."""
        return self.command_to("model/")

    def command_to(self, folder: Path | str) -> str:
        """Return the command that trains the recommended model and keeps it in a folder."""
        root = self.pairs.settings.root
        words = [*(["--root", str(root)] if root else []), "--out", str(folder)]
        return f"{train_command(self.final)} {shlex.join(words)}"

    @property
    def headline(self) -> str:
        """The recommendation in one sentence."""
        where = self.pairs.facts.name
        if self.best:
            return f"Train with {self.best.name}: it helps on {where}."
        open_ = [
            each.name
            for each in self.verdicts
            if each.answer is Answer.CANNOT_TELL and not each.failed
        ]
        if not open_:
            return f"Train without augmentation: none that was tried helps on {where}."
        whether = f"{' and '.join(open_)} {'helps' if len(open_) == 1 else 'help'}"
        return (
            "Train without augmentation for now: the runs so far cannot tell whether "
            f"{whether} on {where}."
        )

    def sentences(self) -> list[str]:
        """Return what is said of each method, by the score and by log loss."""
        losses = {each.name: each.log_loss for each in self.verdicts if each.log_loss}
        told = [each.sentence() for each in self.verdicts]
        told += [sentence(name, verdict) for name, verdict in losses.items()]
        return [*told, self.alignment] if self.alignment else told

    @property
    def alignment(self) -> str:
        """What S-Mixup owes to its alignment: a sentence, if its control was run, too."""
        verdict = self.pairs.alignment()
        return sentence("the alignment", verdict, f" over {CONTROL}") if verdict else ""

    @property
    def paired(self) -> int:
        """Paired runs of the method that has most."""
        return max(self.pairs.pairs(arm) for arm in self.pairs.methods)

    @property
    def rest(self) -> str:
        """On how many runs the verdicts rest, where those are fewer than there are; else nothing.

        Runs beyond a look wait for the next one: workers finish what they have begun.
        """
        verdicts = [each for one in self.verdicts for each in (one.score, one.log_loss) if each]
        looks = sorted({verdict.runs for verdict in verdicts})
        if all(look == self.paired for look in looks):
            return ""
        planned = ", ".join(map(str, LOOKS[:3]))
        return (
            f"Verdicts are given after {planned}, ... paired runs: these rest on the first "
            f"{' or '.join(map(str, looks))}."
        )

    @property
    def why(self) -> str:
        """Why it ended."""
        return WHY[self.pairs.stopped]

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, ready for JSON."""
        facts, settings = self.pairs.facts, self.pairs.settings
        return {
            "dataset": facts.name,
            "graphs": facts.graphs,
            "metric": self.pairs.metric,
            "backbone": settings.classifier,
            "recommended": self.recommended,
            "headline": self.headline,
            "command": self.command,
            "ended": self.pairs.stopped,
            "seconds": round(self.seconds, 1),
            "methods": {each.name: each.to_dict() for each in self.verdicts},
        }

    def rows(self) -> list[Row]:
        """Return a row per method and outcome under `HEADER`, Vanilla first."""
        pairs, rows = self.pairs, list(self._rows(VANILLA, ("",) * 5, ("",) * 5, self.paired))
        for each in self.verdicts:
            if each.score is None or each.cost is None:
                what = "failed" if each.failed else "not run"
                rows.append((each.name, pairs.metric, "", "", "", what, "0", ""))
                continue
            loss = cells(each.log_loss) if each.log_loss else ("",) * 4
            score = *cells(each.score), str(each.cost)
            rows += self._rows(each.arm, score, (*loss, ""), pairs.pairs(each.arm))
        if pairs.control and (done := len(pairs.done(pairs.control))):
            control = "", "", "control", str(done), ""
            rows += self._rows(pairs.control, control, ("",) * 5)
        return rows

    def _rows(self, arm: Arm, score: Row, loss: Row, number: int | None = None) -> Iterator[Row]:
        """Yield the rows of an arm: its means, and what stands behind them."""
        runs, measure = self.pairs.results(arm, number), score_measure(self.pairs.metric, [])
        mean = measure.mean(fmean(run.test for run in runs)) if runs else ""
        yield arm.name, measure.name, mean, *score
        if any(each.log_loss for each in self.verdicts):
            mean = f"{fmean(run.scaled_loss for run in runs):.3f}" if runs else ""
            yield "", "log loss", mean, *loss

    def __str__(self) -> str:
        facts, table = self.pairs.facts, [HEADER, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in table
        ]
        end = (
            f"{facts.name}: {facts.graphs} graphs, score is {self.pairs.metric}; "
            f"{counted(self.paired, 'paired run')}, {self.why}. {self.rest}"
        ).rstrip()
        told = [self.headline, *self.sentences(), "", *lines, "", end, f"Next: {self.command}"]
        return "\n".join(told)
