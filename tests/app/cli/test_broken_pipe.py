"""A reader that stops reading ends the command quietly."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer

from smixup.app.cli.broken_pipe import READER_GONE, ends_with_its_reader, reader_gone


def command(arguments: list[str], stdout: int) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "smixup", *arguments]
    return subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def closed() -> Iterator[int]:
    """The writing end of a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["train", "--help"], ["--version"], ["data", "list"], ["data", "list", "--json"]],
)
def test_nobody_reads(arguments: list[str], closed: int) -> None:
    done = command(arguments, closed)
    assert (done.returncode, done.stderr) == (READER_GONE, "")


def test_an_error_is_still_told(closed: int) -> None:
    done = command(["train", "--dataset", "MOTIF", "--method", "s-mixp"], closed)
    assert done.returncode == 2
    assert "Did you mean 's-mixup'?" in done.stderr


@pytest.mark.parametrize("error", [BrokenPipeError(), SystemExit(1)])
def test_other_pipes_are_errors(error: BaseException) -> None:
    """Standard output is read here; a worker's pipe that breaks is a failure."""
    assert not reader_gone()
    with pytest.raises(type(error)), ends_with_its_reader():
        raise error


def test_where_there_is_no_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdout__", None)
    assert not reader_gone()
    with pytest.raises(BrokenPipeError), ends_with_its_reader():
        raise BrokenPipeError


def test_a_verb_that_ends_by_itself_is_left_alone() -> None:
    with pytest.raises(typer.Exit), ends_with_its_reader():
        raise typer.Exit(3)
