"""A finished run is in the store whole or not at all, and comes back as it was."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from smixup.app import store as module
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.run import RunResult
from smixup.app.store import Store, key_of
from smixup.datasets.sources import import_archive
from smixup.errors import SmixupError

MakeResult = Callable[..., RunResult]


def config(seed: int = 0) -> RunConfig:
    return configure("MOTIF", method="s-mixup", seed=seed, method_settings={"alpha": 2})


def test_a_run_comes_back_as_it_was(tmp_path: Path, make_result: MakeResult) -> None:
    result = make_result(
        test_loss=math.inf,
        rocauc=math.nan,
        curves={"test": [math.nan, 0.1 + 0.2], "test_loss": [-math.inf, 1e-300]},
        predictions=bytes(range(256)),
    )
    Store(tmp_path / "new" / "runs.db").keep("a", config(), result, 2.5)
    run = Store(tmp_path / "new" / "runs.db").fetch(["a", "b"])["a"]
    assert repr(run.result) == repr(result), "nan and inf survive"
    assert RunConfig(**run.config) == config()
    assert run.seconds == 2.5


def test_the_last_run_of_a_key_and_a_version_counts(
    tmp_path: Path, make_result: MakeResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = Store(tmp_path / "runs.db"), Store(tmp_path / "runs.db")
    for seed in range(3):
        (store, other)[seed % 2].keep(str(seed), config(seed), make_result(test=0.1), 1.0)
    assert set(store.fetch()) == {"0", "1", "2"}
    assert (set(store.fetch(["1", "7"])), store.fetch([])) == ({"1"}, {})
    store.keep("1", config(1), make_result(test=0.9), 1.0)
    assert other.fetch(["1"])["1"].result.test == 0.9
    monkeypatch.setattr(module.smixup, "__version__", "99")
    assert store.fetch(["1"]) == {}, "another version runs anew"
    assert store.fetch(["1"], any_version=True)["1"].result.test == 0.9
    store.keep("1", config(), make_result(test=0.2), 1.0)
    monkeypatch.undo()
    assert store.fetch(["1"], any_version=True)["1"].result.test == 0.9, "this version's, if any"


def test_the_key_tells_configurations_and_data_apart(tmp_path: Path) -> None:
    assert key_of(config()) == key_of(RunConfig(**config().to_dict()))
    assert key_of(config()) != key_of(config(1))
    keys = set()
    for labels in ("0\n1\n", "0\n-1\n"):  # another set is imported under the name
        place = tmp_path / "TINY"
        place.mkdir(exist_ok=True)
        texts = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n2\n", "graph_labels": labels}
        for part, text in texts.items():
            (place / f"TINY_{part}.txt").write_text(text)
        import_archive(place, tmp_path / "root")
        keys.add(key_of(replace(config(), dataset="TINY"), tmp_path / "root"))
    assert len(keys) == 2


def test_what_is_no_store_is_refused_in_a_sentence(tmp_path: Path, make_result: MakeResult) -> None:
    (tmp_path / "notes.txt").write_text("mine " * 1000)
    with pytest.raises(SmixupError, match=r"cannot use the store of runs .*notes\.txt"):
        Store(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine " * 1000
    with sqlite3.connect(tmp_path / "other.db") as database:
        database.execute("CREATE TABLE birds (name TEXT)")
    with pytest.raises(SmixupError, match="no store of this version of smixup; if"):
        Store(tmp_path / "other.db")
    with pytest.raises(SmixupError, match="cannot use the store of runs"):
        Store(tmp_path)
    store = Store(tmp_path / "runs.db")
    store.keep("a", config(), make_result(), 1.0)
    with store.db:
        store.db.execute("UPDATE runs SET curves = '{'")
    with pytest.raises(SmixupError, match="if it is damaged or no store, name another"):
        store.fetch()


def test_a_store_that_another_process_holds(
    tmp_path: Path, make_result: MakeResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS_TO_WAIT", 0)
    one, other = Store(tmp_path / "runs.db"), Store(tmp_path / "runs.db")
    with one.db:
        one.db.execute("BEGIN IMMEDIATE")
        with pytest.raises(SmixupError, match=r"cannot use the store of runs .*locked"):
            other.keep("a", config(), make_result(), 1.0)
        assert other.fetch() == {}, "it can be read"
    other.keep("a", config(), make_result(), 1.0)
