"""Examples in docstrings give what they say; other blocks of code at least compile."""

from __future__ import annotations

import ast
import doctest
import re
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from textwrap import dedent

import pytest

import smixup

SOURCE = Path(smixup.__file__).parent
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


def module_of(path: Path) -> str:
    return ".".join(["smixup", *path.relative_to(SOURCE).with_suffix("").parts])


RUNNABLE = [
    module_of(path) for path in sorted(SOURCE.rglob("*.py")) if "    >>> " in path.read_text()
]


def docstrings() -> list[tuple[Path, str]]:
    return [
        (path, cleandoc(ast.get_docstring(node) or ""))
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, DOCUMENTED)
    ]


@pytest.mark.parametrize("name", RUNNABLE)
def test_examples_give_what_they_say(name: str) -> None:
    found = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0


def test_there_are_examples() -> None:
    assert len(RUNNABLE) >= 8


def test_blocks_of_code_compile() -> None:
    blocks = [(path, block) for path, text in docstrings() for block in BLOCK.findall(text)]
    assert len(blocks) >= 5
    for path, block in blocks:
        compile(dedent(block), str(path), "exec")
