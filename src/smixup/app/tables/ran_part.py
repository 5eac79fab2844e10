"""The part of a table that was run: a page shows that, and names the rest in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from smixup.app.tables.result import ResultTable


@dataclass(frozen=True)
class RanPart:
    """What was run with one backbone, in the order of the table.

    Attributes:
        backbone: its name.
        columns, rows: those in which anything was run.
        missing: columns, then rows, in which nothing was.
    """

    backbone: str
    columns: Sequence[str]
    rows: Sequence[str]
    missing: Sequence[str]


def ran_parts(table: ResultTable) -> list[RanPart]:
    """Return the part of every backbone with which anything was run; the whole table if nothing
    was.
    """
    ran = [cell for cell in table.cells if cell.runs] or table.cells
    parts = []
    for backbone in table.backbones:
        cells = [cell for cell in ran if cell.backbone == backbone]
        columns, rows = {cell.column for cell in cells}, {cell.row for cell in cells}
        if cells:
            places = [(each, each in columns) for each in table.columns(backbone)]
            names = [(each, each in rows) for each in table.rows]
            parts.append(
                RanPart(
                    backbone,
                    [each for each, there in places if there],
                    [each for each, there in names if there],
                    [each for each, there in (*places, *names) if not there],
                )
            )
    return parts


def not_run(table: ResultTable, parts: Sequence[RanPart]) -> str:
    """Say what a table would have and the parts have not; nothing if that is nothing."""
    there = {part.backbone for part in parts}
    lacking = [each.upper() for each in table.backbones if each not in there]
    lacking += [
        f"with {part.backbone.upper()}: {', '.join(part.missing)}" for part in parts if part.missing
    ]
    return f"Not run yet: {'; '.join(lacking)}." if lacking else ""
