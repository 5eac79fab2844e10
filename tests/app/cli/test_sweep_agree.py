"""`smixup sweep agree` says which records stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app
from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store

Fill = Callable[..., Path]


def agree(*files: Path) -> Result:
    return CliRunner().invoke(app, ["sweep", "agree", *map(str, files)])


@pytest.fixture
def fill(tmp_path: Path, make_result: Callable[..., RunResult]) -> Fill:
    """Make a store whose runs have these test scores, None for a failure, by seed."""

    def make(name: str, commit: str, scores: dict[int, float | None]) -> Path:
        store = Store(tmp_path / name)
        with store.writing() as writer:
            for seed, test in scores.items():
                settings = {"matcher": "identity"}
                config = configure("MOTIF", "gin", "s-mixup", seed, method_settings=settings)
                made = None if test is None else {"test": test, "versions": {"commit": commit}}
                result = made and make_result(**made)
                job = Job(f"{commit}-{seed}", config.to_dict())
                error = None if result else "no memory."
                writer.keep(job, Outcome(job.id, result, error, 1.0, "here"))
        return store.path

    return make


def test_records_that_agree(fill: Fill) -> None:
    one, other = fill("a.db", "aaa", {0: 0.1, 1: None, 2: 0.3}), fill("b.db", "bbb", {0: 0.1})
    result = agree(one, other)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        f"1 run in both: 1 agree to the bit, 0 differ. Only in {one}: 2, only in {other}: 0.\n"
    )
    assert ", 1 failed in both." in agree(one, one).stdout


def test_records_that_differ_are_named_with_their_commits(fill: Fill) -> None:
    one = fill("a.db", "aaa", {0: 0.1, 1: 0.2, 2: None})
    other = fill("b.db", "bbb", {0: 0.1, 1: 0.2 + 2**-55, 2: 0.3})
    result = agree(one, other)
    assert result.exit_code == 1
    assert result.stdout.startswith("3 runs in both: 1 agree to the bit, 2 differ.")
    name = 'MOTIF, gin, s-mixup {"matcher": "identity"}, seed'
    assert result.stderr.splitlines() == [
        f"{name} 1 (run aaa-1): test 0.2, not 0.20000000000000004; commits aaa and bbb.",
        f"{name} 2 (run aaa-2): a result in the other alone, elsewhere no memory; commits an "
        "unknown commit and bbb.",
    ]


def test_nothing_in_common_is_no_agreement(fill: Fill, tmp_path: Path) -> None:
    result = agree(fill("a.db", "aaa", {0: 0.1}), fill("b.db", "bbb", {1: 0.1}))
    assert result.exit_code == 1
    assert "have no run in common: nothing was compared." in result.stderr
    missing = agree(tmp_path / "a.db", tmp_path / "nowhere.db")
    assert missing.exit_code == 1
    assert "cannot read" in missing.stderr
