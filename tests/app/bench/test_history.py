"""Two benchmarks are compared by ratios, and a change counts only beyond the noise."""

from __future__ import annotations

import pytest

from smixup.app.bench.history import (
    FASTER,
    SAME,
    SLOWER,
    UNKNOWN,
    Change,
    History,
)
from smixup.app.bench.timing import Comparison


def row(
    ratio: float | None, quartiles: tuple[float, float] | None = None, case: str = "gcn"
) -> Comparison:
    reference = None if ratio is None else 100.0
    ours = 100.0 * (ratio or 1.0)
    return Comparison("vanilla", "MOTIF", case, "graphs/s", ours, reference, quartiles=quartiles)


@pytest.mark.parametrize(
    ("then", "now", "verdict"),
    [
        (row(2.0, (1.9, 2.1)), row(3.0, (2.9, 3.1)), FASTER),
        (row(3.0, (2.9, 3.1)), row(2.0, (1.9, 2.1)), SLOWER),
        (row(2.0, (1.0, 3.0)), row(3.0, (2.9, 3.1)), SAME),
        (row(2.0), row(3.0, (2.9, 3.1)), UNKNOWN),
        (row(None), row(None), ""),
    ],
)
def test_a_change_counts_beyond_the_noise(then: Comparison, now: Comparison, verdict: str) -> None:
    assert Change(then, now).verdict == verdict


def test_the_factor_is_of_ratios() -> None:
    slow_day = Comparison("vanilla", "MOTIF", "gcn", "graphs/s", 20.0, 10.0)
    fast_day = Comparison("vanilla", "MOTIF", "gcn", "graphs/s", 200.0, 100.0)
    assert Change(slow_day, fast_day).factor == 1.0, "ten times the speed is another machine"
    assert Change(row(None), row(2.0)).factor is None


def test_rows_find_each_other_and_none_is_dropped() -> None:
    history = History.of([row(1.0), row(1.0, case="old")], [row(1.0, case="new"), row(2.0)])
    assert [(each.then.case, each.factor) for each in history.changes] == [("gcn", 2.0)]
    assert [each.case for each in history.gone] == ["old"]
    assert [each.case for each in history.new] == ["new"]
