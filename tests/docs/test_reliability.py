"""The tests that docs/reliability.md names exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}


def test_the_tests_that_are_named_exist() -> None:
    named = NAMED.findall((ROOT / "docs" / "reliability.md").read_text(encoding="utf-8"))
    assert len(named) > 40
    assert [f"{file}::{name}" for file, name in named if name not in functions(file)] == []
