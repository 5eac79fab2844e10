"""Does an augmentation help here? Paired runs on one dataset, and a verdict in words."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from smixup.datasets.location import data_root
from smixup.lab.evidence.decision import Answer
from smixup.lab.runs.command import train_command
from smixup.lab.runs.run import RunResult
from smixup.lab.runs.words import counted
from smixup.lab.studies.compare_settings import (
    CONTROL,
    DEFAULT,
    FOLDS,
    SEEDS,
    SMIXUP,
    VANILLA,
    CompareSettings,
    seconds_of,
)
from smixup.lab.studies.compared_outcomes import POINTS, Judged, is_share
from smixup.lab.studies.in_memory import as_dataset
from smixup.lab.studies.paired_runs import WHY, KeptRun, PairedRuns, Watch, run_pairs
from smixup.lab.sweeps.engine import Engine
from smixup.lab.sweeps.in_process import InProcess
from smixup.lab.sweeps.local import LocalEngine
from smixup.lab.sweeps.store import Store
from smixup.lab.tables.arm import Arm

if TYPE_CHECKING:
    from smixup.datasets import Dataset
    from smixup.graphs import PackedGraphs
    from smixup.graphs.graphs import AnyGraphs

STORE = "compare.db"
HEADER = ("method", "outcome", "mean", "diff.", "bounds", "verdict", "runs", "cost")
LOG_LOSS = "log loss"


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
    more = (
        "more runs than this rule plans" if missing is None else f"about {missing} more paired runs"
    )
    return f"cannot tell yet whether {name} helps: {outcome.name} {mean}{known}; needs {more}."


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
        settings = self.pairs.settings
        line = train_command(settings.final(self.best.arm if self.best else VANILLA))
        root = f" --root {settings.root}" if settings.root else ""
        return f"{line}{root} --out model/"

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
        arms = {each.name: each.arm for each in self.verdicts if each.score}
        if not {SMIXUP, CONTROL} <= arms.keys():
            return ""
        judged = self.pairs.against(arms[SMIXUP], arms[CONTROL])
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
            "backbone": settings.backbone,
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
        found = [(VANILLA.name, self.pairs.metric, self._mean(kept), *[""] * 5)]
        if self._has_loss:
            found.append(("", LOG_LOSS, _mean_loss(kept), *[""] * 5))
        return found + [row for verdict in self.verdicts for row in self._rows(verdict)]

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
        return f"{POINTS * mean:.1f}" if is_share(self.pairs.metric) else f"{mean:.3f}"

    def __str__(self) -> str:
        facts = self.pairs.facts
        lines = [self.headline, *self.sentences(), ""]
        lines += aligned([HEADER, *self.rows()])
        lines += ["", f"{facts.name}: {facts.graphs} graphs, score is {self.pairs.metric}; "]
        lines[-1] += f"{counted(self.paired, 'paired run')}, {self.why}."
        return "\n".join([*lines, f"Next: {self.command}"])

    @property
    def paired(self) -> int:
        """Paired runs of the method that has most."""
        return max(self.pairs.pairs(arm) for arm in self.pairs.methods)

    @property
    def why(self) -> str:
        """Why it ended."""
        return WHY[self.pairs.stopped]


def cells(judged: Judged) -> tuple[str, str, str, str]:
    """Return difference, bounds, verdict and runs, for a table."""
    outcome, decision, bounds = judged.outcome, judged.decision, judged.decision.bounds
    known = math.isfinite(bounds.low)
    reach = f"{outcome.bare(bounds.low)} to {outcome.bare(bounds.high)}" if known else "-"
    words = str(decision.answer)
    if decision.answer is Answer.NO_LARGER:
        words = f"within {outcome.limit()}"
    more = f" of {decision.needed}?" if decision.needed else ""
    return outcome.bare(judged.mean), reach, words, f"{bounds.runs}{more}"


def _mean_loss(runs: Sequence[RunResult]) -> str:
    return f"{fmean(run.scaled_loss for run in runs):.3f}" if runs else ""


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines of text with their columns below each other."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def compare_dataset(
    settings: CompareSettings,
    store: Path,
    workers: int = 1,
    watch: Watch = lambda pairs: None,
    engine: Engine | None = None,
) -> Comparison:
    """Compare methods on a dataset, see `run_pairs`.

    Args:
        settings: what to compare.
        store: file of finished runs.
        workers: processes; one is this process itself.
        watch: told of every change.
        engine: does the runs, if not so many local processes.
    """
    begun = time.monotonic()
    chosen = engine or (LocalEngine(workers) if workers > 1 else InProcess())
    pairs = run_pairs(settings, Store(store), chosen, workers, watch)
    return Comparison.of(pairs, time.monotonic() - begun)


def compare(
    graphs: str | Path | AnyGraphs | PackedGraphs | Dataset,
    methods: Sequence[str] = DEFAULT,
    *,
    backbone: str = "gin",
    seeds: int = SEEDS,
    budget: str | float | None = None,
    split: str = "fold",
    num_folds: int = FOLDS,
    margin: float | None = None,
    workers: int = 1,
    store: str | Path | None = None,
    root: str | Path | None = None,
    dataset_options: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Comparison:
    """Find out whether an augmentation helps on these graphs.

    Vanilla and each method are trained on the same folds from the same initial weights, pair by
    pair, until the verdict is clear or the budget is spent: *helps*, *hurts*, *no difference larger
    than d*, or *cannot tell yet*. Finished runs are kept; the same call goes on from there.

    ```python
    found = smixup.compare(graphs, ["s-mixup", "drop-edge"], budget="30m")
    print(found)                    # verdict and table
    found.recommended               # "vanilla" if no method earns its place
    ```

    Args:
        graphs: a list of PyG `Data` or a PyG dataset, `Graphs`, packed graphs, what `load_dataset`
            returned, or the name or path of a dataset.
        methods: names as `smixup train --method` takes them; `random-alignment` is S-Mixup along
            matches drawn at random.
        backbone: `gin` or `gcn`.
        seeds: paired runs at most; looks are after 10, 15, 20, 25 and 30, then 40, 60, ...
        budget: seconds at most, or a text such as "30m".
        split: `fold`, or another kind of split.
        num_folds: of repeated stratified folds.
        margin: a difference of the score that matters: 0.02 for two points.
        workers: processes; more than one need a script's main part behind
            `if __name__ == "__main__":`.
        store: file of finished runs; by default one in the data root.
        root: the data root.
        dataset_options: parameters of a dataset by name.
        changes: other fields of a run, such as `epochs=100`.
    """
    place = Path(root) if root is not None else None
    folder = data_root(place) / "compare"
    settings = CompareSettings(
        dataset=as_dataset(graphs, folder),
        methods=tuple(methods),
        backbone=backbone,
        seeds=seeds,
        budget=seconds_of(budget) if isinstance(budget, str) else budget,
        split=split,
        num_folds=num_folds,
        margin=margin,
        changes=changes,
        dataset_options=dict(dataset_options or {}),
        root=place,
    )
    file = Path(store) if store is not None else folder / STORE
    return compare_dataset(settings, file, workers)
