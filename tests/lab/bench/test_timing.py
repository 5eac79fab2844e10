"""The two sides take turns, and medians are reported."""

from __future__ import annotations

import pytest

from smixup.lab.bench import timing
from smixup.lab.bench.timing import Comparison, alternate


def test_sides_take_turns_after_one_round_to_warm_up() -> None:
    calls: list[str] = []
    alternate(lambda: calls.append("ours"), lambda: calls.append("reference"), repeat=3)
    assert calls == ["ours", "reference"] * 4


def test_medians_of_each_side(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([1.0, 10.0, 9.0, 30.0, 2.0, 20.0])
    monkeypatch.setattr(timing, "seconds", lambda work: next(readings))
    assert alternate(lambda: None, lambda: None, repeat=3) == (2.0, 20.0)


def test_seconds_follow_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([5.0, 7.5])
    monkeypatch.setattr(timing, "perf_counter", lambda: next(clock))
    assert timing.seconds(lambda: None) == 2.5


def test_ratio_is_above_one_where_ours_is_faster() -> None:
    comparison = Comparison("vanilla", "MOTIF", "gcn", "graphs/s", ours=300.0, reference=100.0)
    assert comparison.ratio == 3.0
    assert comparison.to_json() == {
        "benchmark": "vanilla",
        "dataset": "MOTIF",
        "case": "gcn",
        "unit": "graphs/s",
        "ours": 300.0,
        "reference": 100.0,
        "efficiency": None,
        "memory_mb": None,
        "ratio": 3.0,
    }
