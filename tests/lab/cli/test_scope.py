"""Options become a scope; without any, the last one counts; a store that is read must be there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.errors import SmixupError, UsageError
from smixup.lab.cli.scope import Part, existing, last_scope, records_of
from smixup.lab.runs.config import configure
from smixup.lab.sweeps.job import Job, Outcome
from smixup.lab.sweeps.store import Store
from smixup.lab.tables.scope import Scope


def test_what_no_option_says_stays_as_it_was() -> None:
    assert Part().scope() == Scope()
    before = Scope(datasets=("MUTAG",), epochs=3)
    assert Part([], [], []).scope(before) == before
    assert Part(["MOTIF"], [], [], 2).scope(before) == Scope(datasets=("MOTIF",), seeds=2, epochs=3)


@pytest.mark.parametrize(
    ("options", "scope"),
    [
        ((["MOTIF", "NCI1"], None, None, None, None, None), Scope(datasets=("MOTIF", "NCI1"))),
        (
            (None, ["gin"], ["S-Mixup"], None, None, None),
            Scope(backbones=("gin",), methods=("S-Mixup",)),
        ),
        ((None, None, None, 3, 5, None), Scope(seeds=3, epochs=5)),
        ((None, None, None, None, None, False), Scope(search=False)),
        ((None, None, None, None, None, True), Scope()),
    ],
)
def test_options_become_a_scope(
    options: tuple[
        list[str] | None, list[str] | None, list[str] | None, int | None, int | None, bool | None
    ],
    scope: Scope,
) -> None:
    assert Part(*options).scope() == scope


def test_a_number_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="seeds must be 1 or more, not 0"):
        Part(seeds=0).scope()


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


def test_runs_of_other_code_count_only_on_request(store: Store) -> None:
    config = configure("MOTIF")
    with store.writing() as writer:
        writer.keep(Job("old", config.to_dict()), Outcome("old", error="it does not matter"))
    assert list(records_of(store, any_code=False)) == ["old"]
    assert list(records_of(store, any_code=True)) == [Job.of(config).id]
