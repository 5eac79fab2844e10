"""`smixup report` writes a store as one page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app
from smixup.app.runs.config import configure
from smixup.app.runs.kept_model import train_model
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope

SCOPE = Scope(("MOTIF",), methods=("M-Mixup",), seeds=1)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


@pytest.fixture
def filled(store: Store, keep: Callable[..., str]) -> Path:
    for config in experiment_named("quick").runs(SCOPE):
        keep(config, test=0.625)
    with store.writing() as writer:
        writer.remember("quick", SCOPE.to_dict())
    return store.path


def test_it_shows_all_that_was_run(filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "page.html"
    result = invoke("--store", filled, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == f"report: {out}\n"
    page = out.read_text(encoding="utf-8")
    assert page.count("62.50 (n = 1)") == 2
    assert experiment_named("quick").title in page
    assert experiment_named("motif").title not in page
    assert "smixup sweep run quick --dataset MOTIF --method M-Mixup --seeds 1" in page


def test_experiments_by_name(filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert invoke("alpha", "quick", "--store", filled, "--out", out).exit_code == 0
    page = re.sub("<[^>]*>", "", out.read_text(encoding="utf-8"))
    assert page.index(experiment_named("alpha").title) < page.index(experiment_named("quick").title)
    assert "not run" in page


def failed(result: Result, code: int, message: str) -> bool:
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    return result.exit_code == code


def test_wrong_names_stores_and_files_are_one_line(filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert failed(invoke("quik", "--store", filled, "--out", out), 2, "Did you mean 'quick'?")
    assert failed(invoke("--store", tmp_path / "nowhere.db", "--out", out), 1, "there is no store")
    assert failed(
        invoke("quick", "--store", tmp_path / "nowhere.db", "--out", out), 1, "there is no store"
    )
    assert failed(invoke("--store", filled, "--out", tmp_path), 1, "cannot write the page")
    empty = Store(tmp_path / "empty.db")
    with empty.writing():
        pass
    assert failed(invoke("--store", empty.path, "--out", out), 1, "there are no experiments in")
    assert not out.exists()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "model"
    sizes = {"hidden_channels": 8, "num_layers": 2, "epochs": 1}
    config = configure("MOTIF", dataset_options={"num_graphs": 30}, **sizes)
    return train_model(config).model.save(folder)


def test_a_model_needs_no_store(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    result = invoke("--model", model, "--store", tmp_path / "none.db", "--out", out)
    assert result.exit_code == 0, result.stderr
    page = out.read_text(encoding="utf-8")
    assert f"<h1>The model in the folder {model}</h1>" in page
    assert "speaks most" in page


def test_a_model_stands_before_the_experiments(model: Path, filled: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    result = invoke("--model", model, "--store", filled, "--out", out)
    assert result.exit_code == 0, result.stderr
    page = out.read_text(encoding="utf-8")
    headings = re.findall("<h2>(.*?)</h2>", page)
    model_first, experiment = headings[0], experiment_named("quick").title
    assert model_first.startswith("The model in")
    assert any(heading.startswith(experiment) for heading in headings[1:])


def test_what_is_no_model_is_one_line(tmp_path: Path) -> None:
    result = invoke("--model", tmp_path, "--store", tmp_path / "none.db")
    assert result.exit_code == 1
    assert len(result.stderr.strip().splitlines()) == 1
