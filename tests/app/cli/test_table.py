"""`smixup table` shows what a store says, in four formats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope

SCOPE = Scope(("MOTIF",), methods=("M-Mixup",), seeds=3)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["table", *map(str, arguments)], env={"COLUMNS": "80"})


@pytest.fixture
def filled(store: Store, keep: Callable[..., str]) -> Path:
    """Vanilla and M-Mixup of the first look on MOTIF, three seeds each."""
    vanilla, mixup = experiment_named("quick").grid(SCOPE)
    for seed in range(3):
        keep(vanilla.configs[seed], test=0.5 + 0.1 * seed)
        keep(mixup.configs[seed], test=0.7 + 0.1 * seed, test_loss=0.25)
    with store.writing() as writer:
        writer.remember("quick", SCOPE.to_dict())
    return store.path


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("text", ["60.00 ± 10.00 (n = 3)", "80.00 ± 10.00 (n = 3) *", "+20.00 [+20.00, +20.00]"]),
        (
            "markdown",
            ["| Vanilla | 60.00 ± 10.00 (n = 3) |", "**80.00 ± 10.00 (n = 3)**<br>+20.00"],
        ),
        (
            "latex",
            [r"60.00 $\pm$ 10.00 (n = 3)", r"\textbf{80.00 $\pm$ 10.00 (n = 3)}", r"\bottomrule"],
        ),
    ],
)
def test_formats(filled: Path, form: str, words: list[str]) -> None:
    result = invoke("quick", "--store", filled, "--format", form)
    assert result.exit_code == 0, result.stderr
    assert all(word in result.stdout for word in words)
    assert "random order" not in result.stdout, "only the part that was run last"


def test_json_and_the_loss(filled: Path) -> None:
    found = json.loads(
        invoke("quick", "--store", filled, "--format", "json", "--score", "test_loss").stdout
    )
    assert Scope.from_dict(found["scope"]) == SCOPE
    scores = {cell["row"]: cell["scores"] for cell in found["cells"]}
    assert scores == {"Vanilla": dict.fromkeys("012", 1.0), "M-Mixup": dict.fromkeys("012", 0.25)}


def test_options_show_another_part(filled: Path) -> None:
    result = invoke(
        "quick",
        "--store",
        filled,
        "--dataset",
        "mutag",
        "--seeds",
        1,
        "--epochs",
        9,
        "--format",
        "markdown",
    )
    assert "REHEARSAL, 9 epochs" in result.stdout
    assert "not run" in result.stdout
    assert "random order" not in result.stdout, "the methods are those of the last time"


def test_runs_of_other_code_on_request(store: Store, make_result: Callable[..., RunResult]) -> None:
    config = experiment_named("quick").runs(SCOPE)[0]
    with store.writing() as writer:
        writer.keep(Job("old", config.to_dict()), Outcome("old", make_result(test=0.625)))
        writer.remember("quick", SCOPE.to_dict())
    assert "62.50" not in invoke("quick", "--store", store.path).stdout
    assert "62.50" in invoke("quick", "--store", store.path, "--any-code").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quik"], "unknown experiment 'quik'. Did you mean 'quick'?"),
        (["quick", "--format", "html"], "unknown format 'html'."),
        (["quick", "--score", "tset"], "unknown score 'tset'. Did you mean 'test'?"),
        (["quick", "--dataset", "NCI1"], "smixup compare NCI1"),
        (["quick", "--seeds", "0"], "seeds must be 1 or more or None, not 0."),
    ],
)
def test_wrong_use_is_one_line(filled: Path, arguments: list[str], message: str) -> None:
    result = invoke(*arguments, "--store", filled)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_no_store_or_another_file_is_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_text("no store at all " * 100)
    for path, message in (
        (tmp_path / "nowhere.db", "there is no store"),
        (other, "is not a store of runs"),
        (tmp_path, "cannot open the store"),
    ):
        result = invoke("quick", "--store", path)
        assert result.exit_code == 1
        assert message in result.stderr
        assert str(path) in result.stderr
        assert result.stderr.count("\n") == 1
        assert result.stdout == ""
