"""A table is run, killed, and goes on; what is finished goes on record."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from experiments import __main__ as command
from experiments import records
from experiments.run import Part, configurations, keep, run
from experiments.tables import TABLES, Arm, Table
from smixup.errors import UsageError

ROOT = Path(__file__).parents[2]
TINY = Table(
    "for tests",
    {"30 graphs": ("MOTIF", {"dataset_options": {"num_graphs": 30}, "batch_size": 8, "epochs": 1})},
    {"Vanilla": Arm("vanilla"), "DropEdge": Arm("drop-edge", grid={"p": (0.05, 0.3)})},
    backbones=("gcn",),
    seeds=1,
)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLES, "tiny", TINY)  # type: ignore[arg-type]


@pytest.mark.usefixtures("tiny")
def test_what_is_done_is_not_done_again_and_goes_on_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "runs.db"
    first = list(run(configurations("tiny"), store))
    assert first[0] == "0 of 2 runs are done."
    assert "30 graphs, gcn, DropEdge, seed 0: 0." in first[2]
    everything = configurations("tiny", Part(search=True))
    lines = list(run(everything, store))
    assert (lines[0], len(lines)) == ("2 of 4 runs are done.", 3)
    assert list(run(everything, store)) == ["4 of 4 runs are done."]

    file = tmp_path / "records.parquet"
    records.write([], file)
    monkeypatch.setattr(records, "FILE", file)
    assert keep("tiny", [store]) == (4, 0)
    assert keep("tiny", [store]) == (0, 4)
    assert list(run(everything, tmp_path / "other.db")) == ["4 of 4 runs are done."], "on record"
    assert {each.setting for each in records.read()} == {"{}", '{"p": 0.05}', '{"p": 0.3}'}
    command.main(["table", "tiny", "--store", str(store)])
    assert "| DropEdge | 1 |" in capsys.readouterr().out
    with pytest.raises(UsageError, match="no store"):
        keep("tiny", [tmp_path / "none.db"])


def test_tables_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["run", "table9"])
    command.main(["list"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(TABLES)


@pytest.mark.nightly
def test_a_killed_table_goes_on(tmp_path: Path) -> None:
    part = ["few-labels", "--dataset", "MOTIF-25", "--arm", "random alignment", "--epochs", "5"]
    part += ["--backbone", "gin", "--seeds", "3"]
    line = [sys.executable, "-m", "experiments", "run", *part, "--store", str(tmp_path / "runs.db")]
    finished = 0
    for workers in ("1", "2"):
        running = [*line, "--workers", workers]
        with subprocess.Popen(running, cwd=ROOT, stdout=subprocess.PIPE, text=True) as killed:
            assert killed.stdout is not None
            assert int(next(killed.stdout).split()[0]) >= finished
            next(killed.stdout)
            killed.kill()
        finished += 1
    outputs = [subprocess.check_output(line, cwd=ROOT, text=True) for _ in range(2)]
    assert int(outputs[0].split()[0]) >= finished
    assert len(outputs[0].splitlines()) == 1 + 6 - int(outputs[0].split()[0])
    assert outputs[1] == "6 of 6 runs are done.\n"
