"""Types of keywords are found wherever they were declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from smixup.augment import AlignedCut, GraphTransplant, SMixup
from smixup.hints import field_type
from smixup.matching import Matcher
from smixup.ranges import Share


@dataclass
class Late:
    known: int
    unknown: Nowhere  # type: ignore[name-defined]  # noqa: F821


class Plain:
    def __init__(self, share: Share, name: str = "") -> None:
        self.share, self.name = share, name


def test_a_field_may_come_from_a_class_of_another_module() -> None:
    assert field_type(AlignedCut, "seed") == int | None
    assert field_type(AlignedCut, "alpha") is float
    assert field_type(GraphTransplant, "hops") is int
    assert field_type(SMixup, "matcher") is Matcher
    assert field_type(Late, "known") is int
    assert field_type(Late, "unknown") is None


def test_functions_and_other_classes_have_keywords_too() -> None:
    def rings(number: int, free) -> None:  # type: ignore[no-untyped-def]
        pass

    assert field_type(rings, "number") is int
    assert field_type(rings, "free") is None
    assert field_type(Plain, "name") is str


def test_what_is_added_to_a_type_is_returned_on_demand() -> None:
    for kind, name in ((Plain, "share"), (AlignedCut, "until")):
        assert field_type(kind, name) is float
        assert field_type(kind, name, annotated=True) is Share
    assert field_type(Plain, "name", annotated=True) is str
    assert field_type(Late, "known", annotated=True) is not Annotated
