"""`smixup compare` from end to end on tiny data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from smixup.app.cli.main import app
from smixup.models import load_model

TINY = ["--data", "num_graphs=36", "--num-folds", "3", "--epochs", "1", "--seeds", "2"]


def asked(tmp_path: Path, *more: str) -> list[str]:
    store = ["--store", str(tmp_path / "runs.db"), "--workers", "1"]
    return ["compare", "MOTIF", *TINY, "--method", "drop-edge", *store, *more]


@pytest.mark.slow
def test_a_verdict_on_stdout_progress_on_stderr_and_a_page(tmp_path: Path) -> None:
    page = tmp_path / "compare.html"
    result = CliRunner().invoke(app, asked(tmp_path, "--out", str(page)))
    assert result.exit_code == 0, result.stderr
    assert "Train without augmentation" in result.stdout
    assert "drop-edge" in result.stdout
    assert "smixup train --dataset MOTIF" in result.stdout
    assert "paired runs 2/2" in result.stderr
    assert "paired runs 2/2" not in result.stdout
    assert "<h1>Train without augmentation" in page.read_text(encoding="utf-8")
    model = tmp_path / "model"
    kept = CliRunner().invoke(app, asked(tmp_path, "--out", str(page), "--model", str(model)))
    assert kept.exit_code == 0, kept.stderr
    assert f"model: {model}, accuracy" in " ".join(kept.stderr.split())
    assert "To train the recommended model" not in kept.stdout
    assert load_model(model).about["command"].endswith(f"--out {model}")
    assert "speaks most" in page.read_text(encoding="utf-8")
    again = CliRunner().invoke(app, asked(tmp_path, "--json"))
    told = json.loads(again.stdout)
    assert (told["recommended"], told["dataset"]) == ("vanilla", "MOTIF")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--budget", "soon"], "30m"),
        (["--method", "nothing"], "unknown method 'nothing'"),
        (["--margin", "-1"], "margin must be above 0"),
        (["--data", "size=3"], "has no option 'size'"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path: Path, more: list[str], words: str) -> None:
    result = CliRunner().invoke(app, asked(tmp_path, *more))
    assert (result.exit_code, words in result.stderr) == (2, True), result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_place_that_is_no_model_is_refused_before_any_run(tmp_path: Path) -> None:
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine", encoding="utf-8")
    result = CliRunner().invoke(app, asked(tmp_path, "--model", str(folder)))
    assert result.exit_code != 0
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "runs.db").exists()


def test_a_dataset_is_needed() -> None:
    assert CliRunner().invoke(app, ["compare"]).exit_code == 2
