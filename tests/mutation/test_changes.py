"""Mutants are what they say: one change each, inside functions, and code that still runs."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from mutation.changes import mutants, mutated, places

TEXT = '''
LIMIT = 3


def share(values, most=5):
    """Not a place to change."""
    total = 0
    for value in values:
        if value < 0:
            raise ValueError("below 0")
        total += min(value, most)
    return total / 2 if not values == [] else -1
'''


def changed() -> dict[str, Any]:
    """All mutants of the function, by what they say."""
    found = {}
    for number in range(len(list(places(ast.parse(TEXT))))):
        tree = ast.parse(TEXT)
        _, change = list(places(tree))[number]
        said, names = change(), dict[str, Any]()
        exec(compile(ast.fix_missing_locations(tree), "mutant", "exec"), names)
        found[said] = names["share"]
    return found


def test_every_change_is_told_and_does_what_it_says() -> None:
    found = changed()
    assert found["min  ->  max"]([9]) == 4.5
    assert found["value < 0  ->  value <= 0"]([1]) == 0.5
    with pytest.raises(ValueError, match="below 0"):
        found["value < 0  ->  value <= 0"]([0])
    assert found["total / 2  ->  total * 2"]([1]) == 2
    assert found["total += min(value, most)  ->  nothing"]([1]) == 0
    assert found["values == []  ->  values != []"]([1]) == -1
    assert found["2  ->  1"]([1]) == 1
    assert found["-1  ->  +1"]([]) == 1
    assert found["if value < 0:  ->  if False:"]([-1]) == -0.5


def test_constants_outside_of_functions_defaults_and_errors_stay() -> None:
    assert not any(said.startswith(("3 ", "5 ", "'below")) for said in changed())


def test_mutants_of_a_module_differ_from_it_and_from_each_other() -> None:
    found = mutants("graphs/ragged")
    assert found
    trees = {ast.unparse(mutated("graphs/ragged", each.number)[0]) for each in found}
    assert len(trees) == len(found)
    assert all(each.line <= each.last for each in found)
