"""An independent study says that no graph mixup helps: what do its folds say here?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.comparisons import compare_all, difference_table
from smixup.app.pages.results.words import interval, listed, markdown_table, power
from smixup.app.runs.words import counted, signed, signed_interval
from smixup.app.tables.definitions.icml2026 import (
    AS_IN_THE_STUDY,
    EXPERIMENT,
    FOLDS,
    RANDOM_ONE_TO_ONE,
    ROUNDS,
    SMIXUP,
    SUBMIX,
    VANILLA,
)
from smixup.app.tables.judged import Comparison, Judgement
from smixup.app.tables.published_2026 import DATASETS, DIFFERENCES
from smixup.app.tables.result import ResultTable

OURS = (
    (SMIXUP.name, VANILLA.name),
    (RANDOM_ONE_TO_ONE.name, VANILLA.name),
    (SUBMIX.name, VANILLA.name),
)
STEPS = tuple((arm.name, VANILLA.name) for arm in EXPERIMENT.arms[1:])
LADDER = [
    AS_IN_THE_STUDY.name,
    *(arm.name for arm in EXPERIMENT.arms if arm.name.startswith("+ ")),
]
"""The steps in their order; each differs from the one before in what its name says."""


def differences(committed: CommittedRecords) -> str:
    """Differences to Vanilla on the study's folds, of the arms that matter most."""
    table = committed.table(EXPERIMENT.name)
    shown = compare_all(committed, table, ((AS_IN_THE_STUDY.name, VANILLA.name), *OURS), "accuracy")
    return "\n\n".join(difference_table(table, shown, each) for each in table.backbones)


def theirs(committed: CommittedRecords) -> str:
    """What the study published: its accuracies and, paired by fold, its differences."""
    table = committed.table(EXPERIMENT.name)
    head = [
        "",
        "Vanilla, ours",
        "Vanilla, study",
        "S-Mixup, study, less its Vanilla",
        "SubMix, study",
    ]
    return markdown_table(head, _published(table))


def _published(table: ResultTable) -> Iterator[list[str]]:
    for backbone in table.backbones:
        for dataset in table.columns(backbone):
            cell = table.cell(backbone, VANILLA.name, dataset)
            own = cell.summary("accuracy")
            study = [DIFFERENCES[backbone, method, dataset] for method in ("S-Mixup", "SubMix")]
            texts = [
                f"{signed(each.mean, 1)} {signed_interval(each.low, each.high, 1)}"
                for each in study
            ]
            yield [
                f"{dataset}, {backbone.upper()}",
                f"{own.mean:.1f}" if own else "",
                f"{cell.published.mean:.1f}" if cell.published else "",
                *texts,
            ]


def rungs(committed: CommittedRecords) -> str:
    """Each step from the study's S-Mixup to ours, pooled over the datasets that have it: less
    Vanilla, and less the step before.
    """
    table = committed.table(EXPERIMENT.name)
    before = dict(zip(LADDER[1:], LADDER, strict=False))
    rows, shown = [], []
    for each in compare_all(committed, table, STEPS, "accuracy"):
        pooled = each.pooled(DATASETS)
        if pooled is not None:
            shown.append(each)
            names = each.by_column(DATASETS)
            step = _step(committed, table, each.row, before.get(each.row))
            numbers = (interval(pooled.estimate), power(pooled.estimate), step)
            rows.append([each.row, ", ".join(names), *numbers])
    head = ["", "datasets", "less Vanilla, points", "would show, 4 of 5 times"]
    if any(row[-1] for row in rows):
        head.append("less the step before")
    lines = [row[: len(head)] for row in rows]
    return "\n\n".join([markdown_table(head, lines), *_not_alike(shown)])


def _datasets(comparison: Comparison) -> list[str]:
    """Return the datasets that a row was run on."""
    return [name for name in DATASETS if any(cell.column == name for cell in comparison.cells)]


def _not_alike(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Tell on how many rounds the rows rest, and which folds they lack."""
    rounds = Counter(_rounds(cell) for each in comparisons for cell in each.cells)
    if not rounds:
        return
    parts = [
        f"{number} of {ROUNDS} in {counted(cells, 'cell')}"
        for number, cells in sorted(rounds.items())
        if number
    ]
    yield f"The study tests its {FOLDS} folds in {ROUNDS} rounds. Rounds run here: {listed(parts)}."
    lacking = [f"*{each.row}* {listed(gaps)}" for each in comparisons if (gaps := _gaps(each))]
    if lacking:
        yield f"Folds tested in none of the rounds: {'; '.join(lacking)}."


def _rounds(cell: Judgement) -> int:
    """Count how often every fold of a cell was tested, 0 where one never was."""
    tested = Counter(seed % FOLDS for seed in cell.paired.seeds)
    return min(tested[fold] for fold in range(FOLDS))


def _gaps(comparison: Comparison) -> list[str]:
    """Name the cells, on datasets that the row has, with folds that were never tested."""
    gaps = []
    for dataset in _datasets(comparison):
        for backbone in EXPERIMENT.backbones:
            cell = comparison.by_place.get((backbone, dataset))
            folds = {seed % FOLDS for seed in cell.paired.seeds} if cell else set()
            if missing := FOLDS - len(folds):
                gaps.append(f"{missing} of {FOLDS} on {dataset} with {backbone.upper()}")
    return gaps


def _step(committed: CommittedRecords, table: ResultTable, row: str, before: str | None) -> str:
    """Write what one step adds to the step before it, where both were run."""
    if before is None:
        return ""
    pooled = committed.compare(table, row, before).pooled(DATASETS)
    return interval(pooled.estimate) if pooled else ""
