"""An independent study says that no graph mixup helps: what do its folds say here?"""

from __future__ import annotations

from collections.abc import Iterator

from smixup.lab.pages.results.committed_records import CommittedRecords
from smixup.lab.pages.results.comparisons import compare_all, difference_table
from smixup.lab.pages.results.words import interval, markdown_table, power
from smixup.lab.tables.definitions.icml2026 import (
    AS_IN_THE_STUDY,
    EXPERIMENT,
    RANDOM_ONE_TO_ONE,
    SMIXUP,
    SUBMIX,
    VANILLA,
)
from smixup.lab.tables.judged import compare_rows
from smixup.lab.tables.published_2026 import DATASETS, DIFFERENCES
from smixup.lab.tables.result import ResultTable

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
    shown = compare_all(
        table, committed.kept, ((AS_IN_THE_STUDY.name, VANILLA.name), *OURS), "accuracy"
    )
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
            texts = [f"{each.mean:+.1f} [{each.low:+.1f}, {each.high:+.1f}]" for each in study]
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
    rows = []
    for each in compare_all(table, committed.kept, STEPS, "accuracy"):
        pooled = each.pooled(DATASETS)
        if pooled is not None:
            names = [name for name in DATASETS if any(cell.column == name for cell in each.cells)]
            step = _step(committed, table, each.row, before.get(each.row))
            numbers = (interval(pooled.estimate), power(pooled.estimate), step)
            rows.append([each.row, ", ".join(names), *numbers])
    head = [
        "",
        "datasets",
        "less Vanilla, points",
        "would show, 4 of 5 times",
        "less the step before",
    ]
    return markdown_table(head, rows)


def _step(committed: CommittedRecords, table: ResultTable, row: str, before: str | None) -> str:
    """Write what one step adds to the step before it, where both were run."""
    if before is None:
        return ""
    pooled = compare_rows(table, committed.kept, row, before).pooled(DATASETS)
    return interval(pooled.estimate) if pooled else ""
