"""`smixup sweep` from end to end: once with real runs, otherwise with runs that an engine of ours
pretends.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup import memory
from smixup.app.cli import sweep as module
from smixup.app.cli.main import app
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.engine import Engine, WorkerDied
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import NAMES, experiment_named
from smixup.app.tables.scope import Scope

PART = ["--dataset", "MOTIF", "--method", "m-mixup", "--seeds", "1", "--epochs", "1"]
SCOPE = Scope(("MOTIF",), methods=("m-mixup",), seeds=1, epochs=1)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "100"})


def invoke_well(*arguments: object) -> str:
    result = invoke(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def numbers(survey: str, name: str) -> list[str]:
    """The numbers in a line of a survey."""
    line = next(line for line in survey.splitlines() if line.strip("│ ").startswith(name))
    return [cell.strip() for cell in line.strip("│").split("│")][1:]


class Pretending(Engine):
    """Finishes every job at once, or fails it."""

    def __init__(self, result: RunResult, error: str | None = None) -> None:
        self.result, self.error, self.done = result, error, 0
        self.jobs: list[Job] = []

    def open(self) -> None: ...

    def close(self) -> None: ...

    def capacity(self) -> int:
        return 1

    def start(self, job: Job) -> None:
        self.jobs.append(job)

    def wait(self) -> Outcome | WorkerDied:
        self.done += 1
        result = None if self.error else self.result
        return Outcome(self.jobs.pop().id, result, self.error, 3.0)


@pytest.fixture
def pretend(
    monkeypatch: pytest.MonkeyPatch, make_result: Callable[..., RunResult]
) -> Callable[..., Pretending]:
    monkeypatch.setenv(memory.VARIABLE, "4GB")  # a sweep changes it for its workers
    monkeypatch.setattr(memory, "_budget", None)

    def use(error: str | None = None) -> Pretending:
        engine = Pretending(make_result(), error)
        monkeypatch.setattr(module, "_engine", lambda *arguments: engine)
        return engine

    return use


@pytest.mark.slow
def test_real_runs_from_nothing_to_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path / "runs.db")
    shown = invoke("sweep", "run", "quick", "--store", store.path, "--workers", 1, *PART)
    assert shown.exit_code == 0, shown.stderr
    assert "2 of 2 done, 0 running, 0 failed" in shown.stderr
    assert "REHEARSAL, 1 epochs" in shown.stdout
    assert "not run" not in shown.stdout
    records = store.records()
    assert {
        (record.config["method"], record.done, record.config["epochs"])
        for record in records.values()
    } == {("vanilla", True, 1), ("m-mixup", True, 1)}
    monkeypatch.setattr(module, "_engine", lambda *arguments: None)
    again = invoke("sweep", "run", "quick", "--store", store.path, *PART)
    assert again.exit_code == 0, again.stderr
    assert again.stdout == shown.stdout
    assert store.records() == records, "nothing is run twice"
    status = invoke_well("sweep", "status", "quick", "--store", store.path)
    assert numbers(status, "all")[:4] == ["2", "2", "0", "0"]
    check_exports(store, tmp_path)
    check_tables(store)
    invoke_well("report", "--store", store.path, "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2, "differences and curves"
    assert not re.search(r'(src|href)="(?!#)', page)


def check_exports(store: Store, folder: Path) -> None:
    records, curves = store.records(), store.curves()
    lines = [
        json.loads(line)
        for line in invoke_well("sweep", "export", "quick", "--store", store.path).splitlines()
    ]
    assert {line["id"]: line["test"] for line in lines} == {
        id: record.result.test for id, record in records.items()
    }
    assert {line["id"]: line["curves"] for line in lines} == curves
    assert all(line["selected"] for line in lines)
    for name in ("runs.jsonl", "deep/runs.csv"):
        invoke_well("sweep", "export", "quick", "--store", store.path, "--out", folder / name)
    assert [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()] == lines
    with (folder / "deep" / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["id"]: float(row["validation"]) for row in rows} == {
        id: record.result.validation for id, record in records.items()
    }
    assert [json.loads(row["config"]) for row in rows] == [line["config"] for line in lines]


def check_tables(store: Store) -> None:
    score = {
        record.config["method"]: f"{100 * record.result.test:.2f} (n = 1)"
        for record in store.records().values()
    }
    for form in ("text", "markdown", "latex"):
        table = invoke_well("table", "quick", "--store", store.path, "--format", form)
        assert all(words in table for words in score.values())
    cells = json.loads(invoke_well("table", "quick", "--store", store.path, "--format", "json"))[
        "cells"
    ]
    assert {cell["runs"][0] for cell in cells} == set(store.records())


def test_the_list_names_every_experiment() -> None:
    lines = invoke_well("sweep", "list").splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    assert all(
        experiment_named(name).title in line for name, line in zip(NAMES, lines, strict=True)
    )


def test_a_plan_needs_no_store_and_makes_none(tmp_path: Path) -> None:
    plan = invoke_well("sweep", "plan", "quick", "--store", tmp_path / "runs.db")
    assert numbers(plan, "MOTIF, gin, s-mixup") == ["9", "0", "0", "9", "?", "?"]
    assert numbers(plan, "all") == ["30", "0", "0", "30", "?", "?"]
    assert list(tmp_path.iterdir()) == []


def test_a_plan_tells_how_long_from_what_was_run(store: Store, keep: Callable[..., str]) -> None:
    vanilla, mixup = experiment_named("quick").grid(SCOPE)
    keep(vanilla.configs[0], seconds=120.0)
    alone = invoke_well("sweep", "plan", "quick", "--store", store.path, *PART, "--workers", 1)
    assert numbers(alone, "all") == ["2", "1", "0", "1", "?", "2 min 00 s"]
    both = invoke_well("sweep", "plan", "quick", "--store", store.path, *PART, "--workers", 2)
    assert numbers(both, "all")[-1] == "1 min 00 s"
    assert mixup.configs[0].epochs == 1


def test_a_plan_tells_what_it_could_see(
    store: Store, keep: Callable[..., str], tmp_path: Path
) -> None:
    def rows(*arguments: object) -> list[str]:
        shown = invoke_well("sweep", "plan", *arguments, "--store", store.path, "--root", tmp_path)
        return [" ".join(line.split()) for line in shown.splitlines()]

    performance = rows("performance", "--no-grid", "--dataset", "NCI1", "--dataset", "ogbg-molhiv")
    assert "NCI1 411 of 4110 10 2.19 44 assumed" in performance
    assert "ogbg-molhiv ? 10 not told not told official split" in performance
    quick = rows("quick")
    assert "MUTAG ? 3 not told not told graphs not counted" in quick
    assert any("--root names the folder" in row for row in quick)
    assert not any("--root" in row for row in performance)
    assert "MOTIF, 100 graphs 150, new ones 3 9.41 75 assumed" in quick
    assert "MOTIF, 100 graphs 150, new ones 2 none 75 assumed" in rows("quick", "--seeds", 2)
    for place, config in enumerate(experiment_named("quick").runs(Scope(methods=("m-mixup",)))):
        keep(config, test=0.5 + place % 5 / 100)
    assert any(row.startswith("MOTIF") and row.endswith("of 3 pairs") for row in rows("quick"))


def test_only_what_is_missing_is_run_and_the_scope_is_remembered(
    store: Store, pretend: Callable[..., Pretending]
) -> None:
    engine = pretend()
    invoke_well("sweep", "run", "quick", "--store", store.path, "--no-grid", "--seeds", 1)
    assert engine.done == 8
    engine = pretend()
    invoke_well(
        "sweep",
        "run",
        "quick",
        "--store",
        store.path,
        "--no-grid",
        "--seeds",
        2,
        "--backbone",
        "gin",
    )
    assert engine.done == 8
    assert Scope.from_dict(store.scopes()["quick"]) == Scope(
        backbones=("gin",), seeds=2, search=False
    )
    assert numbers(invoke_well("sweep", "status", "quick", "--store", store.path), "all")[:4] == [
        "16",
        "16",
        "0",
        "0",
    ]
    whole = invoke_well("sweep", "status", "quick", "--store", store.path, "--seeds", 3, "--grid")
    assert numbers(whole, "all")[:2] == ["30", "16"]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--memory", "6GB", "--workers", "3"], str(2**31)),
        (["--workers", "2"], str(2**31)),
        (["--engine", "ray", "--memory", "1GB", "--workers", "4"], str(2**28)),
        (["--engine", "slurm", "--memory", "1GB", "--workers", "4"], "4GB"),
    ],
)
def test_workers_share_the_memory_and_jobs_of_slurm_have_their_own(
    options: list[str], left: str, store: Store, pretend: Callable[..., Pretending]
) -> None:
    pretend()
    invoke_well("sweep", "run", "quick", "--store", store.path, *PART, *options)
    assert os.environ[memory.VARIABLE] == left


def test_failed_runs_are_told_with_reasons_and_tried_again(
    store: Store, pretend: Callable[..., Pretending]
) -> None:
    pretend("cannot read [/data/x]\x1b[31m")
    result = invoke("sweep", "run", "quick", "--store", store.path, *PART)
    assert result.exit_code == 1
    assert "1 failed" in result.stdout
    told = f"2 runs failed: `smixup sweep status quick --store {store.path}` says why."
    assert result.stderr.splitlines()[-1] == told
    status = invoke_well("sweep", "status", "quick", "--store", store.path)
    assert r"2 failed: cannot read [/data/x]\x1b[31m" in status
    assert "\x1b" not in status, "a terminal obeys what is not spelled out"
    assert numbers(status, "all")[:4] == ["2", "0", "2", "0"]
    engine = pretend()
    assert "1 failed" not in invoke_well("sweep", "run", "quick", "--store", store.path, *PART)
    assert engine.done == 2


def test_runs_of_other_code_are_mentioned(store: Store) -> None:
    config = experiment_named("quick").runs(SCOPE)[0]
    with store.writing() as writer:
        writer.keep(Job("old", config.to_dict()), Outcome("old", error="it does not matter"))
        writer.remember("quick", SCOPE.to_dict())
    status = " ".join(invoke_well("sweep", "status", "quick", "--store", store.path).split())
    assert (
        "1 runs in the store are of other versions of the code; --any-code counts them." in status
    )
    counted = invoke_well("sweep", "status", "quick", "--store", store.path, "--any-code")
    assert numbers(counted, "all")[:3] == ["2", "0", "1"]
    planned = ("sweep", "plan", "quick", "--store", store.path, *PART)
    assert numbers(invoke_well(*planned), "all")[:3] == ["2", "0", "0"]
    assert numbers(invoke_well(*planned, "--any-code"), "all")[:3] == ["2", "0", "1"]


def failed(result: Result, code: int, message: str) -> None:
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert result.exit_code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "quik"], "unknown experiment 'quik'. Did you mean 'quick'?"),
        (["plan", "quik"], "unknown experiment 'quik'. Did you mean 'quick'?"),
        (["run", "quick", "--engine", "rai"], "unknown engine 'rai'. Did you mean 'ray'?"),
        (["run", "quick", "--engine", "slum"], "unknown engine 'slum'. Did you mean 'slurm'?"),
        (
            ["run", "quick", "--partition", "short", "--time", "9"],
            "--partition, --time belongs to --engine slurm, not to local.",
        ),
        (["run", "quick", "--dataset", "MUTANG"], "Did you mean 'MUTAG'?"),
        (["run", "quick", "--backbone", "gcn"], "unknown backbone of this experiment 'gcn'."),
        (["run", "quick", "--method", "s-mixdown"], "Did you mean 's-mixup'?"),
        (["run", "quick", "--epochs", "0"], "epochs must be 1 or more or None, not 0."),
        (
            ["export", "quick", "--out", "runs.xlsx"],
            "the name of runs.xlsx must end in .csv, .jsonl, .csv.gz or .jsonl.gz.",
        ),
    ],
)
def test_wrong_use_is_one_line_and_makes_nothing(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    failed(invoke("sweep", *arguments), 2, message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["status", "export"])
def test_a_store_that_is_not_there_is_one_line(verb: str, tmp_path: Path) -> None:
    failed(
        invoke("sweep", verb, "quick", "--store", tmp_path / "nowhere.db"), 1, "there is no store"
    )


@pytest.mark.parametrize("verb", ["plan", "run", "status", "export"])
def test_another_file_is_one_line_and_left_alone(verb: str, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_text("no store at all " * 100)
    failed(invoke("sweep", verb, "quick", "--store", other), 1, "is not a store of runs")
    assert other.read_text() == "no store at all " * 100


def test_an_export_that_cannot_be_written_is_one_line(
    store: Store, keep: Callable[..., str], tmp_path: Path
) -> None:
    keep(experiment_named("quick").runs(SCOPE)[0])
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    failed(
        invoke("sweep", "export", "quick", "--store", store.path, "--out", folder),
        1,
        "cannot write the runs",
    )


def test_an_export_is_of_the_last_part_and_says_so(
    store: Store, keep: Callable[..., str], tmp_path: Path
) -> None:
    for config in experiment_named("quick").runs(Scope(seeds=1)):
        keep(config)
    last = Scope(("MOTIF",), methods=("m-mixup",), seeds=1)
    with store.writing() as writer:
        writer.remember("quick", last.to_dict())
    part, whole = tmp_path / "part.csv", tmp_path / "whole.csv"
    export = ("sweep", "export", "quick", "--store", store.path, "--out")
    assert invoke(*export, part).stderr == (
        f"2 runs in {part}, of the part that was run last; --whole writes all there are.\n"
    )
    assert invoke(*export, whole, "--whole").stderr == f"{len(store.records())} runs in {whole}.\n"
    assert len(store.records()) > 2


def test_import_counts_and_tells_of_other_scores(
    store: Store, keep: Callable[..., str], tmp_path: Path
) -> None:
    first, second = experiment_named("quick").runs(SCOPE)[:2]
    id = keep(first, test=0.5)
    keep(second, error="no memory")
    export = tmp_path / "runs.jsonl"
    with store.writing() as writer:
        writer.remember("quick", SCOPE.to_dict())
    invoke_well("sweep", "export", "quick", "--store", store.path, "--out", export)
    other = tmp_path / "other.db"
    result = invoke("sweep", "import", export, store.path, "--store", other)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        f"2 runs imported into {other} (1 of them failed), 2 known already, 0 left out: of other "
        "code or other settings than here.\n"
    )
    assert Store(other).records() == store.records()
    keep(first, test=0.75)
    result = invoke("sweep", "import", store.path, "--store", other)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"0 runs imported into {other}, 1 known already, 0 left out")
    assert result.stderr == (
        f"run {id} (MOTIF, gin, vanilla, seed 0) has other scores in {store.path}: test 0.75, not "
        "0.5; what was there first is kept.\n"
    )


def test_import_of_another_file_is_one_line(store: Store, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("nothing of ours")
    failed(invoke("sweep", "import", other, "--store", store.path), 1, "nothing was imported")
    assert not store.path.exists()
