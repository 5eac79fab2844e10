"""A run becomes a line of a table and comes back as it was, without curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from smixup.lab.runs.config import configure
from smixup.lab.runs.run import RunResult
from smixup.lab.sweeps.exported import to_row, to_text
from smixup.lab.sweeps.exported_csv import from_csv, to_csv
from smixup.lab.sweeps.identity import run_id
from smixup.lab.sweeps.record import Record


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
