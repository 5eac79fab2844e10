"""A run becomes a line of JSON and comes back as it was."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.exported import from_line, to_line, to_row
from smixup.app.sweeps.identity import run_id
from smixup.app.sweeps.record import Record

CURVES = {"train_loss": [0.1, math.inf, -math.inf], "test": [1 / 3, math.nan, 0.5]}


@pytest.fixture
def record(make_result: Callable[..., RunResult]) -> Record:
    config = configure("MOTIF", "gin", "s-mixup", 1, method_settings={"matcher.margin": 0.1})
    scores = {"test": 0.1 + 0.2, "validation": math.nan, "test_loss": math.inf}
    result = make_result(**scores, curves=CURVES, versions={"torch": "2", "cuda": None})
    return Record(run_id(config), config.to_dict(), result, None, 2.5, "here", "2026-01-01")


def line_of(record: Record) -> str:
    return to_line(to_row(record) | {"curves": record.result and record.result.curves})


def test_nothing_is_lost(record: Record) -> None:
    line = line_of(record)
    json.loads(line, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert line.count("\n") == 1
    assert repr(from_line(line)) == repr(record), "nan differs from itself, its text does not"
    assert from_line(line).current_id() == record.id


def test_a_failure_comes_back_too(record: Record) -> None:
    failed = replace(record, result=None, error='it said "no"\nand left')
    assert from_line(line_of(failed)) == failed


def changed(record: Record, **changes: Any) -> str:
    row = json.loads(line_of(record)) | {"infinite": []} | changes
    return json.dumps({name: value for name, value in row.items() if value != "gone"})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epochs": "gone"}, "it has no 'epochs'"),
        ({"curves": 3}, "its 'curves' cannot be 3"),
        ({"predictions": "?"}, "its 'predictions' are damaged"),
        ({"state": "gone"}, "it has no 'state'"),
        ({"test": "high"}, "its 'test' cannot be \"high\""),
        ({"test": True}, "its 'test' cannot be true"),
        ({"best_epoch": None}, "its 'best_epoch' cannot be null"),
        ({"config": []}, r"its 'config' cannot be \[\]"),
        ({"curves": {"test": 3}}, "a curve is no list"),
        ({"curves": {"test": ["x"]}}, "its 'test' cannot be \"x\""),
        ({"state": "failed"}, "its 'error' cannot be null"),
        ({"infinite": [[["curves", "test", 99], 1]]}, "a place that it does not have"),
    ],
)
def test_what_is_no_run_says_why(record: Record, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_line(changed(record, **changes))


def test_another_file() -> None:
    with pytest.raises(ValueError, match="it is no JSON object"):
        from_line("[1, 2]")
