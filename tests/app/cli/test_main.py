"""The command starts at once and fails in one line with the right exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import smixup
from smixup.app.cli import progress
from smixup.app.cli.main import Verbs, app, options
from smixup.datasets.archives import import_archive
from smixup.errors import SmixupError, UsageError


def failing(error: BaseException) -> typer.Typer:
    """The command line with one verb, which fails."""
    broken = typer.Typer(cls=Verbs, pretty_exceptions_enable=False)
    broken.callback()(options)

    @broken.command()
    def work() -> None:
        raise error

    return broken


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (SmixupError("the file is gone."), 1, "smixup: the file is gone.\n"),
        (UsageError("no such name."), 2, "smixup: no such name.\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (
            ModuleNotFoundError("No module named 'x'", name="x"),
            1,
            "smixup: this needs x, which is missing: pip install 'smixup[lab]'.\n",
        ),
        (
            ModuleNotFoundError("No module named 'smixup.x'", name="smixup.x"),
            1,
            "smixup: unexpected ModuleNotFoundError: No module named 'smixup.x' (add --debug to "
            "see where)\n",
        ),
        (
            OSError(28, "No space left on device", "/full/page"),
            1,
            "smixup: No space left on device (/full/page).\n",
        ),
        (
            ValueError("odd\x1b[31m"),
            1,
            "smixup: unexpected ValueError: odd\\x1b[31m (add --debug to see where)\n",
        ),
        (
            ValueError("odd\nand long"),
            1,
            "smixup: unexpected ValueError: odd (add --debug to see where)\n",
        ),
    ],
)
def test_errors_are_one_line_and_an_exit_code(
    error: BaseException, code: int, message: str
) -> None:
    result = CliRunner().invoke(failing(error), ["work"])
    assert (result.exit_code, result.stderr, result.stdout) == (code, message, "")


@pytest.mark.parametrize("arguments", [["--debug", "work"], ["work", "--debug"]])
def test_debug_shows_the_traceback_wherever_it_stands(arguments: list[str]) -> None:
    result = CliRunner().invoke(failing(ValueError("odd")), arguments)
    assert result.exit_code == 1
    assert "Traceback" in result.stderr


@pytest.mark.parametrize("arguments", [["trian"], ["train", "--epochs=many"], ["train", "--bogus"]])
def test_wrong_use_exits_with_2_and_says_what(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert arguments[-1].strip("-").partition("=")[0] in result.stderr
    assert result.stdout == ""


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"smixup {smixup.__version__}\n")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["train", "--help"]])
def test_starting_up_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from smixup.app.cli.main import app; app(sys.argv[1:], standalone_mode=False);"
        "print(sorted({'torch', 'numpy', 'lightning_fabric', 'torchmetrics'} & set(sys.modules)), "
        "file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("arguments", [["methods"], ["data", "list"]])
def test_lists_come_without_torch(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys; from smixup.app.cli.main import app; app(sys.argv[1:], standalone_mode=False);"
        "print(sorted({'torch', 'scipy', 'matplotlib'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"SMIXUP_ROOT": str(tmp_path)},
    )
    assert done.stderr.strip() == "[]"


@pytest.mark.slow
def test_the_installed_command_reports_a_wrong_name(tmp_path: os.PathLike[str]) -> None:
    command = [sys.executable, "-m", "smixup", "train", "--method", "vanila"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Did you mean 'vanilla'?" in done.stderr
    assert done.stderr.count("\n") == 1


STOPPED = """
import sys, time
from pathlib import Path
from smixup.datasets import archives
from smixup.app.cli.main import app

def slow(path, target, *others):
    target.mkdir()
    (target / "large").write_bytes(bytes(100_000))
    print("begun", flush=True)
    time.sleep(600)

archives.unpack = slow
app(["data", "import", sys.argv[1], "--root", sys.argv[2]])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("end", ["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"])
def test_who_is_told_to_end_tidies_up(end: str, tmp_path: Path) -> None:
    """What even a kill leaves is swept by the next import."""
    archive, root = tmp_path / "set.zip", tmp_path / "root"
    archive.touch()
    command = [sys.executable, "-c", STOPPED, str(archive), str(root)]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(getattr(signal, end))
        _, said = process.communicate()
    if end == "SIGKILL":
        assert len(list(root.iterdir())) == 1
        with pytest.raises(SmixupError):
            import_archive(archive, root)
        assert list(root.iterdir()) == []
    else:
        assert (process.returncode, said) == (130, "interrupted\n")
        assert not root.exists()


def test_every_verb_has_help() -> None:
    names: list[Callable[..., object]] = [
        command.callback for command in app.registered_commands if command.callback
    ]
    assert names
    for name in names:
        assert CliRunner().invoke(app, [name.__name__, "--help"]).exit_code == 0


@pytest.mark.parametrize("words", [["work", "--quiet"], ["--quiet", "work"]])
def test_quiet_may_stand_anywhere_and_lasts_for_one_command(words: list[str]) -> None:
    seen: list[bool] = []
    told = typer.Typer(cls=Verbs, pretty_exceptions_enable=False)
    told.callback()(options)
    told.command()(work := lambda: seen.append(progress.quiet.get()))
    work.__name__ = "work"
    told.command("other")(lambda: None)
    assert CliRunner().invoke(told, words).exit_code == 0
    assert CliRunner().invoke(told, ["work"]).exit_code == 0
    assert seen == [True, False]


@pytest.mark.parametrize("words", [["-h"], ["train", "-h"], ["data", "stats", "-h"]])
def test_h_is_help(words: list[str]) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0 and "Usage" in result.stdout


def test_help_breaks_lines_at_the_width_alone() -> None:
    text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout
    assert "each is taken away, and the model is asked again." in text


def helps(verb: Any, context: Any, name: str = "smixup") -> Iterator[tuple[str, str]]:
    """Yield the help of every command and every option, with its name."""
    yield name, verb.help or ""
    if hasattr(verb, "list_commands"):
        for each in verb.list_commands(context):
            yield from helps(verb.get_command(context, each), context, f"{name} {each}")
        return
    for option in verb.params:
        yield f"{name} {option.name}", getattr(option, "help", None) or ""


def test_every_help_is_a_sentence() -> None:
    group = typer.main.get_command(app)
    found = dict(helps(group, group.make_context("smixup", [], resilient_parsing=True)))
    assert len(found) > 100
    assert {
        n: h for n, h in found.items() if not h.strip().endswith(".") or not h[0].isupper()
    } == {}
