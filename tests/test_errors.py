"""An error tells the user what is meant."""

from __future__ import annotations

import numpy as np
import pytest

from smixup.errors import SmixupError, UsageError, require, require_number, unknown_name


def test_a_near_name_is_suggested_as_it_is_spelt() -> None:
    message = str(unknown_name("dataset", "imdb-binry", ["NCI1", "IMDB-BINARY", "MOTIF"]))
    assert "unknown dataset 'imdb-binry'" in message
    assert "Did you mean 'IMDB-BINARY'?" in message
    assert "IMDB-BINARY, MOTIF, NCI1" in message


def test_a_far_name_gets_the_list_alone() -> None:
    message = str(unknown_name("method", "zzz", ["vanilla", "s-mixup"]))
    assert "Did you mean" not in message
    assert "s-mixup, vanilla" in message


def test_known_names_may_be_any_iterable() -> None:
    assert "Did you mean 'gin'?" in str(unknown_name("backbone", "gim", iter(["gcn", "gin"])))


def test_what_is_no_text_is_no_name() -> None:
    assert "unknown method '0.5'" in str(unknown_name("method", 0.5, ["gin"]))  # type: ignore[arg-type]


def test_wrong_use_is_also_work_that_failed() -> None:
    assert isinstance(unknown_name("method", "x", []), UsageError)
    assert issubclass(UsageError, SmixupError)
    assert not issubclass(SmixupError, ValueError)


@pytest.mark.parametrize(
    ("value", "bounds", "allowed"),
    [
        (-1, {"at_least": 0}, "0 or more"),
        (0, {"above": 0}, "above 0"),
        (1.5, {"at_least": 0, "at_most": 1}, "between 0 and 1"),
        (1, {"at_least": 0, "below": 1}, "at least 0 and below 1"),
        (0, {"above": 0, "at_most": 1}, "above 0 and at most 1"),
        (0, {"at_least": 1, "whole": True}, "1 or more"),
        (0, {"at_least": 1, "optional": True}, "1 or more or None"),
        ("0.2", {"at_least": 0}, "a finite number, 0 or more"),
        (float("inf"), {"at_least": 0, "at_most": 1}, "a finite number between 0 and 1"),
        (float("nan"), {}, "a finite number"),
        (True, {"above": 0}, "a finite number above 0"),
        (None, {"at_least": 0}, "a finite number, 0 or more"),
        (2.5, {"whole": True, "optional": True}, "a whole number or None"),
        (2.5, {"at_least": 1, "whole": True}, "a whole number, 1 or more"),
        (10**9, {"at_most": 10**6}, "at most 1,000,000"),
        (10**9, {"at_least": 1, "limit": 10**6}, "at most 1,000,000"),
        (0, {"at_least": 1, "limit": 10**6}, "1 or more"),
    ],
)
def test_a_number_that_is_not_allowed(
    value: object, bounds: dict[str, float], allowed: str
) -> None:
    with pytest.raises(UsageError) as raised:
        require_number("alpha", value, **bounds)  # type: ignore[arg-type]
    assert str(raised.value) == f"alpha must be {allowed}, not {value!r}."


def test_numbers_that_are_allowed() -> None:
    for value in (0, 0.5, 1, np.float32(0.5), np.int64(1)):
        require_number("alpha", value, at_least=0, at_most=1)
    for value in (1, np.int64(2), None):
        require_number("partners", value, at_least=1, whole=True, optional=True)


def test_a_long_value_is_not_written_out() -> None:
    for value, shown in (
        (10**5000, "a number of more than 40 digits"),
        ("x" * 99, "'xxx.*\\.\\.\\."),
    ):
        with pytest.raises(UsageError, match=rf"^partners must be .*, not {shown}\.$") as raised:
            require_number("partners", value, at_least=1, at_most=9, whole=True)
        assert len(str(raised.value)) < 150


def test_a_value_that_is_not_allowed() -> None:
    require(True, "alpha", 1, "above 0")
    with pytest.raises(UsageError, match=r"^alpha must be above 0, not -1\.$"):
        require(False, "alpha", -1, "above 0")
