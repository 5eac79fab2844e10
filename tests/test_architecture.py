"""Imports point one way, as docs/architecture.md says, the library needs few packages, and the
command line starts without torch.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tomllib import loads

import pytest

import smixup

SOURCE = Path(smixup.__file__).parent
LAYERS = [
    {"tasks", "graphs", "nn"},
    {"edits"},
    {"datasets", "matching", "classifiers"},
    {"augment"},
    {"training"},
    {"models"},
    {"analysis"},
    {"app.evidence"},
    {"app.runs"},
    {"app.sweeps"},
    {"app.tables"},
    {"app.studies"},
    {"app.pictures"},
    {"app.pages"},
    {"app.bench"},
    {"app.cli"},
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
# Figures draw what studies have measured: there is nothing to measure with.
FORBIDDEN = {("augment", "classifiers")} | {
    ("app.pictures", package) for package in ("datasets", "matching", "augment")
}
PROJECT = loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
EXTRAS = PROJECT["optional-dependencies"]


def packages(requirements: Sequence[str]) -> set[str]:
    """The names of packages, as they are written to import them."""
    names = (re.split(r"[<>=\[;]", each)[0] for each in requirements)
    return {name.strip().lower().replace("-", "_") for name in names}


BASE = packages(PROJECT["dependencies"])
LAB = packages(EXTRAS["lab"])


def room_of(parts: Sequence[str]) -> str:
    """The room of a dotted name: a package of the library, or a room of the laboratory."""
    return ".".join(parts[:2]) if parts[0] == "app" else parts[0]


def imported_rooms(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and room of every import of our own, wherever in the file it stands."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            root, *rest = name.split(".")
            if root == "smixup" and rest and room_of(rest) in LEVEL:
                yield node.lineno, room_of(rest)


def allowed(package: str, imported: str) -> bool:
    downwards = LEVEL[imported] < LEVEL[package]
    return imported == package or (downwards and (package, imported) not in FORBIDDEN)


def test_every_package_is_in_the_plan() -> None:
    packages = [path.parent.relative_to(SOURCE).parts for path in SOURCE.glob("**/__init__.py")]
    found = {room_of(parts) for parts in packages if parts and parts != ("app",)}
    assert found == set(LEVEL), "add the package to docs/architecture.md and to LAYERS"


def test_imports_point_one_way() -> None:
    wrong = []
    for path in sorted(SOURCE.glob("*/**/*.py")):
        package = room_of(path.relative_to(SOURCE).parts)
        if package not in LEVEL:  # a file of app itself
            continue
        for line, imported in imported_rooms(ast.parse(path.read_text())):
            if not allowed(package, imported):
                wrong.append(f"{path.relative_to(SOURCE)}:{line} imports {imported}")
    assert not wrong, "\n".join(wrong)


def imported_packages(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and package of every import from elsewhere, except those for type checkers alone."""
    if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
        return
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom):
        names = [str(node.module)]
    for root in {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"smixup"}:
        yield node.lineno, root
    for child in ast.iter_child_nodes(node):
        yield from imported_packages(child)


def test_the_library_needs_the_base_packages_alone_and_the_laboratory_its_extra() -> None:
    wrong = []
    for path in sorted(SOURCE.glob("**/*.py")):
        place = path.relative_to(SOURCE)
        known = BASE | LAB if place.parts[0] == "app" else BASE
        for line, package in imported_packages(ast.parse(path.read_text())):
            if package not in known:
                wrong.append(f"{place}:{line} imports {package}: use import_optional")
    assert not wrong, "\n".join(wrong)


def test_what_is_imported_on_demand_is_in_the_extra_that_is_named() -> None:
    asked = []
    for path in sorted(SOURCE.glob("**/*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_optional":
                _, package, extra = (ast.literal_eval(each) for each in node.args)
                asked.append((package.lower().replace("-", "_"), extra))
    assert len(asked) >= 5
    assert [pair for pair in asked if pair[0] not in packages(EXTRAS[pair[1]])] == []


def test_the_rule_of_packages_itself() -> None:
    code = "import torch.nn, os\nif TYPE_CHECKING:\n    import ray\n"
    code += "def late():\n    from rich.table import Table\n    from smixup import errors\n"
    assert list(imported_packages(ast.parse(code))) == [(1, "torch"), (5, "rich")]
    assert {"torch", "torch_geometric"} <= BASE
    assert not BASE & LAB


@pytest.mark.parametrize(
    "module",
    ["errors", "seeding", "progress", "checkpoint", "files", "optional", "registry", "warning"],
)
def test_what_is_shared_by_all_imports_none(module: str) -> None:
    assert not list(imported_rooms(ast.parse((SOURCE / f"{module}.py").read_text())))


def test_the_rule_itself() -> None:
    wrong = "def late():\n    from smixup.app.cli import main\n    import smixup.app.bench.timing\n"
    wrong += "    from smixup import augment\n"
    assert [imported for _, imported in imported_rooms(ast.parse(wrong))] == [
        "app.cli",
        "app.bench",
        "augment",
    ]
    assert allowed("training", "graphs")
    assert not allowed("graphs", "training")
    assert not allowed("datasets", "matching")
    assert not allowed("augment", "classifiers")
    assert not allowed("app.pictures", "matching")
    assert allowed("app.pictures", "app.studies")


@pytest.mark.parametrize("module", ["smixup", "smixup.app.runs.registry", "smixup.app.cli.main"])
def test_importing_does_not_import_torch(module: str) -> None:
    code = (
        f"import sys, {module}; print([name for name in ('torch', 'torch_geometric') if name in "
        "sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
