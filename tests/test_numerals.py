"""Numbers are read as they are meant, and nothing else is."""

from __future__ import annotations

import math

import pytest

from smixup.numerals import number_of, whole_number_of

NO_NUMBERS = (
    "",
    " ",
    "1_0",
    "1_0.5",
    "1e1_0",
    "\uff11\uff10",
    "\u0663",
    "1\uff12",
    "0x10",
    "10L",
    "1,5",
    "1 0",
    "a",
)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number(text: str) -> None:
    assert number_of(text) is None
    assert whole_number_of(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0.0), ("+10", 10.0), ("-1.5", -1.5), (".5", 0.5), ("1.", 1.0), ("1E-3", 0.001)],
)
def test_numbers(text: str, expected: float) -> None:
    assert number_of(text) == expected
    assert number_of(f" {text}\n") == expected


def test_numbers_that_are_not_finite_are_the_callers_business() -> None:
    assert number_of("-infinity") == -math.inf
    assert number_of("1e400") == math.inf
    assert math.isnan(number_of("NaN") or 0)


def test_whole_numbers() -> None:
    assert [whole_number_of(text) for text in ("007", "-3", " 12 ")] == [7, -3, 12]
    assert [whole_number_of(text) for text in ("1.0", "1e3", "inf", "9" * 5000)] == [None] * 4
