"""The result of comparing methods: verdicts, a table, and what to train with."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from smixup.app.evidence.decision import Answer
from smixup.app.evidence.sequential import LOOKS
from smixup.app.runs.command import train_command
from smixup.app.runs.config import RunConfig
from smixup.app.runs.run import RunResult
from smixup.app.runs.words import counted, decimal
from smixup.app.studies.compare_settings import CONTROL, VANILLA
from smixup.app.studies.compared_outcomes import POINTS
from smixup.app.studies.paired_runs import WHY, PairedRuns
from smixup.app.studies.verdicts import MethodVerdict, cells, verdict_sentence
from smixup.training.metrics import metric_named

HEADER = ("method", "outcome", "mean", "diff.", "bounds", "verdict", "runs", "cost")
LOG_LOSS = "log loss"


@dataclass(frozen=True)
class Comparison:
    """The result: `str` gives the verdict and a table, `recommended` the method to train with.

    Attributes:
        pairs: all runs.
        verdicts: of the methods, in the order in which they were named.
        seconds: spent in this call.
    """

    pairs: PairedRuns
    verdicts: Sequence[MethodVerdict]
    seconds: float

    @classmethod
    def of(cls, pairs: PairedRuns, seconds: float) -> Comparison:
        """Judge all methods."""
        return cls(pairs, [MethodVerdict.of(pairs, arm) for arm in pairs.methods], seconds)

    @property
    def best(self) -> MethodVerdict | None:
        """The method that gains most among those that help by the score; None if none does."""
        helping = [each for each in self.verdicts if each.helps and each.score]
        gain = {each.name: abs(each.score.mean) for each in helping if each.score}
        return max(helping, key=lambda each: gain[each.name], default=None)

    @property
    def recommended(self) -> str:
        """The name of the method to train with: `vanilla` where none earns its place."""
        return self.best.name if self.best else VANILLA.name

    @property
    def command(self) -> str:
        """The command that trains the recommended model."""
        return self.command_to("model/")

    def command_to(self, folder: Path | str) -> str:
        """Return the command that trains the recommended model and keeps it in a folder."""
        settings = self.pairs.settings
        root = ["--root", str(settings.root)] if settings.root else []
        return f"{train_command(self.final)} {shlex.join([*root, '--out', str(folder)])}"

    @property
    def final(self) -> RunConfig:
        """The run that trains the recommended model."""
        return self.pairs.settings.final(self.best.arm if self.best else VANILLA)

    @property
    def headline(self) -> str:
        """The recommendation in one sentence."""
        where = self.pairs.facts.name
        if self.best:
            return f"Train with {self.best.name}: it helps on {where}."
        undecided = [
            each.name
            for each in self.verdicts
            if each.answer is Answer.CANNOT_TELL and not each.failed
        ]
        if undecided:
            listed = " and ".join(undecided)
            return (
                f"Train without augmentation for now: the runs so far cannot tell whether {listed} "
                f"{'helps' if len(undecided) == 1 else 'help'} on {where}."
            )
        return f"Train without augmentation: none that was tried helps on {where}."

    def sentences(self) -> list[str]:
        """Return what is said of each method, by the score and by log loss."""
        found = [each.sentence() for each in self.verdicts]
        found += [
            verdict_sentence(each.name, each.log_loss) for each in self.verdicts if each.log_loss
        ]
        return found + ([self.alignment] if self.alignment else [])

    @property
    def alignment(self) -> str:
        """What S-Mixup owes to its alignment: a sentence, if its control was run, too."""
        judged = self.pairs.alignment()
        if judged is None:
            return ""
        return verdict_sentence("the alignment", judged, f" over {CONTROL}")

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

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row per method and outcome under `HEADER`, Vanilla first."""
        runs, number = self.pairs.runs.get(VANILLA.name, {}), self.paired
        kept = [run.result for seed, run in runs.items() if seed < number]
        found = self._reference(VANILLA.name, kept, [""] * 5)
        found += [row for verdict in self.verdicts for row in self._rows(verdict)]
        control = self.pairs.control
        done = list(self.pairs.runs.get(control.name, {}).values()) if control else []
        if control and done:
            results = [run.result for run in done]
            found += self._reference(control.name, results, ["", "", "control", str(len(done)), ""])
        return found

    def _reference(
        self, name: str, runs: Sequence[RunResult], others: Sequence[str]
    ) -> list[tuple[str, ...]]:
        """Return the rows of an arm that is no candidate itself."""
        rows: list[tuple[str, ...]] = [(name, self.pairs.metric, self._mean(runs), *others)]
        return [*rows, ("", LOG_LOSS, _mean_loss(runs), *[""] * 5)] if self._has_loss else rows

    def _rows(self, verdict: MethodVerdict) -> Iterator[tuple[str, ...]]:
        if verdict.score is None or verdict.cost is None:
            what = "failed" if verdict.failed else "not run"
            yield (verdict.name, self.pairs.metric, "", "", "", what, "0", "")
            return
        number = self.pairs.pairs(verdict.arm)
        runs = [self.pairs.runs[verdict.name][seed].result for seed in range(number)]
        name, score, loss = verdict.name, verdict.score, verdict.log_loss
        yield (name, score.outcome.name, self._mean(runs), *cells(score), str(verdict.cost))
        if loss is not None:
            yield ("", LOG_LOSS, _mean_loss(runs), *cells(loss), "")

    @property
    def _has_loss(self) -> bool:
        return any(each.log_loss for each in self.verdicts)

    def _mean(self, runs: Sequence[RunResult]) -> str:
        if not runs:
            return ""
        mean = fmean(run.test for run in runs)
        share = metric_named(self.pairs.metric).is_share
        return decimal(POINTS * mean, 1) if share else decimal(mean, 3)

    def __str__(self) -> str:
        facts = self.pairs.facts
        lines = [self.headline, *self.sentences(), ""]
        lines += aligned([HEADER, *self.rows()])
        lines += ["", f"{facts.name}: {facts.graphs} graphs, score is {self.pairs.metric}; "]
        lines[-1] += f"{counted(self.paired, 'paired run')}, {self.why}."
        lines[-1] += f" {self.rest}" if self.rest else ""
        return "\n".join([*lines, f"Next: {self.command}"])

    @property
    def paired(self) -> int:
        """Paired runs of the method that has most."""
        return max(self.pairs.pairs(arm) for arm in self.pairs.methods)

    @property
    def rest(self) -> str:
        """On how many runs the verdicts rest, where those are fewer than there are; else nothing.

        Runs beyond a look wait for the next one: workers finish what they have begun.
        """
        judged = [each for one in self.verdicts for each in (one.score, one.log_loss) if each]
        looks = sorted({each.decision.bounds.runs for each in judged})
        if all(each == self.paired for each in looks):
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


def _mean_loss(runs: Sequence[RunResult]) -> str:
    return f"{fmean(run.scaled_loss for run in runs):.3f}" if runs else ""


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines of text with their columns below each other."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
