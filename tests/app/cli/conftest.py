"""The commands in one process, in a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app

Run = Callable[..., Result]


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "160"})


@pytest.fixture
def smixup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder, with an empty data root."""
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    monkeypatch.setenv("SMIXUP_ROOT", str(tmp_path / "root"))
    return run


@pytest.fixture
def fine(smixup: Run) -> Run:
    """The same, of a command that must succeed."""

    def done(*words: object) -> Result:
        result = smixup(*words)
        assert result.exit_code == 0, result.output
        return result

    return done


@pytest.fixture
def refused(smixup: Run) -> Callable[..., None]:
    """The same, of a command that must fail in one line that says some words."""

    def failed(words: str, *typed: object) -> None:
        result = smixup(*typed)
        assert result.exit_code in (1, 2), result.output
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1, result.stderr
        assert result.stderr.startswith("smixup: ") and not result.stdout

    return failed


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of 60 graphs of MOTIF."""
    folder = tmp_path_factory.mktemp("saved") / "model"
    tiny = ["--epochs", "2", "--set", "hidden_channels=8", "--set", "num_layers=1"]
    few = ["--split", "few", "--set", "train_graphs=20", "--data", "num_graphs=60"]
    result = run("train", "MOTIF", *tiny, *few, "--out", folder)
    assert result.exit_code == 0, result.output
    assert f"smixup predict {folder} NEW --out predictions.csv" in result.stdout
    names = {"model.json", "model.safetensors", "README.md"}
    assert {file.name for file in folder.iterdir()} == names
    return folder
