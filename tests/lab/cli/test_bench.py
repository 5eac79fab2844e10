"""`smixup bench` prints a table, or one JSON object."""

from __future__ import annotations

import json

import pytest
import torch
import typer
from typer.testing import CliRunner, Result

from smixup.lab.bench import machine, registry
from smixup.lab.bench.timing import Comparison
from smixup.lab.cli.bench import bench
from smixup.registry import Registry


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = Comparison("vanilla", "MOTIF", "gcn", "graphs/s", 3000.0, 1000.0)
    quickest = {"vanilla": lambda settings: [comparison] * settings.repeat}
    monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", quickest))
    monkeypatch.setattr(machine, "startup_seconds", lambda: 0.25)
    monkeypatch.setattr(machine, "matmul_rate", lambda: 50.0)


def run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(bench)
    return CliRunner().invoke(app, list(arguments))


def test_json_is_one_object_and_nothing_else() -> None:
    result = run(
        "--json", "--repeat", "2", "--only", "vanilla", "--threads", str(torch.get_num_threads())
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["startup_seconds"] == 0.25
    assert found["matmul_gflops"] == 50.0
    assert found["threads"] == torch.get_num_threads()
    assert found["peak_memory_mb"] is None or found["peak_memory_mb"] > 0
    assert [each["ratio"] for each in found["comparisons"]] == [3.0, 3.0]


def test_table() -> None:
    result = run("--repeat", "1")
    assert result.exit_code == 0, result.output
    for text in (
        "vanilla",
        "MOTIF",
        "3,000",
        "1,000",
        "3.00x",
        "startup seconds: 0.25",
        "peak memory",
    ):
        assert text in result.stdout


def test_a_row_without_reference_has_empty_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Comparison("large-pairs", "generated", "gmn", "s/pair", 7.3519, spent=True)
    monkeypatch.setenv("COLUMNS", "200")
    rows = {"large-pairs": lambda settings: [alone]}
    monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", rows))
    (row,) = [line for line in run().stdout.splitlines() if "large-pairs" in line]
    cells = [cell.strip() for cell in row.strip("│|").split("│")]
    assert cells[4:] == ["7.35", "", "", "", ""]
    (found,) = json.loads(run("--json").stdout)["comparisons"]
    assert (found["reference"], found["ratio"]) == (None, None)


def test_wrong_repeat_is_wrong_use() -> None:
    assert run("--repeat", "0").exit_code == 2
