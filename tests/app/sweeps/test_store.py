"""A store keeps what it was given, refuses what is none, and lets one write while others read."""

from __future__ import annotations

import math
import os
import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.sweeps.store_format import FORMAT
from smixup.app.sweeps.stored_row import digest
from smixup.errors import SmixupError

CURVES = {"train_loss": [1.0, 0.5], "test_loss": [1.1, 0.7]}
RESULT = RunResult(
    metric="accuracy",
    test=0.75,
    validation=0.8,
    best_epoch=2,
    epochs=2,
    seconds=1.5,
    test_loss=float("inf"),
    calibration_error=0.1,
    versions={"torch": "2", "threads": 1},
    accuracy=0.75,
    rocauc=0.7,
    brier=0.3,
    temperature=1.5,
    scaled_loss=0.6,
    scaled_brier=0.25,
    scaled_calibration_error=0.05,
    curves=CURVES,
    predictions=b"\x01\x00",
)


def job(seed: int = 0) -> Job:
    return Job.of(configure("MOTIF", "gin", "vanilla", seed, epochs=2))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "deep" / "runs.db")


def test_a_run_comes_back_as_it_was(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT, seconds=2.5, host="here"))
    (record,) = store.records().values()
    assert (record.id, record.config, record.done) == (job().id, job().config, True)
    assert record.result == replace(RESULT, curves={}, predictions=b""), "curves are kept apart"
    assert (record.error, record.seconds, record.host) == (None, 2.5, "here")
    assert datetime.fromisoformat(record.finished).utcoffset() == timedelta(0)
    assert store.curves() == {job().id: CURVES}
    assert store.predictions() == {job().id: RESULT.predictions}


def test_epochs_without_a_test_are_null_in_the_file_and_nan_again_when_read(store: Store) -> None:
    curves = {"validation": [0.5, 0.4], "test_loss": [0.7, math.nan]}
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, replace(RESULT, curves=curves)))
    assert str(store.curves()) == str({job().id: curves})
    with sqlite3.connect(store.path) as connection:
        query = "SELECT json_extract(curves, '$.test_loss[1]'), curves FROM runs"
        (number, text) = connection.execute(query).fetchone()
    assert number is None
    assert "NaN" not in text


def test_a_failed_run_gives_way_to_a_finished_one(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, error="no data"))
        assert [(r.done, r.error) for r in store.records().values()] == [(False, "no data")]
        writer.keep(job(), Outcome(job().id, RESULT))
    assert [(r.done, r.error) for r in store.records().values()] == [(True, None)]


def test_without_a_file_there_is_nothing(store: Store) -> None:
    assert store.records() == store.curves() == store.scopes() == {}
    assert not store.path.exists()


def test_readers_see_finished_runs_while_a_driver_writes(store: Store) -> None:
    with store.writing() as writer:
        for seed in range(3):
            writer.keep(job(seed), Outcome(job(seed).id, RESULT))
            assert len(Store(store.path).records()) == seed + 1


def test_a_second_driver_is_kept_away(store: Store) -> None:
    with (
        store.writing(),
        pytest.raises(SmixupError, match="another sweep is writing"),
        Store(store.path).writing(),
    ):
        pass
    with Store(store.path).writing():
        pass


def test_a_second_driver_is_kept_away_by_whatever_name_it_comes(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "link.db").symlink_to(store.path)
    (tmp_path / "folder").symlink_to(store.path.parent, target_is_directory=True)
    names = (tmp_path / "link.db", tmp_path / "folder" / store.path.name)
    with store.writing() as writer:
        for name in names:
            with pytest.raises(SmixupError, match="another sweep is writing"):
                Store(name).writing().__enter__()
            assert Store(name).workspace == store.workspace
        writer.keep(job(), Outcome(job().id, RESULT))
    assert all(Store(name).records().keys() == {job().id} for name in names)


def test_a_file_with_two_names_is_not_written_to(store: Store, tmp_path: Path) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT))
    os.link(store.path, tmp_path / "second.db")
    for path in (store.path, tmp_path / "second.db"):
        with pytest.raises(SmixupError, match=r"has a second name \(a hard link\)"):
            Store(path).writing().__enter__()
    assert list(store.records()) == [job().id]


def test_what_is_no_file_is_no_store(tmp_path: Path) -> None:
    for path in (tmp_path, Path(os.devnull)):
        with pytest.raises(SmixupError, match="is no file"):
            Store(path).writing().__enter__()
    assert list(tmp_path.iterdir()) == []


def test_a_copy_of_the_file_alone_has_all_runs(store: Store, tmp_path: Path) -> None:
    """While a sweep is writing, and while somebody else has the file open."""
    copy = Store(tmp_path / "copy.db")
    with store.writing() as writer:
        for seed in range(3):
            writer.keep(job(seed), Outcome(job(seed).id, RESULT))
            copy.path.write_bytes(store.path.read_bytes())
            assert len(copy.records()) == seed + 1
        other = sqlite3.connect(store.path)
        assert other.execute("SELECT count(*) FROM runs").fetchone() == (3,)
    copy.path.write_bytes(store.path.read_bytes())
    other.close()
    assert len(copy.records()) == 3


def test_runs_on_other_data_stay_and_do_not_count(store: Store) -> None:
    """One name, two sets of files: a table never mixes them; what says nothing counts always."""
    mutag = [Job.of(configure("MUTAG", "gin", "vanilla", seed, epochs=2)) for seed in range(3)]
    curves = {data: {"train_loss": [score]} for data, score in (("old", 0.1), ("new", 0.2))}
    with store.writing() as writer:
        writer.keep(mutag[2], Outcome(mutag[2].id, RESULT))  # of a version that kept no data
        writer.use({"MUTAG": "old", "MOTIF": ""})
        for each in mutag[:2]:
            result = replace(RESULT, curves=curves["old"])
            writer.keep(each, Outcome(each.id, result, data="old"))
        assert len(store.records()) == 3
        writer.use({"MUTAG": "new"})
        assert list(store.records()) == [mutag[2].id]
        writer.keep(
            mutag[0],
            Outcome(mutag[0].id, replace(RESULT, curves=curves["new"], test=0.1), data="new"),
        )
        writer.keep(job(), Outcome(job().id, RESULT))
    assert {id: run.data for id, run in store.records().items()} == {
        mutag[2].id: "",
        mutag[0].id: "new",
        job().id: "",
    }
    assert store.curves()[mutag[0].id] == curves["new"]
    assert [run.data for run in store.all_records()] == ["", "old", "old", "new", ""]
    whole = {(run.id, run.data): run.result for run in store.whole_records()}
    assert whole[mutag[0].id, "old"] == replace(RESULT, curves=curves["old"])
    with store.writing() as writer:
        writer.use({"MUTAG": "old"})  # the first files are there again
    assert {run.data for run in store.records().values()} == {"", "old"}


def spoil(store: Store, change: str) -> None:
    with sqlite3.connect(store.path) as connection:
        connection.execute(change)
    connection.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE runs SET config = '{bad' WHERE rowid = 2", "run {id}: its digest does not fit"),
        ("UPDATE runs SET seconds = 3.5 WHERE rowid = 2", "run {id}: its digest does not fit"),
        ("UPDATE runs SET result = replace(result, '0.75', '0.95') WHERE rowid = 2", "run {id}"),
        ("UPDATE runs SET id = 'x' WHERE rowid = 2", "run x: its digest does not fit"),
        ("UPDATE runs SET error = CAST(x'ff' AS TEXT) WHERE rowid = 2", "row 2 of runs: Could not"),
    ],
)
def test_a_damaged_row_is_named_and_hides_no_other(store: Store, change: str, words: str) -> None:
    with store.writing() as writer:
        for seed in range(3):
            writer.keep(job(seed), Outcome(job(seed).id, RESULT))
    spoil(store, change)
    with pytest.warns(UserWarning, match=words.format(id=job(1).id)) as warned:
        assert list(store.records()) == [job(0).id, job(2).id]
    assert len(warned) == 1
    assert "sweep import" in str(warned[0].message)
    with store.writing() as writer:
        writer.keep(job(1), Outcome(job(1).id, RESULT))  # what is missing is run again
    if "SET id" not in change:
        assert set(store.records()) == {job(seed).id for seed in range(3)}


@pytest.mark.parametrize("column", ["curves", "predictions"])
def test_damaged_curves_or_predictions_leave_the_run(store: Store, column: str) -> None:
    with store.writing() as writer:
        for seed in range(2):
            writer.keep(job(seed), Outcome(job(seed).id, RESULT))
    spoil(store, f"UPDATE runs SET {column} = x'0101' WHERE rowid = 1")
    assert len(store.records()) == 2
    with pytest.warns(UserWarning, match=f"the digest of its {column} does not fit"):
        assert list(getattr(store, column)()) == [job(1).id]


@pytest.mark.parametrize("column", ["curves", "predictions"])
@pytest.mark.parametrize("nothing", ["NULL", "''", "x''"])
def test_curves_or_predictions_that_were_emptied_are_named(
    store: Store, column: str, nothing: str
) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT))
    spoil(store, f"UPDATE runs SET {column} = {nothing}")
    with pytest.warns(UserWarning, match=f"the digest of its {column} does not fit"):
        assert getattr(store, column)() == {}


def test_a_fingerprint_of_data_that_was_changed_hides_no_run(store: Store) -> None:
    mutag = Job.of(configure("MUTAG", "gin", "vanilla", 0, epochs=2))
    with store.writing() as writer:
        writer.keep(mutag, Outcome(mutag.id, RESULT, data="a1"))
    assert store.data() == {"MUTAG": "a1"}
    spoil(store, "UPDATE data SET fingerprint = 'a3'")
    with pytest.warns(UserWarning, match="the data of MUTAG: its digest does not fit"):
        assert list(store.records()) == [mutag.id]


def test_damage_that_stands_in_the_words_of_sqlite_is_one_sentence(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT))
    spoil(store, "PRAGMA journal_mode = DELETE")
    content = store.path.read_bytes()
    store.path.write_bytes(content.replace(b"CREATE TABLE sweeps", b"CREATE TABLE swee\xd5s"))
    for use in (store.records, lambda: store.writing().__enter__()):
        with pytest.raises(SmixupError, match="is not a store of runs"):
            use()


def test_a_damaged_part_is_named(store: Store) -> None:
    with store.writing() as writer:
        writer.remember("quick", {"seeds": 2})
        writer.remember("motif", {"seeds": 2})
    spoil(store, "UPDATE sweeps SET scope = '[]' WHERE experiment = 'quick'")
    with pytest.warns(UserWarning, match="the part of quick: its digest does not fit"):
        assert store.scopes() == {"motif": {"seeds": 2}}


def test_a_full_disk_is_one_sentence_and_loses_nothing(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT))
    big = replace(RESULT, predictions=bytes(200_000))
    with (
        pytest.raises(SmixupError, match=r"cannot write to the store .*full; what it holds stays"),
        store.writing() as writer,
    ):
        writer.connection.execute("PRAGMA max_page_count = 20")
        writer.keep(job(1), Outcome(job(1).id, big))
    assert list(store.records()) == [job().id]


def test_the_last_scope_is_remembered(store: Store) -> None:
    with store.writing() as writer:
        writer.remember("quick", {"seeds": 2})
        writer.remember("quick", {"seeds": 3})
    assert store.scopes() == {"quick": {"seeds": 3}}


@pytest.mark.parametrize("content", [b"not a database at all, just some text " * 50, None])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.db"
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE mine (x)")
        connection.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    for use in (lambda: Store(path).records(), lambda: Store(path).writing().__enter__()):
        with pytest.raises(SmixupError, match=r"other\.db is"):
            use()
    assert path.read_bytes() == before


def test_a_store_of_another_format_is_refused_and_left_alone(store: Store) -> None:
    with store.writing() as writer:
        writer.connection.execute("PRAGMA user_version = 1")
    before = store.path.read_bytes()
    for use in (store.records, store.curves, lambda: store.writing().__enter__()):
        with pytest.raises(SmixupError, match=f"no store of this version .*format 1, not {FORMAT}"):
            use()
    assert store.path.read_bytes() == before


def test_a_store_in_a_folder_that_is_read_only_can_be_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.writing() as writer:
        writer.keep(job(), Outcome(job().id, RESULT))
    files = sorted(store.path.parent.iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert list(store.records()) == [job().id]
    assert sorted(store.path.parent.iterdir()) == files, "not even a reader leaves a file there"


def test_a_later_failure_does_not_hide_a_finished_run(store: Store) -> None:
    with store.writing() as writer:
        for id, outcome in (
            ("older", Outcome("older", RESULT)),
            ("newer", Outcome("newer", error="no memory")),
        ):
            writer.keep(Job(id, job().config), outcome)
    assert store.records_of_any_code()[job().id].id == "older"


def test_runs_of_other_code_count_on_request(store: Store) -> None:
    old = Job("an-old-identity", job().config)
    with store.writing() as writer:
        writer.keep(old, Outcome(old.id, RESULT))
    assert job().id not in store.records()
    assert store.records_of_any_code()[job().id].result == replace(
        RESULT, curves={}, predictions=b""
    )


def test_errors_of_files_are_told_if_they_are_about_the_store(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SmixupError, match=r"cannot write to the store .*: (Not a dir|File exists)"):
        Store(tmp_path / "file" / "runs.db").writing().__enter__()
    with pytest.raises(FileNotFoundError, match="elsewhere"), store.writing():
        Path("/elsewhere/x").read_text()


def test_a_folder_is_no_store_for_readers_either(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"cannot (open|read) the store"):
        Store(tmp_path).records()


def test_whole_records_have_curves_and_predictions_and_failures_none(store: Store) -> None:
    with store.writing() as writer:
        writer.keep(job(0), Outcome(job(0).id, RESULT))
        writer.keep(job(1), Outcome(job(1).id, None, "failed"))
    done, failed = store.whole_records()
    assert done.result == RESULT
    assert (failed.result, failed.error) == (None, "failed")
    assert store.finished().keys() == store.records().keys()
    assert store.finished(any_code=True).keys() == store.records_of_any_code().keys()


@pytest.mark.parametrize("scope", ["[", "[1]", "[" * 100_000])
def test_a_part_that_is_no_json_is_named(store: Store, scope: str) -> None:
    with store.writing() as writer:
        writer.remember("quick", {"seeds": 2})
    with sqlite3.connect(store.path) as connection:
        (started,) = connection.execute("SELECT started FROM sweeps").fetchone()
        told = ("quick", scope, started)
        connection.execute("UPDATE sweeps SET scope = ?, digest = ?", (scope, digest(*told)))
    connection.close()
    with pytest.warns(UserWarning, match="without the part of quick"):
        assert store.scopes() == {}


def test_a_database_of_others_is_no_store_for_readers(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE letters (text TEXT)")
    connection.close()
    with pytest.raises(SmixupError, match=r"other\.db is no store of this version"):
        Store(tmp_path / "other.db").records()


def test_a_database_without_tables_is_no_store_either(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "bare.db") as connection:
        connection.execute("CREATE TABLE letters (text TEXT)")
        connection.execute("DROP TABLE letters")
    connection.close()
    with pytest.raises(SmixupError, match=r"bare\.db is no store of this version"):
        Store(tmp_path / "bare.db").records()


def test_the_folders_of_a_store_are_made(tmp_path: Path) -> None:
    store = Store(tmp_path / "some" / "where" / "runs.db")
    with store.writing() as writer:
        writer.remember("quick", {"seeds": 2})
    assert store.scopes() == {"quick": {"seeds": 2}}


def test_a_run_is_written_ahead_so_that_a_reader_holds_up_nobody(store: Store) -> None:
    """A reader in the midst of reading would keep a driver waiting otherwise."""
    with store.writing() as writer:
        writer.remember("quick", {"seeds": 2})
        reader = sqlite3.connect(store.path)
        assert reader.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM sweeps").fetchone() == (1,)
        writer.remember("table2", {"seeds": 1})
        reader.close()
    assert set(store.scopes()) == {"quick", "table2"}
