"""What fields say of numbers outside their ranges is on the page of error messages."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from range_messages import range_messages, refusal, said_by

from smixup.ranges import Count, RangedFields, Share, in_range, ranges_of


@dataclass
class Rings(RangedFields):
    number: Count
    share: Share = 0.5
    sizes: tuple[Count, ...] = (1,)
    name: str = ""


def test_every_number_of_a_class_has_its_sentence() -> None:
    assert list(said_by(Rings)) == [
        "number must be 1 or more, not ‹value›.",
        "share must be between 0 and 1, not ‹value›.",
        "a number in sizes must be 1 or more, not ‹value›.",
    ]


def test_functions_count_if_they_check() -> None:
    def plain(number: Count) -> int:
        return number

    assert list(said_by(plain)) == []
    assert list(said_by(in_range(plain))) == ["number must be 1 or more, not ‹value›."]
    assert list(said_by("no function")) == []


def test_the_sentence_is_the_one_that_is_said() -> None:
    with pytest.raises(Exception, match="number must be 1 or more, not 0") as told:
        Rings(0)
    assert str(told.value).replace("0.", "‹value›.") == refusal(
        "number", ranges_of(Rings)["number"]
    )


@pytest.mark.slow
def test_real_fields_are_among_them() -> None:
    found = {(each.text, each.module) for each in range_messages()}
    assert ("seeds must be 1 or more, not ‹value›.", "app/studies/demo.py") in found
    assert any(module == "augment/smixup.py" for _, module in found)
    assert len(found) > 100
