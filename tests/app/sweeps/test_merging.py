"""Runs of several machines come together: what is valid once, what is not never, all or nothing."""

from __future__ import annotations

import gzip
import math
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.merging import merge
from smixup.app.sweeps.store import Store
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.export import to_csv, to_json_lines
from smixup.app.tables.scope import Scope
from smixup.errors import SmixupError, UsageError

SCOPE = Scope(datasets=("MOTIF",), backbones=("gin",), seeds=2)
Fill = Callable[..., Store]


def config(seed: int = 0) -> RunConfig:
    return configure("MOTIF", "gin", "vanilla", seed, epochs=2)


@pytest.fixture
def fill(tmp_path: Path, make_result: Callable[..., RunResult]) -> Fill:
    """Make a store whose runs have these test scores by seed; None is a failure."""

    def make(name: str, runs: dict[int, float | None], **scores: Any) -> Store:
        store = Store(tmp_path / name)
        with store.writing() as writer:
            for seed, test in runs.items():
                job = Job.of(config(seed))
                result = None if test is None else make_result(**({"test": test} | scores))
                error = "no memory" if result is None else None
                writer.keep(job, Outcome(job.id, result, error, 2.0 + seed, name))
        return store

    return make


def dump(store: Store) -> list[tuple[Any, ...]]:
    with sqlite3.connect(store.path) as connection:
        rows = connection.execute("SELECT * FROM runs ORDER BY id").fetchall()
    connection.close()
    return rows


def scores_of(store: Store) -> dict[int, float | None]:
    return {
        record.config["seed"]: record.result and record.result.test
        for record in store.records().values()
    }


def test_two_machines_come_together(fill: Fill, store: Store) -> None:
    one, other = fill("a.db", {0: 0.1, 1: 0.2}), fill("b.db", {1: 0.2, 2: None})
    merged = merge(store, [one.path, other.path])
    assert (len(merged.new), merged.known, merged.foreign) == (3, 1, 0)
    assert merged.contradictions == []
    assert scores_of(store) == {0: 0.1, 1: 0.2, 2: None}
    kept = set(dump(store))
    assert kept == set(dump(one)) | {
        row for row in dump(other) if row[0] not in dict(one.records())
    }
    again = merge(store, [other.path, one.path])
    assert (len(again.new), again.known) == (0, 4)
    assert set(dump(store)) == kept


def test_what_is_done_stays_and_what_differs_is_told(fill: Fill) -> None:
    here = fill("here.db", {0: 0.1, 1: None, 2: 0.3})
    there = fill("there.db", {0: 0.15, 1: 0.2, 2: None})
    before = {row[0]: row for row in dump(here)}
    merged = merge(here, [there.path])
    assert scores_of(here) == {0: 0.1, 1: 0.2, 2: 0.3}, "a failure gives way, a result does not"
    (found,) = merged.contradictions
    assert found.score == ("test", 0.1, 0.15)
    assert (found.kept.config["seed"], found.source) == (0, there.path)
    assert (len(merged.new), merged.known) == (1, 1)
    for seed in (0, 2):
        id = Job.of(config(seed)).id
        assert before[id] in dump(here)


def test_equal_scores_of_other_machines_are_no_contradiction(fill: Fill, store: Store) -> None:
    nan = {"validation": math.nan, "test_loss": math.inf}
    one = fill("a.db", {0: 0.1}, seconds=1.0, versions={"torch": "2"}, **nan)
    other = fill("b.db", {0: 0.1}, seconds=9.0, versions={"torch": "3"}, **nan)
    merged = merge(store, [one.path, other.path])
    assert (len(merged.new), merged.known, merged.contradictions) == (1, 1, [])


def test_runs_of_other_code_or_settings_are_left_out(
    fill: Fill, store: Store, make_result: Callable[..., RunResult]
) -> None:
    other = fill("b.db", {0: 0.1})
    with other.writing() as writer:
        outcome = Outcome("0123456789abcdef", make_result())
        writer.keep(Job("0123456789abcdef", config(1).to_dict()), outcome)
        forged = Job.of(config(2))  # its settings were changed behind its identity
        writer.keep(replace(forged, config=config(3).to_dict()), Outcome(forged.id, make_result()))
        unknown = Job("f" * 16, config(4).to_dict() | {"backbone": "gat"})
        writer.keep(unknown, Outcome(unknown.id, make_result()))
    merged = merge(store, [other.path])
    assert (len(merged.new), merged.known, merged.foreign) == (1, 0, 3)
    assert scores_of(store) == {0: 0.1}
    merged = merge(store, [other.path], any_code=True)
    assert (len(merged.new), merged.known, merged.foreign) == (2, 1, 1), "a GAT cannot be run"
    assert "0123456789abcdef" in store.records()


def test_an_export_comes_back_equal(
    toy: Experiment, keep: Callable[..., str], store: Store, tmp_path: Path
) -> None:
    runs = toy.runs(SCOPE)
    for place, each in enumerate(runs[:-1]):
        keep(each, test=place / 7, test_loss=math.inf, curves={"test": [0.1, math.nan, -math.inf]})
    keep(runs[-1], error="no\nway")
    table = toy.render(SCOPE, store.records())
    text = to_json_lines(table, store.records(), store.curves(), store.predictions())
    export = tmp_path / "runs.jsonl"
    export.write_text(text + text)  # cells may share runs
    other = Store(tmp_path / "other.db")
    merged = merge(other, [export])
    assert (len(merged.new), merged.known) == (len(runs), 0)
    assert dump(other) == dump(store)
    assert to_json_lines(table, other.records(), other.curves(), other.predictions()) == text


def test_the_part_that_was_run_comes_along_unless_it_is_known(fill: Fill, store: Store) -> None:
    one, other = fill("a.db", {0: 0.1}), fill("b.db", {1: 0.1})
    scopes = {one: {"quick": 1, "motif": 1, "alpha": 1}, other: {"quick": 1, "motif": 2}}
    for each, parts in scopes.items():
        with each.writing() as writer:
            for name, seeds in parts.items():
                writer.remember(name, {"seeds": seeds})
    with store.writing() as writer:
        writer.remember("alpha", {"seeds": 7})
    merge(store, [one.path, other.path])
    assert store.scopes() == {"alpha": {"seeds": 7}, "quick": {"seeds": 1}}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("nothing.jsonl", None, "cannot read .*nothing.jsonl: No such file or directory"),
        ("empty.db", b"", "empty.db is empty"),
        ("words.txt", b"some words\n", "line 1 of .*words.txt is no run .* no JSON"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\xff\xfe", "line 1 of .*picture.png is no run"),
        ("harm.jsonl", b'{"dataset": "MOTIF", "plain": 3}\n', "it has no 'state'"),
        ("runs.jsonl", b'{"state": "done", "infinite": 3}\n', "line 1 of .*runs.jsonl is no run"),
    ],
)
def test_a_foreign_file_is_one_sentence_and_nothing_is_imported(
    fill: Fill, store: Store, tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    good, bad = fill("good.db", {0: 0.1}), tmp_path / name
    if content is not None:
        bad.write_bytes(content)
    with pytest.raises(SmixupError, match=words) as caught:
        merge(store, [good.path, bad])
    assert "\n" not in str(caught.value)
    assert not store.path.exists()


@pytest.mark.parametrize("zipped", [False, True])
def test_a_csv_brings_back_all_but_curves(
    toy: Experiment, keep: Callable[..., str], store: Store, tmp_path: Path, zipped: bool
) -> None:
    done, failed, *_ = toy.runs(SCOPE)
    keep(done, predictions=b"\x01\x00\xff", rocauc=math.nan)
    keep(failed, error="no\ndata")
    text = to_csv(toy.render(SCOPE, store.records()), store.records(), store.predictions()).encode()
    table = tmp_path / "runs.csv.gz"
    table.write_bytes(gzip.compress(text) if zipped else text)
    other = Store(tmp_path / "other.db")
    assert len(merge(other, [table]).new) == 2
    assert str(other.records()) == str(store.records())
    assert other.predictions() == store.predictions()
    assert other.curves() == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda text: text.replace(b",0.5,", b",half,", 1),
            "line 2 of .*runs.csv is no run .*half",
        ),
        (lambda text: text[: len(text) // 2], "line 2 of .*runs.csv is no run"),
        (lambda text: gzip.compress(text)[:-20], "runs.csv is damaged"),
    ],
)
def test_a_damaged_csv_is_one_sentence(
    toy: Experiment,
    keep: Callable[..., str],
    store: Store,
    tmp_path: Path,
    change: Callable[[bytes], bytes],
    words: str,
) -> None:
    keep(toy.runs(SCOPE)[0])
    table = tmp_path / "runs.csv"
    text = to_csv(toy.render(SCOPE, store.records()), store.records(), {})
    table.write_bytes(change(text.encode()))
    with pytest.raises(SmixupError, match=words) as caught:
        merge(Store(tmp_path / "other.db"), [table])
    assert "\n" not in str(caught.value)


def test_other_databases(fill: Fill, store: Store, tmp_path: Path) -> None:
    foreign = tmp_path / "photos.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE photos (id INTEGER)")
    connection.close()
    with pytest.raises(SmixupError, match=r"photos\.db is no store of this version"):
        merge(store, [foreign])
    broken = fill("broken.db", {0: 0.5})
    with pytest.raises(UsageError, match="is the store itself"):
        merge(broken, [broken.path])


def test_of_a_damaged_store_all_that_can_be_read_is_taken(fill: Fill, store: Store) -> None:
    broken = fill("broken.db", dict.fromkeys(range(40), 0.5))
    pages = len(broken.path.read_bytes()) // 4096
    whole = set(broken.records())
    content = bytearray(broken.path.read_bytes())
    middle = next(page for page in range(pages - 1, 3, -1) if content[page * 4096] == 13)
    content[middle * 4096 : (middle + 1) * 4096] = b"\xff" * 4096
    broken.path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"broken\.db is damaged and was read without row \d+ of"):
        merged = merge(store, [broken.path])
    taken = set(store.records())
    assert taken < whole
    assert len(taken) == len(merged.new) >= len(whole) // 2


KILLED = """
import os, signal, sys
from pathlib import Path
from smixup.app.sweeps import merging, store

plain, rows = store.to_row, []

def row(run):
    rows.append(run)
    if len(rows) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(run)

store.to_row = row
merging.merge(store.Store(Path(sys.argv[1])), [Path(sys.argv[2])])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_killed_half_way_nothing_is_imported(fill: Fill) -> None:
    here = fill("here.db", {0: 0.1})
    there = fill("there.db", dict.fromkeys(range(1, 8), 0.5))
    before = dump(here)
    command = [sys.executable, "-c", KILLED, str(here.path), str(there.path)]
    assert subprocess.run(command, env=dict(os.environ)).returncode == -signal.SIGKILL
    assert dump(here) == before
    assert len(merge(here, [there.path]).new) == 7, "the dead process locks nobody out"
