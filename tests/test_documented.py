"""Docstrings as listings read them."""

from __future__ import annotations

import pytest

from smixup.app.runs.registry import MATCHERS, METHODS, option_types
from smixup.augment.smixup import SMixup
from smixup.documented import attributes, summary, summary_unimported


class Base:
    """A thing.

    Attributes:
        first: of the base.
        second: what stands
            on two lines.
    """


class Derived(Base):
    """A thing that
    goes on.

    More about it: not an entry.

    Attributes:
        second: said anew.
        third, fourth: of the class, see
            `there`.

    Nothing below counts:
        fifth: no.
    """


class Silent(Derived):
    pass


class Referring:
    """A thing that knows where to look.

    Attributes:
        second: see `Base`.
        fifth: see `Base`.
        sixth: see `Nowhere`.
    """


def test_the_first_paragraph_is_one_line() -> None:
    assert summary(Derived) == "A thing that goes on."
    assert summary(lambda: None) == ""


def test_a_source_is_read_without_importing_it() -> None:
    address = "smixup.augment.baselines.drop_edge:DropEdge"
    assert summary_unimported(address) == summary(METHODS.factory("drop-edge"))


def test_attributes_come_from_all_classes_above_and_the_nearest_has_the_word() -> None:
    assert attributes(Derived) == {
        "first": "of the base.",
        "second": "said anew.",
        "third": "of the class, see `there`.",
        "fourth": "of the class, see `there`.",
    }
    assert attributes(Base)["second"] == "what stands on two lines."
    assert attributes(Silent) == attributes(Derived)


def test_who_refers_to_another_class_says_what_that_one_says() -> None:
    assert attributes(Referring) == {
        "second": "what stands on two lines.",
        "fifth": "see `Base`.",
        "sixth": "see `Nowhere`.",
    }
    assert attributes(MATCHERS.factory("siamese"))["patience"].startswith("looks without")


def test_a_real_class() -> None:
    assert attributes(SMixup)["fold_ratio"] == "lambda in [0.5, 1] (paper) instead of [0, 1]."


@pytest.mark.parametrize(
    ("registry", "name"),
    [(registry, name) for registry in (METHODS, MATCHERS) for name in registry],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_every_setting_of_every_method_and_matcher_says_what_it_means(
    registry: object, name: str
) -> None:
    factory = registry.factory(name)  # type: ignore[attr-defined]
    silent = [field for field in option_types(factory) if field not in attributes(factory)]
    assert silent == []
