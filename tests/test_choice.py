"""Parts as objects and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from smixup.choice import Choice, Choices
from smixup.errors import UsageError


@dataclass(frozen=True)
class Plain(Choice):
    name: ClassVar[str] = "plain"


@dataclass(frozen=True)
class Rich(Choice):
    rounds: int = 3
    noise: float = 0.5
    edges: bool = False
    sizes: tuple[int, ...] = ()

    name: ClassVar[str] = "rich-one"


CHOICES: Choices[Choice] = Choices("way", Plain, Rich)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (Plain(), "plain"),
        (Rich(), "rich-one"),
        (Rich(noise=1e-05), "rich-one(noise=1e-05)"),
        (Rich(rounds=4, edges=True), "rich-one(rounds=4, edges=true)"),
        (Rich(sizes=(3,)), "rich-one(sizes=3)"),
        (Rich(noise=1.0, sizes=(12, 0, 7)), "rich-one(noise=1.0, sizes=12 0 7)"),
    ],
)
def test_text_and_object_are_made_from_each_other(made: Choice, text: str) -> None:
    assert str(made) == text
    assert CHOICES.of(text) == made
    assert CHOICES.of(made) is made


def test_spaces_and_case_of_truth_values_do_not_matter() -> None:
    assert CHOICES.of("  rich-one ( rounds = 7,edges=FALSE ,) ") == Rich(rounds=7)
    assert CHOICES.of("rich-one()") == Rich()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plan", "unknown way 'plan'. Did you mean 'plain'?"),
        ("plain(noise=1)", "unknown field of way plain 'noise'"),
        ("rich-one(nois=1)", "unknown field of way rich-one 'nois'. Did you mean 'noise'?"),
        ("rich-one(noise)", "'noise' in way rich-one must have the form field=value."),
        ("rich-one(rounds=1.5)", "rounds of way rich-one must be an integer, not '1.5'."),
        ("rich-one(noise=much)", "noise of way rich-one must be a number, not 'much'."),
        ("rich-one(sizes=1 b)", "sizes of way rich-one must be integers with spaces between, not"),
        ("rich-one(edges=1)", "edges of way rich-one must be true or false, not '1'."),
        ("rich-one(", "'rich-one(' is no way: write name or name(field=value)."),
        ("", "'' is no way: write name or name(field=value)."),
    ],
)
def test_wrong_texts(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        CHOICES.of(text)
    assert message in str(caught.value)
