"""Types without ranges."""

from __future__ import annotations

from plain_types import plain


def test_numbers_with_ranges_are_numbers() -> None:
    told = "(seed: Annotated[int, Range(at_least=0, limit=9)] | None = 0, p: Share = 1.0)"
    assert plain(told) == "(seed: int | None = 0, p: Share = 1.0)"
    long = "~typing.Annotated[int, ~smixup.ranges.Range(at_least=1, at_most=None)] = 3"
    assert plain(long) == "int = 3"
    assert plain("Annotated[str, Other(3)]") == "Annotated[str, Other(3)]"
