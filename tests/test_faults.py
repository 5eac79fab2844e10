"""Whatever step of a write fails, or is the last: the old state or the new one, never else, no
leftovers, one sentence.
"""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from faults import Disk, every_death, every_fault

from smixup.app.pages.report import Report as Page
from smixup.app.pictures.picture_file import write_picture
from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.augment import Augmentation
from smixup.checkpoint import CheckpointFile
from smixup.datasets import load_dataset
from smixup.datasets.archives import import_archive
from smixup.datasets.fingerprint import data_fingerprint
from smixup.errors import SmixupError
from smixup.files import write_whole
from smixup.graphs import Graphs
from smixup.graphs.packed import open_packed
from smixup.graphs.packing import pack
from smixup.matching import GraphMatcher
from smixup.models.fitting import fit_model
from smixup.models.saved_model import load_model, save_model
from smixup.tasks import Classes
from smixup.training import TrainSettings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="lets copies of this process die"),
]
TALLY = os.environ.get("SMIXUP_TEST_TALLY")


@dataclass
class Case:
    """Something that is written: how, what must be there afterwards, and where.

    Attributes:
        write: writes the new state.
        state: reads what is there, and fails if it is damaged.
        folder: where nothing else may be left.
        restore: puts the old state back.
        new: what `state` returns of the new state.
    """

    write: Callable[[], object]
    state: Callable[[], object]
    folder: Path
    restore: Callable[[], object]
    new: object = None


Make = Callable[[Path], Case]


def page(folder: Path) -> Case:
    file = folder / "page.html"
    write: Callable[[str], object] = lambda text: Page(text).write(file)  # noqa: E731
    write("new")
    new = file.read_text()
    return Case(lambda: write("new"), file.read_text, folder, lambda: write("old"), new)


def picture(folder: Path) -> Case:
    from matplotlib.figure import Figure

    file = folder / "picture.png"

    def write(width: int) -> None:
        write_picture(Figure(figsize=(width, 1)), file)

    write(2)
    new = file.read_bytes()
    return Case(lambda: write(2), file.read_bytes, folder, lambda: write(1), new)


def export(folder: Path) -> Case:
    file = folder / "runs.csv"
    text = "id,test\n" + "a,0.5\n" * 10_000
    write: Callable[[str], object] = lambda text: write_whole(file, text, "the runs")  # noqa: E731
    return Case(lambda: write(text), file.read_text, folder, lambda: write("id\n"), text)


def checkpoint(folder: Path) -> Case:
    file = CheckpointFile(folder / "run.safetensors", "a")

    def write(epoch: int) -> None:
        file.write({"weight": torch.full((50,), float(epoch))}, {"epoch": epoch})

    def state() -> object:
        tensors, notes = file.read()
        return notes["epoch"], tensors["weight"].tolist()

    return Case(lambda: write(2), state, folder, lambda: write(1), (2, [2.0] * 50))


def matcher(folder: Path) -> Case:
    graphs = load_dataset("MOTIF", num_graphs=12).graphs
    settings = {"num_layers": 1, "hidden_channels": 4, "max_steps": 1}
    one, two = (GraphMatcher(seed=seed, **settings).fit(graphs) for seed in (0, 1))
    place = folder / "matcher"
    two.save(place)
    seed: Callable[[], object] = lambda: GraphMatcher.load(place).seed  # noqa: E731
    return Case(lambda: two.save(place), seed, folder, lambda: one.save(place), 1)


def model(folder: Path) -> Case:
    graphs = load_dataset("MOTIF", num_graphs=40).graphs
    task, place = Classes(("cycle", "house", "wheel")), folder / "model"

    def fitted(epochs: int) -> object:
        settings = TrainSettings(epochs=epochs, learning_rate=0.01, batch_size=32, seed=1)
        sizes = {"hidden_channels": 4, "num_layers": 1}
        return fit_model(graphs, task, "gin", Augmentation(), settings, 0.3, **sizes).model

    one, two = fitted(1), fitted(2)

    def state() -> object:
        load_model(place)
        return json.loads((place / "model.json").read_text())["weights"]["sha256"]

    save_model(two, place)  # type: ignore[arg-type]
    new = state()
    return Case(
        lambda: save_model(two, place),  # type: ignore[arg-type]
        state,
        folder,
        lambda: save_model(one, place),  # type: ignore[arg-type]
        new,
    )


def packed(folder: Path) -> Case:
    one, two = (load_dataset("MOTIF", num_graphs=number).graphs for number in (10, 20))
    place = folder / "set"

    def state() -> object:
        graphs: Graphs = open_packed(place)[:]
        return graphs.fingerprint()

    return Case(
        lambda: pack(two, place), state, folder, lambda: pack(one, place), two.fingerprint()
    )


def data_import(folder: Path) -> Case:
    root = folder / "root"

    def published(labels: str) -> Path:
        place = folder.parent / f"published-{len(labels)}" / "TINY"
        place.mkdir(parents=True, exist_ok=True)
        texts = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n2\n", "graph_labels": labels}
        for part, text in texts.items():
            (place / f"TINY_{part}.txt").write_text(text)
        return place

    one, two = published("0\n1\n"), published("0\n-1\n")

    def state() -> object:
        load_dataset("TINY", root)
        return data_fingerprint("TINY", root)

    import_archive(two, root)
    new = state()
    return Case(
        lambda: import_archive(two, root), state, root, lambda: import_archive(one, root), new
    )


CASES: list[Make] = [page, picture, export, checkpoint, matcher, model, packed, data_import]


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def told(what: str, counted: Counter[str]) -> None:
    """Add a line to the tally of a long test."""
    if TALLY:
        with Path(TALLY).open("a") as file:
            file.write(f"{json.dumps({'what': what, **counted})}\n")


@pytest.mark.parametrize("exchange", [True, False], ids=["exchanged", "moved"])
@pytest.mark.parametrize("make", CASES)
def test_the_old_state_or_the_new_one(
    make: Make, exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    case = make(tmp_path / "here")
    case.restore()
    old, there, counted = case.state(), names(case.folder), Counter[str]()
    assert old != case.new
    if not exchange:
        monkeypatch.setattr("smixup.files._exchange", lambda one, other: False)
    for fault in every_fault(case.write):
        now = case.state()
        assert now in (old, case.new), fault
        assert now == case.new or fault.told, "what was not done is said"
        assert names(case.folder) == there, fault
        counted[fault.error] += 1
        if now == case.new:
            case.restore()
    assert case.state() == case.new, "the last time nothing failed"
    assert counted.total() >= 16
    told(f"{make.__name__}, {'exchanged' if exchange else 'moved'}", counted)


@pytest.mark.parametrize("exchange", [True, False], ids=["exchanged", "moved"])
@pytest.mark.parametrize("make", CASES)
def test_a_process_that_dies_leaves_the_old_state_or_the_new_one(
    make: Make, exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    case = make(tmp_path / "here")
    case.restore()
    old, there, deaths = case.state(), names(case.folder), 0
    if not exchange:
        monkeypatch.setattr("smixup.files._exchange", lambda one, other: False)
    for _ in every_death(case.write):
        if exchange or case.folder.joinpath(*there[:1]).exists():
            assert case.state() in (old, case.new)
        case.write()  # sweeps what was left, and puts back what was moved aside
        assert (case.state(), names(case.folder)) == (case.new, there)
        case.restore()
        deaths += 1
    assert deaths >= 3
    told(f"{make.__name__}, {'exchanged' if exchange else 'moved'}", Counter(deaths=deaths))


def test_the_loop_finds_a_write_that_is_not_whole(tmp_path: Path) -> None:
    """The harness itself: a plain write leaves half a file, a hidden one stays for ever."""
    file = tmp_path / "page"
    file.write_text("old")
    found = set()
    with pytest.raises(OSError, match="No space"):
        for _ in every_fault(lambda: file.write_text("new new")):
            found.add(file.read_text())
    with Disk(2, lambda: OSError(28, "No space")), pytest.raises(OSError, match="No space"):
        file.write_text("new new")
    assert file.read_text() == "new"


def job(seed: int) -> Job:
    return Job.of(configure("MOTIF", "gin", "vanilla", seed, epochs=2))


@pytest.fixture
def filled(store: Store, make_result: Callable[..., RunResult]) -> Store:
    with store.writing() as writer:
        for seed in range(3):
            writer.keep(job(seed), Outcome(job(seed).id, make_result(predictions=bytes(9000))))
    return store


def keep_one(store: Store, result: RunResult) -> None:
    with store.writing() as writer:
        writer.keep(job(7), Outcome(job(7).id, result))


def whole(store: Store) -> list[str]:
    with sqlite3.connect(store.path) as connection:
        (found,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    assert found == "ok"
    return sorted(store.records())


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")
def test_a_store_on_a_disk_that_ends_at_the_kth_page(
    filled: Store, make_result: Callable[..., RunResult]
) -> None:
    """SQLite writes by itself: the size of files is limited, page by page, in a copy of this
    process.
    """
    before, result, refused = whole(filled), make_result(predictions=bytes(30_000)), 0
    for pages in range(1, 60):
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            limit = pages * 2048
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            try:
                keep_one(filled, result)
                os.write(writing, b"done")
            except SmixupError as error:
                os.write(writing, str(error).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said = pipe.read()
        if said == "done":
            break
        refused += 1
        assert said.startswith(("cannot write to the store", "cannot read the store"))
        assert "\n" not in said
        assert whole(filled) == before
    assert refused > 3
    assert whole(filled) == sorted([*before, job(7).id])
    told("store, full at page k", Counter(ENOSPC=refused))


@pytest.mark.parametrize("path", ["upgrade", "keep"])
def test_a_driver_that_dies_at_its_kth_statement(
    path: str, store: Store, make_result: Callable[..., RunResult]
) -> None:
    result, deaths = make_result(predictions=bytes(9000)), 0
    with store.writing() as writer:
        writer.keep(job(0), Outcome(job(0).id, result))
    old = whole(store)
    for k in range(1, 60):
        if path == "upgrade":
            downgrade(store)
        child = os.fork()
        if not child:
            die_at(k)
            keep_one(store, result)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert whole(store) in (old, sorted([*old, job(7).id]))
        if status == 0:
            break
        deaths += 1
        store.path.unlink()
        with store.writing() as writer:
            writer.keep(job(0), Outcome(job(0).id, result))
    assert deaths > 3
    assert whole(store) == sorted([*old, job(7).id])
    told(f"store, {path}", Counter(deaths=deaths))


def downgrade(store: Store) -> None:
    """Make a file of the format before of a store."""
    with sqlite3.connect(store.path) as connection:
        connection.executescript("""
            CREATE TABLE before AS SELECT id, config, result, curves, error, seconds, host,
            finished, predictions FROM runs; DROP TABLE runs; ALTER TABLE before RENAME TO runs;
            DROP TABLE sweeps; DROP TABLE data;
            CREATE TABLE sweeps (experiment TEXT PRIMARY KEY, scope TEXT, started TEXT);
            PRAGMA user_version = 3;
        """)
    connection.close()


def die_at(k: int) -> None:
    """Let this process die when SQLite begins its k-th statement."""
    seen, connect = [], sqlite3.connect

    def count(statement: str) -> None:
        seen.append(statement)
        if len(seen) == k:
            os.kill(os.getpid(), 9)

    def connected(*arguments: object, **options: object) -> sqlite3.Connection:
        connection = connect(*arguments, **options)  # type: ignore[call-overload]
        connection.set_trace_callback(count)
        return connection  # type: ignore[no-any-return]

    sqlite3.connect = connected  # type: ignore[assignment]
