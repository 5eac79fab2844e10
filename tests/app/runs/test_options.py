"""Text becomes the type that a field asks for, or an error that lists what there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from smixup.app.runs.options import checked_options, literal, option_types, split_pairs
from smixup.errors import UsageError


@dataclass
class Example:
    alpha: float = 0.2
    partners: int | None = None
    normalise: Literal["softmax", "sinkhorn"] = "softmax"
    keep: bool = True
    name: str = ""
    matcher: list[int] | None = None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alpha=1", {"alpha": 1.0}),
        ("alpha=2e-1", {"alpha": 0.2}),
        ("partners=4", {"partners": 4}),
        ("partners=none", {"partners": None}),
        ("normalise=sinkhorn", {"normalise": "sinkhorn"}),
        ("keep=false", {"keep": False}),
        ("name=3", {"name": "3"}),
    ],
)
def test_values_are_parsed(text: str, expected: dict[str, Any]) -> None:
    found = checked_options("method x", Example, split_pairs([text]))
    assert found == expected
    assert [type(value) for value in found.values()] == [type(value) for value in expected.values()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha=big", "alpha of method x must be a number, not 'big'"),
        ("partners=1.5", "partners of method x must be an integer or none"),
        ("normalise=max", "must be one of softmax, sinkhorn"),
        ("keep=3", "must be true or false"),
        ("alpa=1", "unknown setting of method x 'alpa'. Did you mean 'alpha'"),
        ("matcher=1", "unknown setting"),
        ("alpha", "must have the form name=value"),
        ("=1", "must have the form name=value"),
    ],
)
def test_wrong_text(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        checked_options("method x", Example, split_pairs([text]))


def test_a_class_without_settings_says_so() -> None:
    class Plain:
        pass

    assert option_types(Plain) == {}
    with pytest.raises(UsageError, match="method plain has no settings"):
        checked_options("method plain", Plain, {"alpha": "1"})


def test_values_that_are_no_text_are_checked_too() -> None:
    assert checked_options("method x", Example, {"alpha": 1, "keep": False}) == {
        "alpha": 1.0,
        "keep": False,
    }
    with pytest.raises(UsageError, match="must be a number"):
        checked_options("method x", Example, {"alpha": True})


def test_literals() -> None:
    assert [literal(text) for text in ("3", "0.5", "true", "None", "degree")] == [
        3,
        0.5,
        True,
        None,
        "degree",
    ]
    columns = ("2020_21", "1_0.5", "\uff11\uff10")
    assert [literal(text) for text in columns] == list(columns), (
        "names, though Python reads numbers"
    )
