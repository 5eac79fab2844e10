"""`smixup figure ged` writes the curve and prints how often Theorem 1 holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from smixup.app.cli.main import app
from smixup.app.studies import theorem_study


@pytest.mark.slow
def test_picture_and_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        theorem_study, "MATCHERS", {"uniform": "uniform", "random-order": "random order"}
    )
    out = tmp_path / "ged.svg"
    result = CliRunner().invoke(
        app,
        [
            "figure",
            "ged",
            "--pairs",
            "2",
            "--out",
            str(out),
            "--data",
            "num_graphs=300",
            "--threads",
            "1",
        ],
    )
    assert result.exit_code == 0, result.stderr
    assert out.read_text().startswith("<?xml")
    for word in (
        "random order",
        "metric node costs",
        "corrected",
        "100.0",
        f"{out} shows 2 pairs of MOTIF.",
    ):
        assert word in result.stdout.replace("\n", " ") or word in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "x.gif"], "must end with .svg or .png"),
        (["--pairs", "0"], "pairs must be 1 or more"),
        (
            ["--max-nodes", "3"],
            "graphs of two classes with up to 3 nodes are needed; allow larger ones.",
        ),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(theorem_study, "MATCHERS", {"uniform": "uniform"})
    result = CliRunner().invoke(app, ["figure", "ged", *arguments])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr
    assert not list(tmp_path.iterdir())
