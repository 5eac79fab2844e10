"""The command starts at once, helps, and fails in one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner, Result

import smixup as package
from smixup.app.cli import output
from smixup.app.cli.main import Commands, app
from smixup.app.cli.main import options as shared
from smixup.app.cli.output import print_table
from smixup.app.runs.config import SPLITS
from smixup.errors import SmixupError, UsageError

Run = Callable[..., Result]
BUDGET = 100


def failing(error: BaseException) -> typer.Typer:
    """The command line with one command, which fails."""
    broken = typer.Typer(cls=Commands, pretty_exceptions_enable=False)
    broken.callback()(shared)

    @broken.command()
    def work() -> None:
        raise error

    return broken


ERRORS = [
    (SmixupError("the file is gone."), 1, "smixup: the file is gone."),
    (UsageError("no such name."), 2, "smixup: no such name."),
    (KeyboardInterrupt(), 130, "interrupted"),
    (OSError(28, "No space left", "/page"), 1, "smixup: No space left (/page)."),
    (MemoryError(), 1, "smixup: there is not enough memory: SMIXUP_MEMORY=2GB"),
    (ModuleNotFoundError("No x"), 1, "smixup: unexpected ModuleNotFoundError: No x"),
    (
        ValueError("odd\x1b[31m\nand long"),
        1,
        "smixup: unexpected ValueError: odd\\x1b[31m (SMIXUP",
    ),
]


def test_errors_are_one_line_and_an_exit_code() -> None:
    for error, code, words in ERRORS:
        result = CliRunner().invoke(failing(error), ["work"])
        assert (result.exit_code, result.stdout) == (code, "")
        assert result.stderr.startswith(words) and result.stderr.count("\n") == 1


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMIXUP_DEBUG", "1")
    assert "Traceback" in CliRunner().invoke(failing(ValueError("odd")), ["work"]).stderr


WRONG = [
    ("train --dateset MOTIF", "no such option: --dateset", "train"),
    ("tain", "no such command 'tain'. Did you mean 'train'?", ""),
    ("demo --workers x", "invalid value for '--workers': Input should be a valid integer", "demo"),
    ("compare", "missing argument 'DATA'", "compare"),
    ("data stats MOTIF --rot 3", "no such option: --rot", "data stats"),
    ("--dataset MOTIF", "no such option: --dataset", ""),
]


def test_wrong_use_is_answered_in_one_line_that_says_where_to_look() -> None:
    for words, message, command in WRONG:
        result = CliRunner().invoke(app, words.split())
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"smixup: {message}")
        where = " ".join(f"smixup {command}".split())
        assert result.stderr.endswith(f" `{where} -h` tells what is allowed.\n")
        assert result.stderr.count("\n") == 1
    for group in ([], ["data"]):
        result = CliRunner().invoke(app, group)
        assert "Usage" in result.output and "tells what" not in result.output


def parameters(command: Any, path: str = "smixup") -> Iterator[tuple[str, str, str]]:
    """Yield command, name and help of every command, option and argument."""
    yield path, "", command.help
    for parameter in command.params:
        yield path, parameter.name, parameter.help or ""
    for name, below in getattr(command, "commands", {}).items():
        yield from parameters(below, f"{path} {name}")


PARAMETERS = [found for found in parameters(get_command(app)) if found[1] != "help"]


def test_twelve_commands_and_fewer_than_a_hundred_options_have_a_sentence_each() -> None:
    (text,) = (text for path, name, text in PARAMETERS if (path, name) == ("smixup train", "split"))
    assert set(SPLITS) <= set(re.findall(r"\w+", text)), "help names every choice"
    paths = {path for path, *_ in PARAMETERS}
    leaves = {path for path in paths if not any(each.startswith(f"{path} ") for each in paths)}
    assert len(leaves) == 12
    completion = ("install_completion", "show_completion")
    count = sum(bool(name) and name not in completion for _, name, _ in PARAMETERS)
    assert count <= BUDGET
    wrong = [found for found in PARAMETERS if not re.fullmatch(r"[A-Z][\s\S]*\.", found[2].strip())]
    assert not [found for found in wrong if found[1] not in completion]
    first = [text.partition("\n")[0] for path, name, text in PARAMETERS if not name]
    assert max(map(len, first[1:])) <= 66, "the list of commands cuts longer ones"


STARTED = """
import sys
from smixup.app.cli.main import app
for words in (["--help"], ["train", "--help"], ["--version"], ["methods"], ["data", "list"]):
    app(words, standalone_mode=False)
    heavy = {"torch", "matplotlib", "scipy", "sklearn"} & set(sys.modules)
    if "help" in words[-1] or "version" in words[-1]:
        heavy |= {"numpy", "rich.console"} & set(sys.modules)
    assert not heavy, (words, heavy)
"""


def test_help_and_lists_import_nothing_heavy(tmp_path: Path) -> None:
    environment = os.environ | {"SMIXUP_ROOT": str(tmp_path)}
    command = [sys.executable, "-c", STARTED]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    version = f"smixup {package.__version__}\n"
    assert version in done.stdout
    assert version == subprocess.check_output(
        [sys.executable, "-m", "smixup", "--version"], text=True
    )


def test_a_page_is_opened_if_asked_and_a_missing_browser_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(output.webbrowser, "open", lambda page: asked.append(page))
    for wanted in (False, True):
        output.open_page(tmp_path / "a page.html", wanted)
    assert asked == [f"{tmp_path.as_uri()}/a%20page.html"]
    assert "no browser was found" in capsys.readouterr().err


def test_methods_and_matchers(fine: Run) -> None:
    text = fine("methods").stdout
    assert "drop-edge" in text and "graph-matcher" in text
    text = fine("methods", "s-mixup").stdout
    assert "alpha:" in text and "ratio per-pair" in re.sub(" +", " ", text)


def test_tables_fold_what_does_not_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "16")
    print_table(("name", "n"), [("abcdefghijklmnop", "123456789")], title="A title")
    shown = capsys.readouterr().out
    assert "…" not in shown and set("abcdefghijklmnop123456789") <= set(shown)
