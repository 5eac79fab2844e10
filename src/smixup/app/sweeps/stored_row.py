"""A run as a row of a store, with digests by which a changed bit is found."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from smixup.app.runs.run import RunResult
from smixup.app.sweeps.record import Record

OF_RUN = ("id", "data", "config", "result", "error", "seconds", "host", "finished")
APART = ("curves", "predictions")
DIGEST = "digest"
COLUMNS = (*OF_RUN, *APART, DIGEST, *(f"{name}_{DIGEST}" for name in APART))

Value = str | float | bytes | None
Curves = dict[str, list[float]]


class DamagedRow(ValueError):  # noqa: N818 (what it is, not what to do about it)
    """A row that is not what was written; the message says which run it is and why."""


def to_row(run: Record) -> tuple[Value, ...]:
    """Return the columns of a run, in the order of `COLUMNS`."""
    result, curves, predictions = None, None, None
    if run.result is not None:
        result = json.dumps(run.result.scores())
        curves = json.dumps(_nulls(run.result.curves)) if run.result.curves else None
        predictions = run.result.predictions or None
    config = json.dumps(run.config, sort_keys=True)
    seconds = float(run.seconds)  # as the column gives it back: its digest must not differ
    about = (run.id, run.data, config, result, run.error, seconds, run.host, run.finished)
    return with_digests(about, curves, predictions)


def with_digests(
    about: Sequence[Value], curves: str | None, predictions: bytes | None
) -> tuple[Value, ...]:
    """Return the whole row of what is known of a run, its curves and its predictions."""
    apart = (curves, predictions)
    return (*about, *apart, digest(*about), *(digest(*about[:2], each) for each in apart))


def digest(*values: object) -> str:
    """Return a short text that differs between lists of numbers, texts and bytes."""
    told = [each.hex() if isinstance(each, bytes) else each for each in values]
    return sha256(json.dumps(told).encode()).hexdigest()[:16]


def record_of(row: Sequence[Any]) -> Record:
    """Return the run that `OF_RUN` and its digest tell of, without curves and predictions; a digest
    of None was never made.
    """
    *about, expected = row
    _check(str(about[0]), "its digest", expected, about)
    id, data, config, result, error, seconds, host, finished = about
    try:
        scores = None if result is None else RunResult(**json.loads(result))
        told = (json.loads(config), scores, error, seconds, host, finished)
    except (ValueError, TypeError, RecursionError) as reason:
        raise DamagedRow(f"run {id}: {reason}") from reason
    return Record(id, *told, data)


def curves_of(row: Sequence[Any]) -> Curves:
    """Return the curves of id, data, curves and their digest, with nan for null, as they were
    before they were written; none of a run that has none.
    """
    id, data, curves, expected = row
    _check(id, "the digest of its curves", expected, (id, data, curves))
    if curves is None:
        return {}
    try:
        return {
            name: [math.nan if number is None else float(number) for number in curve]
            for name, curve in json.loads(curves).items()
        }
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedRow(f"curves of run {id}: {error}") from error


def predictions_of(row: Sequence[Any]) -> bytes:
    """Return the predictions of id, data, predictions and their digest, none as no bytes."""
    id, data, predictions, expected = row
    _check(id, "the digest of its predictions", expected, (id, data, predictions))
    if predictions is None:
        return b""
    if not isinstance(predictions, bytes):
        raise DamagedRow(f"run {id}: its predictions are no bytes")
    return predictions


def _check(id: str, what: str, expected: str | None, values: Sequence[object]) -> None:
    if expected is not None and digest(*values) != expected:
        raise DamagedRow(f"run {id}: {what} does not fit")


def _nulls(curves: Mapping[str, list[float]]) -> dict[str, list[float | None]]:
    """Return curves with null, which JSON has, for nan, which it has not: epochs without a test."""
    return {
        name: [None if math.isnan(number) else number for number in curve]
        for name, curve in curves.items()
    }
