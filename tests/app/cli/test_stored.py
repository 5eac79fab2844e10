"""A store that is read must be there; it remembers its last scope, and runs of other code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.app.cli.stored import existing, last_scope, records_of
from smixup.app.runs.config import configure
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.tables.scope import Scope
from smixup.errors import SmixupError


def test_the_last_scope_is_that_of_the_store(store: Store) -> None:
    scope = Scope(("MOTIF",), seeds=2, search=False)
    with store.writing() as writer:
        writer.remember("quick", scope.to_dict())
    assert last_scope(store, "quick") == scope
    assert last_scope(store, "motif") == Scope()


def test_a_store_that_is_read_must_be_there(
    tmp_path: Path, store: Store, keep: Callable[..., str]
) -> None:
    with pytest.raises(SmixupError, match=r"there is no store .*nowhere\.db; --store names one"):
        existing(tmp_path / "nowhere.db")
    assert not (tmp_path / "nowhere.db").exists()
    keep(configure("MOTIF"))
    assert existing(store.path) == store


def test_runs_of_other_code_count_only_on_request(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    config = configure("MOTIF")
    with store.writing() as writer:
        writer.keep(Job("old", config.to_dict()), Outcome("old", error="it does not matter"))
    assert list(records_of(store, any_code=False)) == ["old"]
    told = capsys.readouterr()
    assert told.err.startswith("1 of 1 run in ") and "--any-code" in told.err
    assert list(records_of(store, any_code=True)) == [Job.of(config).id]
    assert not capsys.readouterr().err and not told.out
