"""Tables of fields, made from classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, get_origin

import pytest
from field_tables import default_text, field_table, first_sentence, sections, settable, type_text

from smixup import ranges
from smixup.app.runs.registry import MATCHERS, METHODS
from smixup.augment.smixup import SMixup


@dataclass
class Base:
    """A base.

    Attributes:
        seed: the seed of everything. None draws one.
    """

    seed: int | None = None


@dataclass
class Part:
    """A part."""


@dataclass
class Derived(Base):
    """Does a thing.

    It does it well.

    Attributes:
        kind: one or the other; `a` is faster.
        part: whatever | or not.
    """

    kind: Literal["a", "b"] = "a"
    part: Part = field(default_factory=Part)
    found: int = field(default=0, init=False)


def test_a_table_has_what_can_be_set_own_fields_first() -> None:
    first, _, _, *rows, last = field_table(Derived).splitlines()
    assert (first, last) == (":::{container} fields", ":::"), "phones show such tables as lists"
    assert rows == [
        "| `kind` | `'a'` | `'a' or 'b'` | One or the other; `a` is faster. |",
        r"| `part` | `Part()` | `Part` | Whatever \| or not. |",
        r"| `seed` | `None` | `int \| None` | The seed of everything. |",
    ]


def test_what_has_no_fields_says_so() -> None:
    assert field_table(Part) == "It has no fields.\n"
    assert field_table(int) == "It has no fields.\n"


def test_a_section_has_a_heading_and_a_sentence() -> None:
    text = sections([("thing", Derived)])
    assert text.startswith(
        "### thing\n\n`Derived`: Does a thing.\n\n:::{container} fields\n| field |"
    )


def test_sentences() -> None:
    assert first_sentence("alpha, in [0.5, 1]. The rest.") == "Alpha, in [0.5, 1]."
    assert first_sentence("see Eq. (9)") == "See Eq. (9)."
    assert first_sentence("") == ""


def test_a_real_class() -> None:
    alpha = next(each for each in settable(SMixup) if each.name == "alpha")
    assert default_text(alpha) == "0.2"
    assert type_text(SMixup, "label") == "'lambda' or 'arrived'"


@pytest.mark.parametrize("registry", [METHODS, MATCHERS], ids=lambda each: each.kind)
def test_every_field_of_every_method_and_matcher_has_a_meaning(registry) -> None:
    tables = [field_table(registry.factory(name)) for name in registry]
    assert [line for table in tables for line in table.splitlines() if line.endswith("|  |")] == []


def test_every_kind_of_range_is_explained() -> None:
    text = (Path(__file__).parents[2] / "docs" / "fields.md").read_text(encoding="utf-8")
    kinds = [name for name, each in vars(ranges).items() if get_origin(each) is Annotated]
    assert "Share" in kinds and all(f"`{name}`" in text for name in kinds)
