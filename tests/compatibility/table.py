"""The matrix of docs/compatibility.md, from the rows that were measured."""

from __future__ import annotations

import json

from .environment import ROOT, Row
from .part import REPORTED

ROWS = ROOT / "tests" / "compatibility" / "rows.jsonl"
PAGE = ROOT / "docs" / "compatibility.md"
START, END = "<!-- rows -->\n", "<!-- end of rows -->\n"
SHOWN = ("python", *REPORTED)


def rows() -> list[Row]:
    """Return the rows that were measured, by Python and torch."""
    found = [Row(**json.loads(line)) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    return sorted(found, key=lambda row: [_number(row.versions[name]) for name in SHOWN])


def table() -> str:
    """Return the rows as a table of Markdown."""
    head = ("Python", "versions", "tests", *REPORTED, "torch from")
    lines = [head, ["---"] * len(head), *map(_cells, rows())]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cells(row: Row) -> list[str]:
    told = ", ".join(f"{number} {how}" for how, number in row.counts.items())
    python, *others = (row.versions[name] for name in SHOWN)
    return [python, row.choice, told, *others, row.source]


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.partition("+")[0].split(".") if part.isdigit())


def written(page: str) -> str:
    """Return the page with the table of today in its place."""
    before, _, rest = page.partition(START)
    return before + START + "\n" + table() + "\n" + END + rest.partition(END)[2]


def write_page() -> None:
    """Write the table into the page."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
