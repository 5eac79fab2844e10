"""What a method costs beside no augmentation."""

from __future__ import annotations

from collections.abc import Sequence

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.words import markdown_table
from smixup.app.sweeps.record import Record
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.result import ResultTable


def cost(committed: CommittedRecords) -> str:
    """Compare the time of training, and tell what S-Mixup prepares once for every split."""
    table = committed.table("few-labels")
    columns = dict.fromkeys(cell.column for cell in table.cells)
    rows = [line for column in columns if (line := _line(table, column))]
    timed = [
        f"{each.upper()}: {what}" for each in table.backbones for what in ("Vanilla, s", "S-Mixup")
    ]
    return markdown_table(["", *timed, "matcher and alignments, s"], rows)


def cost_ratios(committed: CommittedRecords) -> list[float]:
    """Return how many times as long S-Mixup trains, in every cell with runs, the shortest first."""
    table = committed.table("few-labels")
    places = dict.fromkeys((cell.backbone, cell.column) for cell in table.cells)
    both = (
        [table.cell(backbone, row, column) for row in ("Vanilla", "S-Mixup")]
        for backbone, column in places
    )
    return sorted(
        _training(mixed) / _training(plain) for plain, mixed in both if plain.runs and mixed.runs
    )


def _line(table: ResultTable, column: str) -> list[str]:
    texts, mixes = [column], list[FilledCell]()
    for backbone in table.backbones:
        plain, mixed = (table.cell(backbone, row, column) for row in ("Vanilla", "S-Mixup"))
        if not plain.runs or not mixed.runs:
            return []
        seconds = _training(plain)
        texts += [f"{seconds:.1f}", f"{_training(mixed) / seconds:.1f}x"]
        mixes.append(mixed)
    return [*texts, f"{_preparing(mixes):.1f}"]


def _training(cell: FilledCell) -> float:
    """Return the shortest time: other work on the machine only ever makes a run longer."""
    return min(record.result.seconds for record in cell.runs.values() if record.result)


def _preparing(cells: Sequence[FilledCell]) -> float:
    """Return the shortest time to fit a matcher and to align. Of the runs of a split, one fits it
    and the others find it done.
    """
    seeds = {seed for cell in cells for seed in cell.runs}
    return min(
        max(_before_training(cell.runs[seed]) for cell in cells if seed in cell.runs)
        for seed in seeds
    )


def _before_training(record: Record) -> float:
    return record.seconds - (record.result.seconds if record.result else 0.0)
