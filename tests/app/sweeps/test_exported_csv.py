"""A run becomes a line of a table and comes back as it was, without curves."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.exported import to_row, to_text
from smixup.app.sweeps.exported_csv import from_csv, to_csv
from smixup.app.sweeps.identity import run_id
from smixup.app.sweeps.record import Record


@pytest.fixture
def record(make_result: Callable[..., RunResult]) -> Record:
    config = configure("MOTIF", "gin", "s-mixup", 1, method_settings={"matcher.margin": 0.1})
    scores = {"test": 0.1 + 0.2, "rocauc": math.nan, "test_loss": math.inf}
    result = make_result(**scores, curves={}, versions={"commit": None}, predictions=b"\x00\xff")
    return Record(run_id(config), config.to_dict(), result, None, 2.5, "here", "2026-01-01")


def text_of(*records: Record) -> str:
    return to_csv(
        to_row(each) | {"predictions": to_text(each.result.predictions if each.result else b"")}
        for each in records
    )


def test_nothing_but_curves_is_lost(record: Record) -> None:
    failed = replace(record, id="another", result=None, error='it said: "no", twice,\nand left')
    found = [run for _, run in from_csv(text_of(record, failed))]
    assert repr(found) == repr([record, failed]), "nan differs from itself, its text does not"
    assert found[0].current_id() == record.id


def test_a_damaged_line_is_an_error_after_those_before_it(record: Record) -> None:
    text = text_of(record, record).splitlines()
    text[2] = text[2].replace(",0.30000000000000004,", ",much,")
    lines = from_csv("\n".join(text))
    number, _ = next(lines)
    assert number == 2
    with pytest.raises(ValueError, match="much"):
        next(lines)


def test_of_nothing_there_is_a_header() -> None:
    assert to_csv([]) == "experiment\n"
    assert list(from_csv(to_csv([]))) == []


FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "'=1", "'"]


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("begin", FORMULAS)
def test_no_cell_is_a_formula_and_all_come_back(record: Record, begin: str) -> None:
    text = text_of(replace(record, result=None, error=begin, host=begin))
    head, cells = table(text)
    assert all(cells[head.index(name)].startswith("'") for name in ("error", "host"))
    ((_, found),) = from_csv(text)
    assert (found.error, found.host) == (begin, begin)


def test_which_data_was_read_comes_back_and_earlier_exports_say_nothing(record: Record) -> None:
    text = text_of(replace(record, data="0123456789abcdef"))
    ((_, found),) = from_csv(text)
    assert found.data == "0123456789abcdef"
    rows = table(text)
    place, earlier = rows[0].index("data"), io.StringIO()
    csv.writer(earlier).writerows(row[:place] + row[place + 1 :] for row in rows)
    ((_, found),) = from_csv(earlier.getvalue())
    assert found.data == ""
