"""Imports point one way, as docs/architecture.md says, and the command line starts without
torch.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import smixup

SOURCE = Path(smixup.__file__).parent
LAYERS = [
    {"graphs"},
    {"datasets", "matching", "classifiers"},
    {"augment"},
    {"training"},
    {"analysis"},
    {"lab.runs"},
    {"lab.sweeps"},
    {"lab.tables"},
    {"lab.studies"},
    {"lab.figures"},
    {"lab.pages"},
    {"lab.bench"},
    {"lab.cli"},
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
FORBIDDEN = {("augment", "classifiers")}


def room_of(parts: Sequence[str]) -> str:
    """The room of a dotted name: a package of the library, or a room of the laboratory."""
    return ".".join(parts[:2]) if parts[0] == "lab" else parts[0]


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
    found = {room_of(parts) for parts in packages if parts and parts != ("lab",)}
    assert found == set(LEVEL), "add the package to docs/architecture.md and to LAYERS"


def test_imports_point_one_way() -> None:
    wrong = []
    for path in sorted(SOURCE.glob("*/**/*.py")):
        package = room_of(path.relative_to(SOURCE).parts)
        if package == "lab.__init__.py":
            continue
        for line, imported in imported_rooms(ast.parse(path.read_text())):
            if not allowed(package, imported):
                wrong.append(f"{path.relative_to(SOURCE)}:{line} imports {imported}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", ["errors", "seeding", "progress", "checkpoint"])
def test_what_is_shared_by_all_imports_none(module: str) -> None:
    assert not list(imported_rooms(ast.parse((SOURCE / f"{module}.py").read_text())))


def test_the_rule_itself() -> None:
    wrong = "def late():\n    from smixup.lab.cli import main\n    import smixup.lab.bench.timing\n"
    wrong += "    from smixup import augment\n"
    assert [imported for _, imported in imported_rooms(ast.parse(wrong))] == [
        "lab.cli",
        "lab.bench",
        "augment",
    ]
    assert allowed("training", "graphs")
    assert not allowed("graphs", "training")
    assert not allowed("datasets", "matching")
    assert not allowed("augment", "classifiers")


@pytest.mark.parametrize("module", ["smixup", "smixup.lab.cli.main"])
def test_importing_does_not_import_torch(module: str) -> None:
    code = (
        f"import sys, {module}; print([name for name in ('torch', 'torch_geometric') if name in "
        "sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
