"""Options given now come before those given earlier, and these before defaults."""

from __future__ import annotations

from typing import Any

import pytest

from smixup.datasets.base import Reading
from smixup.datasets.readers.options import names_of, options_of, require_one_of
from smixup.errors import UsageError


def reader(path: str, like: Any = None, depth: int = 1, name: str = "") -> Any:
    return options_of(reader, locals(), like)


def test_what_is_given_counts_and_what_is_unusual_is_kept() -> None:
    assert reader("x") == ({"depth": 1, "name": ""}, {})
    assert reader("x", name="a") == ({"depth": 1, "name": "a"}, {"name": "a"})
    before = Reading("any", {"depth": 3, "name": "b"})
    assert reader("x", before, name="a")[0] == {"depth": 3, "name": "a"}


@pytest.mark.parametrize(
    ("given", "names"),
    [(None, ()), ("", ()), ("a, b", ("a", "b")), (["a", "b,c"], ("a", "b,c")), (7, ("7",))],
)
def test_names_are_lists_or_text(given: Any, names: tuple[str, ...]) -> None:
    assert names_of(given) == names


def test_a_word_that_is_not_allowed_is_told() -> None:
    require_one_of("way", "up", ("up", "down"))
    with pytest.raises(UsageError, match="way must be up or down, not left"):
        require_one_of("way", "left", ("up", "down"))
