"""Options and verbs that do not exist are answered in one line, like everything else."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from smixup.app.cli.main import app


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("train --dateset MOTIF", "no such option: --dateset"),
        ("tain", "no such command 'tain'. Did you mean 'train'?"),
        ("demo --seeds x", "invalid value for '--seeds': it should be a valid integer"),
        ("compare", "missing argument 'DATA'"),
        ("--dataset MOTIF", "no such option: --dataset"),
    ],
)
def test_one_line_and_where_to_look(words: str, said: str) -> None:
    result = CliRunner().invoke(app, words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"smixup: {said}")
    assert result.stderr.endswith(" -h` tells what is allowed.\n")
    assert result.stderr.count("\n") == 1
    assert "?." not in result.stderr


def test_the_command_is_named_as_one_types_it() -> None:
    result = CliRunner().invoke(app, ["data", "stats", "MOTIF", "--rot", "3"])
    assert "`smixup data stats -h`" in result.stderr


@pytest.mark.parametrize("words", [[], ["data"]])
def test_no_verb_is_answered_with_help(words: list[str]) -> None:
    result = CliRunner().invoke(app, words)
    assert "Usage" in result.stdout + result.stderr
    assert "tells what is allowed" not in result.stderr
