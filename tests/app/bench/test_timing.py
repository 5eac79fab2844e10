"""The two sides take turns, and medians are reported."""

from __future__ import annotations

import pytest

from smixup.app.bench import timing
from smixup.app.bench.timing import Comparison, Medians, alternate, timed, turns


def test_sides_take_turns_after_one_round_to_warm_up() -> None:
    calls: list[str] = []
    alternate(lambda: calls.append("ours"), lambda: calls.append("reference"), repeat=3)
    assert calls == ["ours", "reference"] * 4


def test_medians_of_each_side(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([1.0, 10.0, 9.0, 30.0, 2.0, 20.0])
    monkeypatch.setattr(timing, "seconds", lambda work: next(readings))
    assert alternate(lambda: None, lambda: None, repeat=3) == (2.0, 20.0)


def test_the_noise_is_that_of_rounds_not_of_sides() -> None:
    """Both sides of a round meet the same machine: one that slows both down is no noise."""
    calm = Medians.of([(1.0, 3.0), (10.0, 30.0), (2.0, 6.0)])
    assert calm.quartiles == (3.0, 3.0)
    restless = Medians.of([(1.0, 1.0), (1.0, 2.0), (1.0, 3.0), (1.0, 4.0), (1.0, 5.0)])
    assert restless.quartiles == (2.0, 4.0)
    assert restless.quartiles_of(10.0) == (20.0, 40.0)


def test_rates_are_of_both_sides() -> None:
    assert Medians.of([(2.0, 4.0)]).rates(100) == (50.0, 25.0)


def test_a_single_round_tells_no_noise() -> None:
    alone = Medians.of([(1.0, 3.0)])
    assert alone == (1.0, 3.0)
    assert (alone.quartiles, alone.quartiles_of(2.0)) == (None, None)


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
        "spent": False,
        "quartiles": None,
        "ratio": 3.0,
    }


def test_of_what_is_spent_less_is_better() -> None:
    comparison = Comparison("large-pairs", "generated", "", "s/pair", 2.0, 6.0, spent=True)
    assert comparison.ratio == 3.0


def test_without_reference_there_is_no_ratio() -> None:
    comparison = Comparison("large-pairs", "generated", "", "s/pair", 2.0, spent=True)
    assert comparison.ratio is None
    assert comparison.to_json()["reference"] is None


def test_what_takes_long_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "seconds", lambda work: timing.LONG / 4)
    assert len(turns(lambda _: None, lambda _: None, repeat=7)) == 2
    assert len(timed(lambda: None, repeat=7)) == 4
    assert len(timed(lambda: None, repeat=7, before=timing.LONG / 2)) == 2
    assert timed(lambda: None, repeat=7, before=timing.LONG) == []
    assert len(timed(lambda: None, repeat=3)) == 3


def test_both_sides_are_told_the_round() -> None:
    told: list[tuple[str, int]] = []
    turns(lambda i: told.append(("ours", i)), lambda i: told.append(("reference", i)), repeat=2)
    assert told == [("ours", 0), ("reference", 0), ("ours", 1), ("reference", 1)]
