"""How estimates are written, and a table of ours beside the published one."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev

from experiments import judge
from experiments.judge import Estimate, Runs
from experiments.records import Record
from experiments.tables import TABLES
from smixup.app.words import signed

FIRST = "Vanilla"
PUBLISHED = Path(__file__).parent / "published"
Arms = dict[str, dict[str, dict[int, Record]]]
"""Runs of a cell by arm, setting and seed."""


def interval(estimate: Estimate, digits: int = 2) -> str:
    """Write a difference with its interval, bold where that leaves zero out; alone if it rests on
    fewer than three splits.
    """
    mean = signed(estimate.mean, digits)
    if estimate.number < judge.FEWEST:
        return mean
    text = f"{mean} [{signed(estimate.low, digits)}, {signed(estimate.high, digits)}]"
    return f"**{text}**" if estimate.decided else text


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def published(file: str, *place: str) -> dict[tuple[str, ...], dict[str, str]]:
    """Read published values, by the columns that name their place."""
    with (PUBLISHED / file).open(encoding="utf-8", newline="") as lines:
        return {tuple(row[name] for name in place): row for row in csv.DictReader(lines)}


def cells_of(records: Iterable[Record], experiment: str) -> dict[tuple[str, str], Arms]:
    """Return the runs of an experiment by column and backbone, in the order of its table."""
    table, found = TABLES[experiment], dict[tuple[str, str], Arms]()
    for run in records:
        if run.experiment == experiment:
            settings = found.setdefault((run.column, run.backbone), {}).setdefault(run.arm, {})
            settings.setdefault(run.setting, {})[run.seed] = run
    order = [(column, backbone) for column in table.columns for backbone in table.backbones]
    return {
        place: {arm: found[place][arm] for arm in table.arms if arm in found[place]}
        for place in order
        if place in found
    }


def difference(ours: Runs, theirs: Runs) -> Estimate | None:
    """Compare two arms graph by graph where predictions are kept, else run by run."""
    paired = judge.compare("", "", ours, theirs)
    if paired is not None and next(iter(ours.values())).metric == "accuracy":
        return paired.estimate
    seeds = sorted(ours.keys() & theirs.keys())
    gaps = [ours[seed].score("test") - theirs[seed].score("test") for seed in seeds]
    overlap = 1 / 8 if all(run.random_split for run in ours.values()) else 0.0
    return judge.by_runs(gaps, overlap) if gaps else None


def rows_of(
    experiment: str, column: str, backbone: str, arms: Mapping[str, Runs]
) -> Iterator[list[str]]:
    """Yield a row for every arm: runs, score, difference to Vanilla, the published score and
    difference.
    """
    theirs = published("icml2023.csv", "experiment", "column", "backbone", "arm")
    base = theirs.get((experiment, column, backbone, FIRST))
    for arm, runs in arms.items():
        scores = [run.score("test") for run in runs.values()]
        spread = f" ± {stdev(scores):.2f}" if len(scores) > 1 else ""
        row = [arm, str(len(scores)), f"{fmean(scores):.2f}{spread}", "", "", ""]
        if arm != FIRST and (found := difference(runs, arms.get(FIRST, {}))):
            row[3] = interval(found)
        if said := theirs.get((experiment, column, backbone, arm)):
            row[4] = said["mean"]
            if base and arm != FIRST:
                row[5] = signed(float(said["mean"]) - float(base["mean"]), 2)
        yield row


def tables(records: Iterable[Record], experiment: str, search: bool = False) -> Iterator[str]:
    """Yield the tables of an experiment, one for each column and backbone that has runs: of the
    defaults, or of the arms whose settings were searched, each at those that validation chooses.
    """
    head = ["", "n", "test score", f"less {FIRST}", "published", f"less its {FIRST}"]
    for (column, backbone), arms in cells_of(records, experiment).items():
        shown = {arm: runs["{}"] for arm, runs in arms.items() if "{}" in runs}
        if search:
            several = {arm for arm, runs in arms.items() if len(runs) > 1}
            shown = {arm: judge.chosen(arms[arm]) for arm in arms if arm in {FIRST, *several}}
            shown = shown if several else {}
        if shown:
            yield f"{experiment}, {column}, {backbone.upper()}"
            yield markdown(head, rows_of(experiment, column, backbone, shown))
