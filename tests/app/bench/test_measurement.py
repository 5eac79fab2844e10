"""A measurement is kept row by row, and goes on where it was stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smixup.app.bench.measurement import Measurement
from smixup.app.bench.timing import Comparison
from smixup.errors import SmixupError, UsageError

ROOT = Path(__file__).parents[3]
KEPT = sorted((ROOT / "docs" / "results" / "bench").glob("*.json"))
ABOUT = {
    "versions": {"smixup": "0.1.9"},
    "measured": "2026-01-02",
    "threads": 1,
    "settings": {"datasets": ("MOTIF",), "repeat": 7},
}


def row(benchmark: str, ratio: float | None = 2.0) -> Comparison:
    reference = None if ratio is None else 100.0
    quartiles = None if ratio is None else (1.9, 2.1)
    ours = 100.0 * (ratio or 1.0)
    return Comparison(benchmark, "MOTIF", "gcn", "s", ours, reference, quartiles=quartiles)


def test_every_row_is_on_disk_at_once(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "today.json"
    found = Measurement.begin(dict(ABOUT), file)
    assert not file.exists()
    found.add(row("vanilla"))
    assert Measurement.read(file).comparisons == [row("vanilla")]
    found.add(row("epoch", None))
    read = Measurement.read(file)
    assert read.comparisons == [row("vanilla"), row("epoch", None)]
    assert read.when == "smixup 0.1.9, 2026-01-02"
    assert json.loads(file.read_text()) == json.loads(found.to_json())


def test_finished_benchmarks_stay_and_the_one_that_was_stopped_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "today.json"
    first = Measurement.begin(dict(ABOUT), file)
    first.add(row("vanilla"))
    first.finish("vanilla")
    first.add(row("epoch"))
    again = Measurement.begin(ABOUT | {"measured": "2026-01-03"}, file)
    assert again.comparisons == [row("vanilla")]
    assert again.finished == ["vanilla"]
    assert again.when.endswith("2026-01-02"), "the day on which it began"


@pytest.mark.parametrize("name", ["versions", "threads", "settings"])
def test_parts_of_one_measurement_are_alike(tmp_path: Path, name: str) -> None:
    file = tmp_path / "today.json"
    Measurement.begin(dict(ABOUT), file).add(row("vanilla"))
    with pytest.raises(UsageError, match=rf"today.json was measured with other {name}: .*another"):
        Measurement.begin(ABOUT | {name: "other"}, file)
    assert Measurement.read(file).comparisons == [row("vanilla")]


def test_without_a_file_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Measurement.begin(dict(ABOUT)).add(row("vanilla"))
    assert not list(tmp_path.iterdir())


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="the measurement"):
        Measurement.begin(dict(ABOUT), tmp_path)


def test_what_was_printed_by_earlier_versions_is_read(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    file.write_text(json.dumps({"comparisons": [row("vanilla").to_json()], "threads": 1}))
    found = Measurement.read(file)
    assert found.comparisons == [row("vanilla")]
    assert (found.about["threads"], found.finished) == (1, [])
    assert found.when == "smixup of unknown version, day unknown"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "3", '{"comparisons": [{"ours": 1}]}', '{"comparisons": 3}']
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(SmixupError, match=r"other.json is not what `smixup bench --json` prints"):
        Measurement.read(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"no.json cannot be read: No such file"):
        Measurement.read(tmp_path / "no.json")


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_benchmarks_are_of_the_version_that_they_name(path: Path) -> None:
    found = Measurement.read(path)
    assert found.about["versions"]["smixup"] == path.stem
    assert found.comparisons
