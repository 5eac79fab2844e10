"""Two benchmarks are compared by ratios, and a change counts only beyond the noise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smixup.errors import SmixupError
from smixup.lab.bench.history import (
    FASTER,
    SAME,
    SLOWER,
    UNKNOWN,
    Change,
    History,
    read_benchmark,
)
from smixup.lab.bench.timing import Comparison

ROOT = Path(__file__).parents[3]
KEPT = sorted((ROOT / "docs" / "results" / "bench").glob("*.json"))


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


def test_what_was_written_is_read(tmp_path: Path) -> None:
    written = [row(2.0, (1.9, 2.1)), row(None, case="alone")]
    file = tmp_path / "bench.json"
    file.write_text(json.dumps({"comparisons": [each.to_json() for each in written], "threads": 1}))
    found = read_benchmark(file)
    assert found["comparisons"] == written
    assert found["threads"] == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"comparisons": [{"ours": 1}]}', '{"comparisons": 3}']
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(SmixupError, match=r"other.json is not what `smixup bench --json` prints"):
        read_benchmark(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"no.json cannot be read: No such file"):
        read_benchmark(tmp_path / "no.json")


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_benchmarks_are_of_the_version_that_they_name(path: Path) -> None:
    found = read_benchmark(path)
    assert found["versions"]["smixup"] == path.stem
    assert found["comparisons"]
