"""Options become a scope; without any, the last one counts."""

from __future__ import annotations

import pytest

from smixup.app.cli.scope import Part
from smixup.app.tables.scope import Scope
from smixup.errors import UsageError


def test_what_no_option_says_stays_as_it_was() -> None:
    assert Part().scope() == Scope()
    before = Scope(datasets=("MUTAG",), epochs=3)
    assert Part([], [], []).scope(before) == before
    assert Part(["MOTIF"], [], [], 2).scope(before) == Scope(datasets=("MOTIF",), seeds=2, epochs=3)


@pytest.mark.parametrize(
    ("options", "scope"),
    [
        ((["MOTIF", "NCI1"], None, None, None, None, None), Scope(datasets=("MOTIF", "NCI1"))),
        (
            (None, ["gin"], ["S-Mixup"], None, None, None),
            Scope(backbones=("gin",), methods=("S-Mixup",)),
        ),
        ((None, None, None, 3, 5, None), Scope(seeds=3, epochs=5)),
        ((None, None, None, None, None, False), Scope(search=False)),
        ((None, None, None, None, None, True), Scope()),
    ],
)
def test_options_become_a_scope(
    options: tuple[
        list[str] | None, list[str] | None, list[str] | None, int | None, int | None, bool | None
    ],
    scope: Scope,
) -> None:
    assert Part(*options).scope() == scope


def test_a_number_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="seeds must be 1 or more or None, not 0"):
        Part(seeds=0).scope()


def test_the_first_seed_stays_until_another_is_given() -> None:
    before = Part(first_seed=100).scope()
    assert before == Scope(first_seed=100)
    assert Part().scope(before).first_seed == 100
    assert Part(first_seed=0).scope(before).first_seed == 0
