"""Records of two versions of the code agree to the bit, or it is told where they do not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.predictions import Said, to_bytes
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.agreement import Agreement, compare
from smixup.app.sweeps.merging import Source
from smixup.app.sweeps.record import Record
from smixup.errors import SmixupError

Make = Callable[..., RunResult]
LOGITS = np.array([[2.0, 0.0], [0.0, 1.0], [3.0, 0.5]])
NOTHING = Said(LOGITS[:0], np.zeros(0, int), np.zeros(0, int))


def predicted(logits: np.ndarray = LOGITS) -> bytes:
    return to_bytes(NOTHING, Said(logits, np.array([0, 1, 1]), np.array([4, 0, 2])), 5)


def record(result: RunResult | None, seed: int = 0, id: str = "old", **changes: Any) -> Record:
    config = configure("MOTIF", "gin", "vanilla", seed, epochs=2).to_dict() | changes
    return Record(id, config, result, None if result else "no memory", 1.0, "here", "today")


def source(*records: Record) -> Source:
    return Source(Path("runs.db"), records)


def found(one: RunResult | None, other: RunResult | None) -> Agreement:
    return compare(source(record(one)), source(record(other, id="new")))


def test_equal_numbers_agree_whatever_the_identity_the_time_and_the_versions(
    make_result: Make,
) -> None:
    one = make_result(predictions=predicted(), rocauc=math.nan, test_loss=math.inf)
    other = replace(one, seconds=99.0, versions={"commit": "other"})
    assert found(one, other) == Agreement(agreeing=1)


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({"test": 0.5 + 2**-53}, ("test", 0.5, 0.5 + 2**-53)),
        ({"best_epoch": 2}, ("best_epoch", 1, 2)),
        ({"scaled_brier": 0.2}, ("scaled_brier", 0.25, 0.2)),
        ({"rocauc": math.inf}, ("rocauc", 0.5, math.inf)),
        (
            {"curves": {"test_loss": [2.5, 1.0]}},
            ("curve test_loss, epoch 1", 2.0, 2.5),
        ),
        ({"curves": {"test_loss": [2.0]}}, ("length of curve test_loss", 2, 1)),
    ],
)
def test_the_smallest_difference_is_named(
    changes: dict[str, Any], score: tuple[str, float, float], make_result: Make
) -> None:
    differing = found(make_result(), make_result(**changes)).differing
    assert [each.score for each in differing] == [score]


def test_a_prediction_that_differs_is_named_by_its_graph(make_result: Make) -> None:
    moved = LOGITS.copy()
    moved[2, 1] = 1.0
    one, other = (make_result(predictions=predicted(each)) for each in (LOGITS, moved))
    (each,) = found(one, other).differing
    assert each.score is not None
    name, before, after = each.score
    assert name == "prediction of graph 2"
    assert (before, after) == pytest.approx((-2.5, -2.0), rel=0.02)


def test_labels_and_numbers_of_graphs_count(make_result: Make) -> None:
    place = np.array([4, 0, 2])
    other = to_bytes(NOTHING, Said(LOGITS, np.array([0, 0, 1]), place), 5)
    longer = to_bytes(NOTHING, Said(LOGITS, np.array([0, 1, 1]), place), 6)
    told = []
    for data in (other, longer):
        (each,) = found(
            make_result(predictions=predicted()), make_result(predictions=data)
        ).differing
        told.append(each.score)
    assert told == [("label of graph 0", 1.0, 0.0), ("number of predictions", 10, 12)]


def test_what_only_one_of_them_has_is_not_compared(make_result: Make) -> None:
    """A record of an earlier version has no outcomes, an export as CSV no curves."""
    nothing = dict.fromkeys(("accuracy", "rocauc", "brier", "temperature"), math.nan)
    scaled = dict.fromkeys(("scaled_loss", "scaled_brier", "scaled_calibration_error"), math.nan)
    old = make_result(**nothing, **scaled, curves={})
    assert found(old, make_result(predictions=predicted())).agreeing == 1
    assert len(found(old, make_result(test=0.75)).differing) == 1


def test_fields_that_came_later_are_at_their_defaults(make_result: Make) -> None:
    old, new = record(make_result()), record(make_result(), id="new")
    for name in ("refit", "selection", "test_every_epoch"):
        del old.config[name]
    assert compare(source(old), source(new)) == Agreement(agreeing=1)


def test_other_configurations_are_counted_and_not_compared(make_result: Make) -> None:
    result = make_result()
    ours = source(record(result), record(result, 1), record(result, 2), record(result, gone=1))
    theirs = source(record(result), record(make_result(test=0.1), 3))
    assert compare(ours, theirs) == Agreement(agreeing=1, only=(2, 1), foreign=1)


def test_a_failure_of_one_is_a_difference_and_of_both_is_none(make_result: Make) -> None:
    for one, other in ((make_result(), None), (None, make_result())):
        (each,) = found(one, other).differing
        assert each.score is None
    both = found(None, None)
    assert (both.failed, both.common, both.differing) == (1, 1, [])
    again = source(record(None, id="failed"), record(make_result()))
    assert compare(again, again) == Agreement(agreeing=1), "a failure gave way to a result"


def test_all_records_of_a_configuration_must_agree(make_result: Make) -> None:
    ours = source(record(make_result()), record(make_result(test=0.75), id="other"))
    (each,) = compare(ours, source(record(make_result(), id="new"))).differing
    assert (each.one.id, each.score) == ("other", ("test", 0.75, 0.5))


def test_damaged_predictions_are_an_error(make_result: Make) -> None:
    with pytest.raises(SmixupError, match="cannot be compared: damaged predictions"):
        found(make_result(predictions=predicted()), make_result(predictions=b"nothing"))


def test_records_without_validation_graphs_are_compared_by_test_graphs(make_result: Make) -> None:
    validation = Said(LOGITS[:1], np.array([0]), np.array([1]))
    test = Said(LOGITS, np.array([0, 1, 1]), np.array([4, 0, 2]))
    both = make_result(predictions=to_bytes(validation, test, 5))
    assert found(make_result(predictions=predicted()), both).agreeing == 1
