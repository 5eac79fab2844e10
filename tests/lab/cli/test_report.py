"""`smixup report` writes a store as one page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.lab.cli.main import app
from smixup.lab.sweeps.store import Store
from smixup.lab.tables.registry import experiment_named
from smixup.lab.tables.scope import Scope

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
    page = out.read_text(encoding="utf-8")
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
