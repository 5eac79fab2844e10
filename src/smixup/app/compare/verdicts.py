"""The result of comparing methods: verdicts in words, a table, and what to train with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median
from typing import Any

from smixup.app.compare.evidence import LOOKS, Answer, Verdict
from smixup.app.compare.pairs import DECIDED, ENOUGH, OUT_OF_TIME, PairedRuns, score_measure
from smixup.app.compare.settings import CONTROL, VANILLA, Arm
from smixup.app.runs.config import RunConfig, train_command
from smixup.app.words import counted
from smixup.models import Model

HEADER = ("method", "outcome", "mean", "diff.", "bounds", "verdict", "runs", "cost")
MEANING = "runs: looked at, of how many would decide; cost: training time + preparation"
WHY = {
    DECIDED: "every method is decided",
    ENOUGH: "all paired runs that were asked for are done",
    OUT_OF_TIME: "the next runs would not fit into the budget",
}
NO_CELLS = ("",) * 5
Row = tuple[str, ...]


def sentence(name: str, verdict: Verdict, over: str = "") -> str:
    """Say a verdict in one sentence; `over` names what is compared with, if it is not Vanilla."""
    measure, answer = verdict.measure, verdict.answer
    mean = f"{measure.name} {measure.amount(verdict.mean)}{over}"
    after = f"after {counted(verdict.runs, 'paired run')}"
    if answer in (Answer.HELPS, Answer.HURTS):
        least = measure.bare(verdict.low if verdict.low > 0 else verdict.high)
        return f"{name} {answer}: {mean} (at least {least}), {after}."
    reach = f"between {measure.bare(verdict.low)} and {measure.bare(verdict.high)}"
    if answer is Answer.NO_LARGER:
        return f"{name} makes {answer} {measure.limit()}: {mean} ({reach}), {after}."
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


@dataclass(frozen=True)
class MethodResult:
    """What a comparison says of one method, what it costs beside Vanilla, or why it failed."""

    arm: Arm
    score: Verdict | None
    log_loss: Verdict | None
    ratio: float
    preparation: float
    failed: str

    @property
    def name(self) -> str:
        return self.arm.name

    @property
    def answer(self) -> Answer:
        return self.score.answer if self.score else Answer.CANNOT_TELL

    def sentence(self) -> str:
        if self.failed:
            return f"{self.name} could not be run: {self.failed}"
        return sentence(self.name, self.score) if self.score else f"{self.name}: no paired run yet."

    def to_dict(self) -> dict[str, Any]:
        verdicts = {"score": self.score, "log_loss": self.log_loss}
        told = {name: verdict and verdict.to_dict() for name, verdict in verdicts.items()}
        cost = {"ratio": self.ratio, "preparation": self.preparation}
        return {"sentence": self.sentence(), **told, **cost}


@dataclass(frozen=True)
class Comparison:
    """All runs, the seconds spent in this call, and the recommended model if it was trained: `str`
    gives the verdict and a table, `recommended` the method to train with.
    """

    pairs: PairedRuns
    seconds: float
    model: Model | None = None

    @cached_property
    def verdicts(self) -> list[MethodResult]:
        pairs, results = self.pairs, []
        for arm in pairs.methods:
            verdicts, why = (pairs.verdict(arm), pairs.verdict(arm, loss=True)), pairs.failed
            results.append(MethodResult(arm, *verdicts, *_cost(pairs, arm), why.get(arm.name, "")))
        return results

    @property
    def best(self) -> Arm:
        """The method that gains most among those that help by the score; Vanilla if none does."""
        helping = [each for each in self.verdicts if each.answer is Answer.HELPS]
        gains = [(each.arm, abs(each.score.mean)) for each in helping if each.score]
        return max(gains, key=lambda each: each[1], default=(VANILLA, 0.0))[0]

    @property
    def recommended(self) -> str:
        """The name of the method to train with: `vanilla` where none earns its place."""
        return self.best.name

    @property
    def final(self) -> RunConfig:
        return self.pairs.settings.final(self.best)

    @property
    def command(self) -> str:
        """The command that trains the recommended model."""
        return train_command(self.final, root=self.pairs.settings.root, out="model/")

    @property
    def headline(self) -> str:
        where = self.pairs.facts.name
        if self.best is not VANILLA:
            return f"Train with {self.recommended}: it helps on {where}."
        undecided = [each for each in self.verdicts if each.answer is Answer.CANNOT_TELL]
        names = [each.name for each in undecided if not each.failed]
        if not names:
            return f"Train without augmentation: none that was tried helps on {where}."
        return (
            "Train without augmentation for now: the runs so far cannot tell whether "
            f"{' and '.join(names)} {'helps' if len(names) == 1 else 'help'} on {where}."
        )

    def sentences(self) -> list[str]:
        """Return what is said of each method, by the score and by log loss."""
        told = [each.sentence() for each in self.verdicts]
        told += [sentence(each.name, each.log_loss) for each in self.verdicts if each.log_loss]
        return [*told, *filter(None, [self.alignment])]

    @property
    def alignment(self) -> str:
        """What S-Mixup owes to its alignment: a sentence, if its control was run, too."""
        verdict = self.pairs.alignment()
        return sentence("the alignment", verdict, f" over {CONTROL}") if verdict else ""

    @property
    def paired(self) -> int:
        return max(self.pairs.pairs(arm) for arm in self.pairs.methods)

    @property
    def rest(self) -> str:
        """On how many runs the verdicts rest, where workers have finished more; else nothing."""
        verdicts = [each for one in self.verdicts for each in (one.score, one.log_loss) if each]
        looks = sorted({verdict.runs for verdict in verdicts})
        if looks in ([], [self.paired]):
            return ""
        planned, first = ", ".join(map(str, LOOKS[:3])), " or ".join(map(str, looks))
        return (
            f"Verdicts are given after {planned}, ... paired runs: these rest on the first {first}."
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "dataset": self.pairs.facts.name,
            "graphs": self.pairs.facts.graphs,
            "metric": self.pairs.metric,
            "backbone": self.pairs.settings.classifier,
            "recommended": self.recommended,
            "headline": self.headline,
            "command": self.command,
            "ended": self.pairs.stopped,
            "seconds": round(self.seconds, 1),
            "methods": {each.name: each.to_dict() for each in self.verdicts},
        }

    def rows(self) -> list[Row]:
        """Return a row per method and outcome under `HEADER`, Vanilla first."""
        pairs, rows = self.pairs, self._rows(VANILLA, self.paired)
        for each in self.verdicts:
            if each.score is None:
                what = "failed" if each.failed else "not run"
                rows.append((each.name, pairs.metric, "", "", "", what, "0", ""))
                continue
            score = *cells(each.score), f"{each.ratio:.1f}x + {each.preparation:.0f} s"
            loss = (*cells(each.log_loss), "") if each.log_loss else NO_CELLS
            rows += self._rows(each.arm, pairs.pairs(each.arm), score, loss)
        if pairs.control and (done := len(pairs.done(pairs.control))):
            rows += self._rows(pairs.control, None, ("", "", "control", str(done), ""))
        return rows

    def _rows(
        self, arm: Arm, number: int | None, score: Row = NO_CELLS, loss: Row = NO_CELLS
    ) -> list[Row]:
        """Return the rows of an arm: its means over so many runs, and what stands behind them."""
        runs, measure = self.pairs.results(arm, number), score_measure(self.pairs.metric, [])
        mean = measure.mean(fmean(run.test for run in runs)) if runs else ""
        rows: list[Row] = [(arm.name, measure.name, mean, *score)]
        if any(each.log_loss for each in self.verdicts):
            mean = f"{fmean(run.scaled_loss for run in runs):.3f}" if runs else ""
            rows.append(("", "log loss", mean, *loss))
        return rows

    def __str__(self) -> str:
        facts, table = self.pairs.facts, [HEADER, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        form = "  ".join(f"{{:<{width}}}" for width in widths)
        lines = [form.format(*row).rstrip() for row in table]
        end = (
            f"{facts.name}: {facts.graphs} graphs, score is {self.pairs.metric}; "
            f"{counted(self.paired, 'paired run')}, {WHY[self.pairs.stopped]}. {self.rest}"
        ).rstrip()
        told = [self.headline, *self.sentences(), "", *lines, MEANING, "", end]
        told += [] if self.model else [f"Next: {self.command}"]
        return "\n".join(told)


def _cost(pairs: PairedRuns, arm: Arm) -> tuple[float, float]:
    """Return the median ratio of training times, and the seconds of preparation."""
    number, before = pairs.pairs(arm), list[float]()
    if not number:
        return math.nan, math.nan
    both = [pairs.results(each, number) for each in (arm, VANILLA)]
    for each, results in zip((arm, VANILLA), both, strict=True):
        runs = pairs.done(each)
        before.append(median(runs[seed].seconds - run.seconds for seed, run in enumerate(results)))
    ratios = [a.seconds / b.seconds for a, b in zip(*both, strict=True) if b.seconds > 0]
    return median(ratios) if ratios else math.nan, max(0.0, before[0] - before[1])
