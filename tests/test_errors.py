"""An error tells the user what is meant."""

from __future__ import annotations

import pytest

from smixup.errors import SmixupError, UsageError, require, unknown_name


def test_a_near_name_is_suggested_as_it_is_spelt() -> None:
    message = str(unknown_name("dataset", "imdb-binry", ["NCI1", "IMDB-BINARY", "MOTIF"]))
    assert "unknown dataset 'imdb-binry'" in message
    assert "Did you mean 'IMDB-BINARY'?" in message
    assert "IMDB-BINARY, MOTIF, NCI1" in message


def test_a_far_name_gets_the_list_alone() -> None:
    message = str(unknown_name("method", "zzz", ["vanilla", "s-mixup"]))
    assert "Did you mean" not in message
    assert "s-mixup, vanilla" in message


def test_known_names_may_be_any_iterable() -> None:
    assert "Did you mean 'gin'?" in str(unknown_name("backbone", "gim", iter(["gcn", "gin"])))


def test_wrong_use_is_also_work_that_failed() -> None:
    assert isinstance(unknown_name("method", "x", []), UsageError)
    assert issubclass(UsageError, SmixupError)
    assert not issubclass(SmixupError, ValueError)


def test_a_value_that_is_not_allowed() -> None:
    require(True, "alpha", 1, "above 0")
    with pytest.raises(UsageError, match=r"^alpha must be above 0, not -1\.$"):
        require(False, "alpha", -1, "above 0")
