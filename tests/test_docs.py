"""README, docs, docstrings and examples: what they say can be typed, and runs."""

from __future__ import annotations

import ast
import doctest
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import torch

import smixup

ROOT = Path(__file__).parents[1]
SOURCE = Path(smixup.__file__).parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("experiments/*.md")]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SMALL = "--graphs 40 --epochs 1 --steps 1"
EXAMPLES = {
    "estimator": [SMALL],
    "lightning_module": [SMALL],
    "loop": [f"{SMALL} --task {task}" for task in ("classes", "labels", "values")],
    "molecules": [SMALL],
    "own_backbone": [SMALL],
    "first_steps": [""],
    "graph_files": [""],
    "compare_methods": ["--graphs 40 --epochs 1 --seeds 2"],
}
DOCTESTS = [
    ".".join(["smixup", *path.relative_to(SOURCE).with_suffix("").parts])
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def blocks(*languages: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            if language in languages:
                yield page.name, text


def test_python_imports_names_that_exist() -> None:
    for page, text in blocks("python"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("smixup"):
                module = import_module(str(node.module))
                missing = [name.name for name in node.names if not hasattr(module, name.name)]
                assert not missing, f"{page}: {missing}"


def test_commands_can_be_typed() -> None:
    import typer

    from smixup.app.cli.main import app

    program = typer.main.get_command(app)
    for page, text in blocks("sh", "bash"):
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            if not words or words[0] != "smixup":
                continue
            command, rest = program, words[1:]
            while rest and rest[0] in getattr(command, "commands", {}):
                command, rest = command.commands[rest[0]], rest[1:]  # type: ignore[attr-defined]
            options = {name for option in command.params for name in option.opts}
            unknown = [word for word in rest if re.match("--?[a-z]", word) and word not in options]
            assert command is not program and not unknown, f"{page}: {line}"


def test_the_block_of_the_readme_is_an_example() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = (ROOT / "examples" / "first_steps.py").read_text(encoding="utf-8")
    assert f"```python\n{example}```" in readme


@pytest.mark.parametrize("module", DOCTESTS)
def test_docstrings(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*")  # Lightning's, from torch's tree functions
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SMIXUP_ROOT", str(tmp_path))
    for arguments in EXAMPLES[name]:
        monkeypatch.setattr(sys, "argv", [name, *arguments.split()])
        with torch.random.fork_rng():
            runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")


def test_every_example_is_tested() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == {*EXAMPLES}
