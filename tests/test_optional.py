"""A package of an extra is imported, or the error says how to install it."""

from __future__ import annotations

import pytest
import torch

from smixup.errors import SmixupError
from smixup.optional import MissingPackageError, import_optional, require_optional


def test_a_package_that_is_there() -> None:
    assert import_optional("torch", "PyTorch", "chem") is torch
    assert import_optional("torch.nn", "PyTorch", "chem") is torch.nn


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(SmixupError) as raised:
        import_optional("no_such_module_anywhere", "Nothing", "matching")
    words = "this needs Nothing, which is missing: pip install 'smixup[matching]'."
    assert str(raised.value) == words


def test_what_is_needed_is_asked_for_before_it_is_used() -> None:
    require_optional("torch", "PyTorch", "chem", "a test")
    with pytest.raises(MissingPackageError, match=r"an audit needs Nothing, .*matching"):
        require_optional("no_such_module_anywhere", "Nothing", "matching", "an audit")
