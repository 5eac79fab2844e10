"""Numbers are written one way everywhere."""

from __future__ import annotations

import json
import re
from math import inf, nan
from pathlib import Path

import smixup
from smixup.app.runs.words import (
    capital,
    counted,
    decimal,
    duration,
    finite,
    plus_minus,
    signed,
    signed_interval,
    unused_attributes,
)


def test_a_sentence_begins_with_a_capital() -> None:
    assert [capital(each) for each in ("it is", "S-Mixup", "")] == ["It is", "S-Mixup", ""]


def test_counted_has_a_plural() -> None:
    assert [counted(number, "seed") for number in (0, 1, 3)] == ["0 seeds", "1 seed", "3 seeds"]


def test_decimal_or_what_stands_for_none() -> None:
    assert decimal(0.126, 2) == "0.13"
    assert (decimal(None, 2), decimal(None, 2, "")) == ("-", "")


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert [signed(each, 1) for each in (1.46, -1.46, 0.0, -0.0, 0.04, -0.04)] == [
        *("+1.5", "-1.5"),
        *["0.0"] * 4,
    ]
    assert (signed(-0.05, 2), signed(-0.6, 0), signed(-0.4, 0)) == ("-0.05", "-1", "0")
    assert (signed(inf, 1), signed(-inf, 1), signed(nan, 1)) == ("+inf", "-inf", "+nan")
    assert (decimal(-0.04, 1), decimal(-0.06, 1)) == ("0.0", "-0.1")
    assert plus_minus(-0.004, 0.1, 2) == "0.00 ± 0.10"


def test_an_interval_with_signs() -> None:
    assert signed_interval(-0.3, 1.5, 1) == "[-0.3, +1.5]"
    assert signed_interval(-0.04, 1.5, 1) == "[0.0, +1.5]"


def test_signs_are_written_here_alone() -> None:
    """A format such as `:+.2f` elsewhere would write a negative zero."""
    package = Path(smixup.__file__).parent
    elsewhere = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"\{[^{}]*:\+[^{}]*(\{digits\})?f\}", path.read_text(encoding="utf-8"))
    }
    assert elsewhere == {"app/runs/words.py"}


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
