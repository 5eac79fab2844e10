"""The matrix of the docs is that of the rows."""

from __future__ import annotations

from compatibility import table as module
from compatibility.part import REPORTED
from compatibility.table import PAGE, rows, table, written


def test_the_page_has_the_rows_that_were_measured() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page


def test_every_row_is_right_and_knows_its_versions() -> None:
    found = rows()
    assert found
    for row in found:
        assert row.right, row
        assert {"python", *REPORTED} <= set(row.versions)


def test_rows_stand_by_python_then_torch() -> None:
    places = [module._number(row.versions["python"]) for row in rows()]
    assert places == sorted(places)
    assert module._number("2.13.0+cpu") == (2, 13, 0)


def test_a_table_of_markdown() -> None:
    lines = table().splitlines()
    assert lines[0].startswith("| Python | versions | tests | torch |")
    assert len(lines) == 2 + len(rows())
    assert len({line.count("|") for line in lines}) == 1
