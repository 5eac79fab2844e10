"""Every way from scores to an assignment has a name, and what holds for all of them holds."""

from __future__ import annotations

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest
import torch
from padded_scores import SIZES, Bare, padded_scores

from smixup import matching
from smixup.errors import UsageError
from smixup.matching.normalization import Normalization
from smixup.matching.normalizations import NORMALIZATIONS


def test_all_that_the_package_has_are_there() -> None:
    modules = [
        import_module(f"smixup.matching.{each.name}") for each in iter_modules(matching.__path__)
    ]
    found = {
        each
        for module in modules
        for each in vars(module).values()
        if inspect.isclass(each)
        and issubclass(each, Normalization)
        and not inspect.isabstract(each)
    }
    assert found == set(NORMALIZATIONS.classes.values())
    assert len(found) == 5


@pytest.mark.parametrize("name", NORMALIZATIONS.classes)
def test_an_object_and_its_text_mean_the_same(name: str) -> None:
    made = NORMALIZATIONS.of(name)
    assert NORMALIZATIONS.of(str(made)) == made
    assert NORMALIZATIONS.of(made) is made


def test_settings_are_read_from_text() -> None:
    made = NORMALIZATIONS.of("one-to-one(rounds=5)")
    assert made.rounds == 5
    assert str(made) == "one-to-one(rounds=5)"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sinkhom", "unknown normalization 'sinkhom'. Did you mean 'sinkhorn'"),
        ("sinkhorn(round=3)", "Did you mean 'rounds'"),
        ("columns(", r"'columns\(' is no normalization: write name or name\(field=value\)"),
        (
            "sinkhorn(rounds=many)",
            "rounds of normalization sinkhorn must be an integer, not 'many'",
        ),
    ],
)
def test_other_texts_are_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        NORMALIZATIONS.of(text)


@pytest.mark.parametrize("name", NORMALIZATIONS.classes)
def test_columns_hold_one_at_most_and_nothing_is_negative(name: str, bare: Bare) -> None:
    """But for rows, which sum to one by themselves."""
    scores, mask = padded_scores(SIZES)
    M = NORMALIZATIONS.of(name)(scores, bare(mask))
    assert (M >= 0).all()
    along = 2 if name == "rows" else 1
    assert (M.sum(along) <= 1 + 1e-4).all()


@pytest.mark.parametrize("name", NORMALIZATIONS.classes)
def test_padding_changes_nothing_and_stays_empty(name: str, bare: Bare) -> None:
    scores, mask = padded_scores(SIZES)
    normalize = NORMALIZATIONS.of(name)
    M = normalize(scores, bare(mask))
    assert not M[~mask].any()
    for b, (n1, n2) in enumerate(SIZES):
        alone = normalize(scores[b : b + 1, :n1, :n2], bare(mask[b : b + 1, :n1, :n2]))
        torch.testing.assert_close(M[b : b + 1, :n1, :n2], alone)


def test_a_number_of_rounds_that_does_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="rounds must be 1 or more, not 0"):
        NORMALIZATIONS.of("sinkhorn(rounds=0)")
