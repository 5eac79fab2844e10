"""Benchmarks are found by name."""

from __future__ import annotations

import pytest

from smixup.errors import UsageError
from smixup.lab.bench import registry
from smixup.lab.bench.registry import BENCHMARKS, run_benchmarks
from smixup.lab.bench.settings import Settings
from smixup.lab.bench.timing import Comparison
from smixup.registry import Registry

SETTINGS = Settings((), 1, None, None, pytest.fail)


def fake(name: str) -> Comparison:
    return Comparison(name, "MOTIF", "", "graphs/s", 2.0, 1.0)


def test_named_ones_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = {name: lambda _, name=name: [fake(name)] for name in ("a", "b")}
    monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", fakes))
    assert [each.benchmark for each in run_benchmarks(SETTINGS)] == ["a", "b"]
    assert [each.benchmark for each in run_benchmarks(SETTINGS, ["b"])] == ["b"]


def test_what_takes_minutes_is_run_by_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = {name: lambda _, name=name: [fake(name)] for name in ("a", "reddit-fit")}
    monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", fakes))
    assert [each.benchmark for each in run_benchmarks(SETTINGS)] == ["a"]
    found = run_benchmarks(SETTINGS, ["reddit-fit"])
    assert [each.benchmark for each in found] == ["reddit-fit"]
    assert set(BENCHMARKS) >= registry.ON_REQUEST


def test_a_wrong_name_gets_the_nearest() -> None:
    assert "vanilla" in BENCHMARKS
    with pytest.raises(UsageError, match="Did you mean 'vanilla'"):
        list(run_benchmarks(SETTINGS, ["vanila"]))
