"""A scope goes through JSON and back, and refuses what makes no sense."""

from __future__ import annotations

import json

import pytest

from smixup.app.tables.scope import Scope
from smixup.errors import UsageError

PART = Scope(
    ("MOTIF", "NCI1"), ("gin",), ("S-Mixup",), seeds=3, epochs=5, search=False, first_seed=100
)


@pytest.mark.parametrize("scope", [Scope(), PART])
def test_it_comes_back_from_json(scope: Scope) -> None:
    back = Scope.from_dict(json.loads(json.dumps(scope.to_dict())))
    assert back == scope
    assert hash(back) == hash(scope)


def test_other_epochs_are_a_rehearsal() -> None:
    assert PART.rehearsal
    assert not Scope(seeds=1, search=False).rehearsal


@pytest.mark.parametrize("field", ["seeds", "epochs"])
@pytest.mark.parametrize("value", [0, -3])
def test_numbers_below_one_are_refused(field: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"{field} must be 1 or more or None, not {value}"):
        Scope(**{field: value})


def test_seeds_have_no_sign() -> None:
    with pytest.raises(UsageError, match="first_seed must be 0 or more, not -1"):
        Scope(first_seed=-1)


def test_a_scope_of_an_older_store_starts_at_seed_0() -> None:
    older = {name: each for name, each in Scope().to_dict().items() if name != "first_seed"}
    assert Scope.from_dict(older) == Scope(first_seed=0)
