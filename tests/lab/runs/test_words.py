"""Numbers are written one way everywhere."""

from __future__ import annotations

import json
from math import inf, nan

from smixup.lab.runs.words import counted, decimal, duration, finite, plus_minus, unused_attributes


def test_counted_has_a_plural() -> None:
    assert [counted(number, "seed") for number in (0, 1, 3)] == ["0 seeds", "1 seed", "3 seeds"]


def test_decimal_or_what_stands_for_none() -> None:
    assert decimal(0.126, 2) == "0.13"
    assert (decimal(None, 2), decimal(None, 2, "")) == ("-", "")


def test_plus_minus_needs_a_deviation() -> None:
    assert plus_minus(60.0, 10.0, 1) == "60.0 ± 10.0"
    assert plus_minus(0.5, nan, 2) == "0.50"
    assert plus_minus(nan, nan, 2) == "nan"


def test_a_duration_in_two_units_at_most() -> None:
    assert [duration(each) for each in (None, 0.4, 59, 61, 3600 * 1200 + 61)] == [
        "?",
        "0 s",
        "59 s",
        "1 min 01 s",
        "1,200 h 01 min",
    ]
    assert duration(60, workers=2) == "30 s"


def test_finite_is_what_json_can_write() -> None:
    found = finite({"a": [1.5, nan, [inf]], "b": {"c": -inf, 3: "nan"}, "d": None, "e": True})
    expected = {"a": [1.5, None, [None]], "b": {"c": None, 3: "nan"}, "d": None, "e": True}
    assert found == expected
    assert json.dumps(found, allow_nan=False)


def test_attributes_that_are_left_out() -> None:
    assert unused_attributes(1) == "1 node attribute, not used: --data attributes=true"
    assert unused_attributes(18).startswith("18 node attributes, ")
