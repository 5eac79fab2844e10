"""`smixup harm` trains pairs, keeps them, and goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from smixup.app.cli.main import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["harm", *map(str, arguments)], env={"COLUMNS": "160"})


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pairs_are_kept_and_not_trained_again(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "pairs.jsonl"
    one = ["--model", "batch norm", "--epochs", 1, "--steps", 1, "--out", out]
    assert run("--seeds", 1, *one).exit_code == 0
    (first,) = map(json.loads, out.read_text().splitlines())
    result = run("--seeds", 2, *one)
    assert result.exit_code == 0
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert found[0] == first
    assert [each["seed"] for each in found] == [0, 1]
    assert "batch norm" in result.stdout
    assert "95 % interval" in result.stdout


def test_wrong_use(tmp_path: Path) -> None:
    wrong = run("--model", "GINConvv")
    assert wrong.exit_code == 2
    assert "Did you mean 'GINConv'?" in wrong.stderr
    other = tmp_path / "other.jsonl"
    other.write_text("no pairs\n")
    result = run("--out", other)
    assert result.exit_code == 1
    assert "holds no pairs of `smixup harm`" in result.stderr
