"""Would the study's folds say something else if every method could choose its settings?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import fmean

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.words import interval, markdown_table, power
from smixup.app.runs.words import signed
from smixup.app.tables.cell import FilledCell, scores_by_seed
from smixup.app.tables.definitions.icml2026 import EXPERIMENT as PRESETS
from smixup.app.tables.definitions.icml2026 import SMIXUP
from smixup.app.tables.definitions.icml2026_search import EXPERIMENT
from smixup.app.tables.judged import Comparison, Judgement
from smixup.app.tables.result import ResultTable

NOT_RUN = "No cell has all of its settings on record."
OURS = "S-Mixup"


def searched(committed: CommittedRecords) -> str:
    """Write each method less Vanilla where both chose among all settings, beside the presets."""
    table = committed.searched_table(EXPERIMENT.name)
    rows = [line for row in table.rows[1:] for line in _lines(committed, table, row)]
    if not rows:
        return NOT_RUN
    head = [
        "",
        "n",
        "Vanilla, %",
        "less Vanilla, both searched",
        "would show, 4 of 5 times",
        "at the presets",
        "means, both at setting 1, 2, ...",
        "settings chosen by the folds",
        "by Vanilla",
    ]
    return markdown_table(head, rows)


def _lines(committed: CommittedRecords, table: ResultTable, row: str) -> list[list[str]]:
    found = committed.compare(table, row, table.reference)
    presets = _at_presets(committed, row)
    return [
        _line(committed, table, row, each, presets.by_place.get((each.backbone, each.column)))
        for each in found.cells
        if all(cell.complete for cell in _both(table, row, each))
    ]


def _at_presets(committed: CommittedRecords, row: str) -> Comparison:
    """Compare the same rows at the presets: `icml2026` calls the default by its last step."""
    table = committed.table(PRESETS.name)
    name = SMIXUP.name if row == OURS else row
    return committed.compare(table, name, table.reference)


def _both(table: ResultTable, row: str, each: Judgement) -> tuple[FilledCell, FilledCell]:
    return (
        table.cell(each.backbone, row, each.column),
        table.cell(each.backbone, table.reference, each.column),
    )


def _line(
    committed: CommittedRecords,
    table: ResultTable,
    row: str,
    each: Judgement,
    preset: Judgement | None,
) -> list[str]:
    return [
        f"{row}, {each.column}, {each.backbone.upper()}",
        str(each.runs),
        f"{each.paired.reference:.2f}",
        interval(each.estimate),
        power(each.estimate),
        interval(preset.estimate) if preset else "",
        ", ".join(_one_by_one(committed, *_both(table, row, each))),
        *(_choices(cell) for cell in _both(table, row, each)),
    ]


def _one_by_one(committed: CommittedRecords, ours: FilledCell, theirs: FilledCell) -> Iterator[str]:
    """Write the mean difference at each setting, if both take the same one: what mixing does, apart
    from what it makes validation choose.
    """
    for first, second in zip(ours.candidates, theirs.candidates, strict=True):
        left, right = (
            scores_by_seed(each.finished(committed.records), "accuracy") for each in (first, second)
        )
        seeds = left.keys() & right.keys()
        yield signed(100 * fmean(left[seed] - right[seed] for seed in seeds), 1)


def _choices(cell: FilledCell) -> str:
    """Write which settings the folds chose, by their place in the search, and how often."""
    chosen = Counter(_number(cell, fold) for fold in sorted({each.fold for each in cell.configs}))
    return ", ".join(f"{number} ({times})" for number, times in sorted(chosen.items()))


def _number(cell: FilledCell, fold: int) -> int:
    """Return the place of a fold's choice among the candidates, from 1."""
    config = next(each for each in cell.chosen.configs if each.fold == fold)
    places = enumerate(cell.candidates, start=1)
    return next(place for place, each in places if config in each.configs)
