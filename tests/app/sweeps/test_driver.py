"""A sweep does what is missing, once, and keeps each run as it ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from smixup.app.runs.config import RunConfig, configure
from smixup.app.sweeps.driver import SweepStatus, missing, sweep, unique
from smixup.app.sweeps.engine import Engine, WorkerDied
from smixup.app.sweeps.job import Job, Outcome, execute
from smixup.app.sweeps.store import Store


class Here(Engine):
    """Does jobs in this process; counts them; fails those of the seeds it is told to."""

    def __init__(self, failing: tuple[int, ...] = ()) -> None:
        self.failing, self.done = failing, []
        self.waiting: list[Job] = []
        self.opened = 0

    def open(self) -> None:
        self.opened += 1

    def close(self) -> None: ...

    def capacity(self) -> int:
        return 1

    def start(self, job: Job) -> None:
        self.waiting.append(job)

    def wait(self) -> Outcome | WorkerDied:
        job = self.waiting.pop()
        self.done.append(job.config["seed"])
        if job.config["seed"] in self.failing:
            return Outcome(job.id, error="cannot")
        return execute(job)


def configs(number: int) -> list[RunConfig]:
    options = {"epochs": 1, "dataset_options": {"num_graphs": 30}}
    return [configure("MOTIF", "gcn", "vanilla", seed, **options) for seed in range(number)]


def test_a_run_asked_for_twice_is_done_once(tmp_path: Path) -> None:
    store, engine = Store(tmp_path / "runs.db"), Here()
    status = sweep([*configs(2), *configs(2)], store, engine)
    assert engine.done == [0, 1]
    assert (status.done, status.total, status.running, status.failed) == (2, 2, {}, [])
    again = Here()
    assert sweep(configs(3), store, again).done == 3
    assert again.done == [2]


def test_nothing_to_do_starts_no_engine(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.db")
    sweep(configs(1), store, Here())
    idle = Here()
    sweep(configs(1), store, idle)
    assert idle.opened == 0


def test_runs_of_other_code_are_done_again_unless_any_code_will_do(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.db")
    sweep(configs(2), store, Here())
    first, *others = store.whole_records()
    store.path.unlink()
    with store.writing() as writer:
        writer.add([replace(first, id="of other code"), *others])
    idle = Here()
    assert sweep(configs(2), store, idle, any_code=True).done == 2
    assert idle.done == []
    again = Here()
    sweep(configs(2), store, again)
    assert len(again.done) == 1


def test_runs_on_other_data_are_done_again_and_both_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = ["one"]
    for module in ("driver", "job"):
        where = f"smixup.app.sweeps.{module}.data_fingerprint"
        monkeypatch.setattr(where, lambda name, root: data[0])
    store = Store(tmp_path / "runs.db")
    for now, expected in (("one", [0, 1]), ("two", [0, 1]), ("two", []), ("one", [])):
        data[0] = now
        engine = Here()
        assert sweep(configs(2), store, engine).done == 2
        assert engine.done == expected
        assert {run.data for run in store.records().values()} == {now}
    assert [run.data for run in store.all_records()] == ["one", "one", "two", "two"]


def test_a_failed_run_stops_nobody_and_is_tried_next_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.db")
    status = sweep(configs(3), store, Here(failing=(1,)))
    assert (status.done, [each.error for each in status.failed]) == (2, ["cannot"])
    assert [config.seed for config in missing(unique(configs(3)), store.records()).values()] == [1]
    better = Here()
    assert sweep(configs(3), store, better).done == 3
    assert better.done == [1]


def test_it_tells_where_it_stands(tmp_path: Path) -> None:
    seen: list[tuple[int, int, bool]] = []

    def watch(status: SweepStatus) -> None:
        seen.append((status.done, len(status.running), status.seconds_left is not None))

    sweep(configs(2), Store(tmp_path / "runs.db"), Here(), watch=watch)
    assert seen == [(0, 1, False), (1, 0, True), (1, 1, True), (2, 0, True)]


def test_each_run_has_one_identity() -> None:
    assert len(unique(configs(4))) == 4
