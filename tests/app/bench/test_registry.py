"""Benchmarks are found by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from smixup.app.bench import registry
from smixup.app.bench.measurement import Measurement
from smixup.app.bench.registry import BENCHMARKS, run_benchmarks
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison
from smixup.errors import UsageError
from smixup.optional import MissingPackageError, missing_package
from smixup.registry import Registry

SETTINGS = Settings((), 1, None, None, pytest.fail)


def fake(name: str) -> Comparison:
    return Comparison(name, "MOTIF", "", "graphs/s", 2.0, 1.0)


def run(only: Sequence[str] = (), finished: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Which benchmarks were begun, and whose rows were found."""
    found = Measurement({}, finished=list(finished))
    begun = list(run_benchmarks(found, SETTINGS, only))
    return begun, [each.benchmark for each in found.comparisons]


def test_named_ones_or_all(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = {name: lambda _, name=name: [fake(name)] for name in ("a", "b")}
    monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", fakes))
    assert run() == (["a", "b"], ["a", "b"])
    assert run(["b"]) == (["b"], ["b"])
    assert run(finished=["a"]) == (["b"], ["b"])


def test_what_takes_minutes_is_run_by_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes = {name: lambda _, name=name: [fake(name)] for name in ("a", "reddit-fit")}
    monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", fakes))
    assert run() == (["a"], ["a"])
    assert run(["reddit-fit"]) == (["reddit-fit"], ["reddit-fit"])
    assert set(BENCHMARKS) >= registry.ON_REQUEST


def test_a_wrong_name_gets_the_nearest() -> None:
    assert "vanilla" in BENCHMARKS
    with pytest.raises(UsageError, match="Did you mean 'vanilla'"):
        run(["vanila"])


def test_what_needs_a_missing_package_is_left_out_unless_it_was_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: Settings) -> Iterator[Comparison]:
        yield fake("a")
        raise missing_package("POT", "matching")

    fakes = {"a": refuse, "b": lambda _: [fake("b")]}
    monkeypatch.setattr(registry, "BENCHMARKS", Registry("benchmark", fakes))
    notes: list[str] = []
    settings = replace(SETTINGS, note=notes.append)
    found = Measurement({})
    assert list(run_benchmarks(found, settings)) == ["a", "b"]
    assert [each.benchmark for each in found.comparisons] == ["a", "b"]
    assert found.finished == ["b"]
    assert notes == [
        "a is left out: this needs POT, which is missing: pip install 'smixup[matching]'."
    ]
    with pytest.raises(MissingPackageError):
        list(run_benchmarks(Measurement({}), settings, ["a"]))
