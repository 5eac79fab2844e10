"""`smixup bench` prints a table, or one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import typer
from typer.testing import CliRunner, Result

import smixup
from smixup.app.bench import machine, registry
from smixup.app.bench.timing import Comparison
from smixup.app.cli.bench import bench
from smixup.errors import UsageError
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
    assert row.split() == ["large-pairs", "generated", "gmn,", "s/pair", "7.35"]
    (found,) = json.loads(run("--json").stdout)["comparisons"]
    assert (found["reference"], found["ratio"]) == (None, None)


def kept(tmp_path: Path, name: str, ours: float, quartiles: list[float]) -> str:
    """A file as `--json` writes it."""
    comparison = Comparison("vanilla", "MOTIF", "gcn", "graphs/s", ours, 1000.0)
    found = {"comparisons": [comparison.to_json() | {"quartiles": quartiles}]}
    found |= {"versions": {"smixup": "0.1.9"}, "measured": "2026-01-02"}
    file = tmp_path / name
    file.write_text(json.dumps(found))
    return str(file)


def test_what_was_measured_is_told_with_version_and_day() -> None:
    found = json.loads(run("--json").stdout)
    assert found["versions"]["smixup"] == smixup.__version__
    assert found["measured"].startswith("20")


def test_against_another_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    then = kept(tmp_path, "then.json", 1000.0, [0.9, 1.1])
    now = kept(tmp_path, "now.json", 2000.0, [1.8, 2.2])
    printed = run("--measured", now, "--against", then).stdout
    for text in ("better", "1.00x [0.90, 1.10]", "2.00x [1.80, 2.20]", "then: smixup 0.1.9, 2026"):
        assert text in printed
    assert "worse" in run("--measured", then, "--against", now).stdout
    assert "noise unknown" in run("--repeat", "1", "--against", then).stdout, "measured just now"
    (change,) = json.loads(run("--json", "--measured", now, "--against", then).stdout)["changes"]
    assert (change["verdict"], change["factor"]) == ("better", 2.0)


def test_rows_of_one_day_alone_are_told(tmp_path: Path) -> None:
    then = kept(tmp_path, "then.json", 1000.0, [0.9, 1.1])
    now = Path(kept(tmp_path, "now.json", 2000.0, [1.8, 2.2]))
    now.write_text(now.read_text().replace('"gcn"', '"gin"'))
    printed = run("--measured", str(now), "--against", then).stdout
    assert "only then: vanilla gcn" in printed
    assert "only now: vanilla gin" in printed


def test_a_file_can_be_shown_again(tmp_path: Path) -> None:
    shown = run("--measured", kept(tmp_path, "now.json", 2000.0, [1.8, 2.2]))
    assert shown.exit_code == 0, shown.output
    assert "2.00x" in shown.stdout


def test_wrong_repeat_is_wrong_use() -> None:
    assert run("--repeat", "0").exit_code == 2


def test_rows_are_kept_and_a_stopped_benchmark_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def measure(name: str, stop: bool) -> Iterator[Comparison]:
        begun.append(name)
        yield Comparison(name, "MOTIF", "gcn", "graphs/s", 3000.0, 1000.0)
        if stop:
            raise KeyboardInterrupt

    def benchmarks(stop: bool) -> None:
        found = {name: lambda _, name=name: measure(name, stop and name == "b") for name in "abc"}
        monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", found))

    out = str(tmp_path / "today.json")
    benchmarks(stop=True)
    stopped = run("--out", out, "--json")
    assert stopped.exit_code != 0
    assert [each["benchmark"] for each in json.loads(stopped.stdout)["comparisons"]] == ["a", "b"]
    benchmarks(stop=False)
    whole = run("--out", out, "--json")
    assert whole.exit_code == 0, whole.output
    assert begun == ["a", "b", "b", "c"], "what was finished is not measured again"
    assert json.loads(whole.stdout) == json.loads(Path(out).read_text())
    assert "3.00x" in run("--measured", out).stdout
    refused = run("--out", out, "--repeat", "9")
    assert isinstance(refused.exception, UsageError)
    assert isinstance(run("--out", out, "--measured", out).exception, UsageError)
