"""Methods by name are those of the command line."""

from __future__ import annotations

import pytest

from smixup.app.runs.registry import METHODS
from smixup.augment import DropEdge, SMixup
from smixup.errors import UsageError
from smixup.models.methods import NAMES, method_of, name_of


def test_names_are_those_of_the_command_line() -> None:
    assert set(NAMES) == set(METHODS)
    for name in NAMES:
        assert type(method_of(name, None, seed=3)) is METHODS.factory(name)


def test_settings_and_seeds() -> None:
    found = method_of("drop-edge", {"p": 0.3}, seed=3)
    assert isinstance(found, DropEdge)
    assert (found.p, found.seed) == (0.3, 3)
    assert method_of("drop-edge", {"seed": 5}, seed=3).seed == 5  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="unknown setting of drop-edge 'q'"):
        method_of("drop-edge", {"q": 1}, seed=0)
    with pytest.raises(UsageError, match=r"in Python .* matcher=GraphMatcher\(max_steps=\.\.\.\)"):
        method_of("s-mixup", {"matcher.max_steps": 2}, seed=0)
    with pytest.raises(UsageError, match=r"unknown method 's-mixap'\. Did you mean 's-mixup'"):
        method_of("s-mixap", None, seed=0)


def test_an_object_is_copied() -> None:
    given = SMixup(alpha=0.3)
    found = method_of(given, None, seed=0)
    assert found is not given
    assert (found.alpha, name_of(given), name_of("vanilla")) == (0.3, "s-mixup", "vanilla")  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="settings belong to the name of a method"):
        method_of(given, {"alpha": 1.0}, seed=0)
