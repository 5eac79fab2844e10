"""Types of fields are found wherever they were declared, and values are held against them."""

from __future__ import annotations

from typing import Literal

import pytest

from smixup.augment.transport import Partial, Transport
from smixup.field_types import described, fits, plain_kinds


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (int, [0, 3], [True, 1.0, "1", None]),
        (float, [0, 0.5], [True, "1"]),
        (bool, [True], [1, "true"]),
        (int | None, [None, 1], [1.5]),
        (Literal["a", "b"], ["a"], ["c", 1, ["a"]]),
        (str | Transport, ["paper", Partial()], [3, None]),
    ],
)
def test_values_fit_or_do_not(hint: object, good: list[object], bad: list[object]) -> None:
    assert all(fits(value, hint) for value in good)
    assert not any(fits(value, hint) for value in bad)


def test_types_in_words() -> None:
    assert described(float | None) == "a number or none"
    assert described(Literal["a", "b"]) == "one of a, b"
    assert described(str | Transport) == "text"
    assert plain_kinds(str | Transport) == [str, str]
