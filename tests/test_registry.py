"""A name is imported when it is asked for; a wrong one suggests a right one."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from smixup.app.runs.registry import BACKBONES, MATCHERS, METHODS
from smixup.datasets.sources import SOURCES
from smixup.errors import UsageError
from smixup.registry import Registry

NUMBERS: Registry[Fraction] = Registry(
    "number", {"half": lambda: Fraction(1, 2), "any": "fractions:Fraction"}
)


def test_an_object_or_where_it_is() -> None:
    assert NUMBERS.factory("half")() == Fraction(1, 2)
    assert NUMBERS.factory("any") is Fraction
    assert [NUMBERS.module(name) for name in NUMBERS] == [__name__, "fractions"]


def test_a_wrong_name() -> None:
    with pytest.raises(UsageError, match=r"unknown number 'hal'\. Did you mean 'half'"):
        NUMBERS.factory("hal")


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    code = "import sys; from smixup.registry import Registry; r = Registry('x', {'a': 'wave:open'})"
    code += "; print(r.module('a'), 'wave' in sys.modules, r.factory('a'), 'wave' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("wave False <function open")
    assert done.stdout.endswith("True\n")


@pytest.mark.parametrize("registry", [BACKBONES, METHODS, MATCHERS, SOURCES])
def test_a_line_names_the_module_in_which_the_object_is_defined(registry: Registry) -> None:
    for name in registry:
        assert registry.factory(name).__module__ == registry.module(name)
