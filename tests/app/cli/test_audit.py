"""`smixup audit` measures and prints, in three formats."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app

SMALL = ["--data", "num_graphs=100", "--epochs", 2, "--mixes", 20, "--distances", 3]


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, arguments)], env={"COLUMNS": "120"})


@pytest.mark.slow
def test_tables_on_the_terminal() -> None:
    result = invoke("--method", "submix", "--method", "m-mixup", "--method", "g-mixup", *SMALL)
    assert result.exit_code == 0, result.stderr
    for title in ("where mixes lie", "what a judge says", "what a network sees", "properties"):
        assert f"MOTIF: {title}" in result.stdout
    assert "alignments" not in result.stdout
    assert "audit 3/3" in result.stderr


@pytest.mark.slow
def test_json_and_markdown_of_a_method_with_settings() -> None:
    own = ["--method", "s-mixup", "--set", "matcher=uniform", "--ratios", "half", *SMALL]
    result = invoke(*own, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    (row,) = found["rows"]
    assert (found["dataset"], found["ratios"], found["effort"]["mixes"]) == ("MOTIF", "half", 20)
    assert row["title"] == "s-mixup, matcher=uniform"
    assert row["settings"] == {
        "partners": None,
        "amount": 1.0,
        "alpha": 200.0,
        "matcher": "uniform",
    }
    assert row["edit"]["pairs"] == row["transport"]["pairs"] == 3
    assert row["alignment"]["row_sums"]["deviation"] > 0
    assert "| s-mixup, matcher=uniform |" in invoke(*own, "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "submicks"], "unknown method 'submicks'. Did you mean 'submix'?"),
        (["--format", "html"], "unknown format 'html'."),
        (["--ratios", "own "], "unknown choice of ratios 'own '. Did you mean 'own'?"),
        (["--set", "alpha=2"], "settings are those of one method: name it with --method."),
        (["--method", "submix", "--set", "alpha=2"], "unknown setting of method submix 'alpha'."),
        (["--mixes", 0], "mixes must be 2 or more, not 0."),
        (["--backbone", "gat"], "unknown backbone 'gat'."),
    ],
)
def test_wrong_use_is_one_line(arguments: list[object], message: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
