"""A row tells what was written, or that it was changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.record import Record
from smixup.app.sweeps.stored_row import (
    COLUMNS,
    OF_RUN,
    DamagedRow,
    curves_of,
    digest,
    predictions_of,
    record_of,
    to_row,
)

CURVES = {"test": [0.5, math.nan], "train_loss": [1.0, 0.5]}


@pytest.fixture
def run(make_result: Callable[..., RunResult]) -> Record:
    result = make_result(curves=CURVES, predictions=b"\x00\xff", test_loss=math.inf)
    return Record("id", configure("MOTIF").to_dict(), result, None, 1.5, "here", "now", "data")


def columns(run: Record) -> dict[str, object]:
    return dict(zip(COLUMNS, to_row(run), strict=True))


def test_a_row_is_read_as_it_was_written(run: Record) -> None:
    row = columns(run)
    assert run.result is not None
    read = record_of([*(row[name] for name in OF_RUN), row["digest"]])
    assert read == replace(run, result=replace(run.result, curves={}, predictions=b""))
    key = row["id"], row["data"]
    assert str(curves_of([*key, row["curves"], row["curves_digest"]])) == str(CURVES)
    assert predictions_of([*key, row["predictions"], row["predictions_digest"]]) == b"\x00\xff"


@pytest.mark.parametrize("name", OF_RUN)
def test_every_change_is_found(run: Record, name: str) -> None:
    row = columns(run)
    row[name] = 2.5 if name == "seconds" else f"{row[name]} "
    with pytest.raises(DamagedRow, match="its digest does not fit"):
        record_of([*(row[each] for each in OF_RUN), row["digest"]])


def test_a_row_without_a_digest_is_read_as_far_as_it_makes_sense(run: Record) -> None:
    row = columns(run)
    assert record_of([*(row[name] for name in OF_RUN), None]).id == "id"
    for wrong in ("{", '{"odd": 1}', "[" * 100_000):
        with pytest.raises(DamagedRow, match="run id: "):
            record_of([*((row | {"result": wrong})[name] for name in OF_RUN), None])
    with pytest.raises(DamagedRow, match="curves of run id"):
        curves_of(["id", "data", "[1]", None])
    with pytest.raises(DamagedRow, match="are no bytes"):
        predictions_of(["id", "data", "text", None])


def test_a_digest_tells_types_apart() -> None:
    values = [(1,), (1.5,), ("1",), (b"1",), (None,), ("a", "b"), ("ab",), ("b", "a")]
    assert len({digest(*each) for each in values}) == len(values)
