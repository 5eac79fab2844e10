"""Imports point one way, as docs/architecture.md says, and need the base packages alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tomllib import loads

import pytest

import smixup

SOURCE = Path(smixup.__file__).parent
LAYERS = [
    {"tasks", "graphs"},
    {"classical"},
    {"datasets", "matching", "classifiers"},
    {"augment"},
    {"training"},
    {"models"},
    {"app"},
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
FORBIDDEN = {("augment", "classifiers")}
PROJECT = loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]


def packages(requirements: list[str]) -> set[str]:
    """Return the names of packages, as they are written to import them."""
    names = {re.split(r"[<>=\[;]", line)[0].strip().lower() for line in requirements}
    return {name.replace("-", "_") for name in names}


BASE = packages(PROJECT["dependencies"])
EXTRAS = {extra: packages(names) for extra, names in PROJECT["optional-dependencies"].items()}


def imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of every import, except those for type checkers alone."""
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"line {node.lineno}: imports are absolute"
        yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


def of_modules() -> Iterator[tuple[Path, int, str]]:
    for path in sorted(SOURCE.glob("**/*.py")):
        for line, name in imports(ast.parse(path.read_text(encoding="utf-8"))):
            yield path.relative_to(SOURCE), line, name


def test_every_room_has_a_layer() -> None:
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert rooms == set(LEVEL), "add the room to docs/architecture.md and to LAYERS"


def test_imports_point_one_way() -> None:
    wrong = []
    for path, line, name in of_modules():
        room, (root, *rest) = path.parts[0], name.split(".")
        if root != "smixup" or not {room, rest[0] if rest else ""} <= {*LEVEL} or room == rest[0]:
            continue
        if LEVEL[rest[0]] >= LEVEL[room] or (room, rest[0]) in FORBIDDEN:
            wrong.append(f"{path}:{line} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_what_is_imported_is_a_base_package() -> None:
    known = {*sys.stdlib_module_names, *BASE, "smixup", "sklearn", "markupsafe"}
    wrong = [
        f"{path}:{line} imports {name}: use import_optional"
        for path, line, name in of_modules()
        if name.partition(".")[0] not in known
    ]
    assert not wrong, "\n".join(wrong)


def test_what_is_imported_on_demand_is_in_the_extra_that_is_named() -> None:
    for path in sorted(SOURCE.glob("**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_optional":
                _, package, extra = (ast.literal_eval(argument) for argument in node.args)
                assert package.lower().replace("-", "_") in EXTRAS[extra], f"{path}:{node.lineno}"


@pytest.mark.parametrize("module", ["smixup", "smixup.app.runs.registry", "smixup.app.cli.main"])
def test_importing_does_not_import_torch(module: str) -> None:
    code = f"import sys, {module}; print({{'torch', 'torch_geometric'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
