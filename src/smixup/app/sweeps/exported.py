"""One run as a line of an export, and back without a loss."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from smixup.app.runs.config import NAMING_FIELDS
from smixup.app.runs.run import RunResult
from smixup.app.runs.words import finite
from smixup.app.sweeps.record import Record

DONE, FAILED = "done", "failed"
SCORES = ("test", "validation", "test_loss", "calibration_error")
OUTCOMES = (
    *("accuracy", "rocauc", "brier", "temperature"),
    *("scaled_loss", "scaled_brier", "scaled_calibration_error"),
)
"""Scores that exports of earlier versions do not have."""
COUNTS = ("best_epoch", "epochs")
INFINITE = "infinite"

Row = dict[str, Any]
Place = tuple[str | int, ...]


def to_row(record: Record) -> Row:
    """Return the columns of a run; those of its result are None if it failed."""
    return {
        "id": record.id,
        "state": DONE if record.done else FAILED,
        **{name: record.config[name] for name in NAMING_FIELDS},
        **{name: getattr(record.result, name, None) for name in (*SCORES, *OUTCOMES, *COUNTS)},
        "seconds": record.seconds,
        "training_seconds": getattr(record.result, "seconds", None),
        "config": record.config,
        "versions": getattr(record.result, "versions", None),
        "metric": getattr(record.result, "metric", None),
        "error": record.error,
        "host": record.host,
        "finished": record.finished,
        "data": record.data,
    }


def to_line(row: Row) -> str:
    """Return a row as JSON. What JSON has no number for is null; `infinite` tells where that stands
    for an infinite number, and with which sign.
    """
    return json.dumps(finite(row) | {INFINITE: list(_infinities(row))}) + "\n"


def from_line(line: str) -> Record:
    """Return the run that a line tells of, its curves and predictions with its result.

    Raises:
        ValueError, TypeError: it is no such line; the message says why.
    """
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    for place, sign in row.get(INFINITE, ()):
        _put(row, place, math.copysign(math.inf, sign))
    return from_row(row)


def from_row(row: Row) -> Record:
    """Return the run of which a row tells that was read as `to_row` made it; see `from_line`."""
    done = _typed(row, "state", str) == DONE
    return Record(
        id=_typed(row, "id", str),
        config=_typed(row, "config", dict),
        result=_result(row) if done else None,
        error=None if done else _typed(row, "error", str),
        seconds=_number(row, "seconds"),
        host=_typed(row, "host", str),
        finished=_typed(row, "finished", str),
        data=_typed({"data": row.get("data") or ""}, "data", str),
    )


def _result(row: Row) -> RunResult:
    numbers: dict[str, Any] = {name: _number(row, name) for name in SCORES}
    numbers |= {name: _number(row, name) for name in OUTCOMES if name in row}
    numbers |= {name: _typed(row, name, int) for name in COUNTS}
    return RunResult(
        metric=_typed(row, "metric", str),
        seconds=_number(row, "training_seconds"),
        versions=_typed(row, "versions", dict),
        curves=_curves(row.get("curves") or {}),
        predictions=from_text(row.get("predictions") or ""),
        **numbers,
    )


def to_text(predictions: bytes) -> str:
    """Return bytes as text for an export."""
    return base64.b64encode(predictions).decode()


def from_text(text: str) -> bytes:
    """Return the bytes of which `to_text` made a text."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError) as error:
        raise ValueError("its 'predictions' are damaged") from error


def _curves(curves: Any) -> dict[str, list[float]]:
    if not isinstance(curves, dict):
        raise ValueError(f"its 'curves' cannot be {json.dumps(curves)[:40]}")
    if not all(isinstance(curve, list) for curve in curves.values()):
        raise ValueError("a curve is no list")
    return {
        name: [_number({name: value}, name) for value in curve] for name, curve in curves.items()
    }


def _number(row: Mapping[str, Any], name: str) -> float:
    """Return a number; null is one that JSON cannot write."""
    if name in row and row[name] is None:
        return math.nan
    number: float = _typed(row, name, (int, float))
    return number


def _typed(row: Mapping[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    if name not in row:
        raise ValueError(f"it has no '{name}'")
    if not isinstance(row[name], kind) or isinstance(row[name], bool):
        raise ValueError(f"its '{name}' cannot be {json.dumps(row[name])[:40]}")
    return row[name]


def _infinities(value: Any, place: Place = ()) -> Iterator[tuple[Place, int]]:
    parts: Any = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    elif isinstance(value, float) and math.isinf(value):
        yield place, 1 if value > 0 else -1
    for name, each in parts:
        yield from _infinities(each, (*place, name))


def _put(value: Any, place: list[str | int], number: float) -> None:
    try:
        for name in place[:-1]:
            value = value[name]
        value[place[-1]] = number
    except (LookupError, TypeError) as error:
        raise ValueError(f"its '{INFINITE}' names a place that it does not have") from error
