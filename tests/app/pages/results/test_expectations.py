"""The small table says what the records say, and leaves out what they do not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.expectations import CASE_STUDY, expectations
from smixup.app.studies.match_quality import OURS, RANDOM

STUDY = {
    "pairs": 40,
    "matchers": [
        {"matcher": OURS, "mean": 0.98, "low": 0.97, "high": 0.99},
        {"matcher": RANDOM, "mean": 0.06, "low": 0.04, "high": 0.08},
    ],
}


def test_only_what_was_run_is_told(committed: CommittedRecords) -> None:
    _, _, *rows = expectations(committed).splitlines()
    assert len(rows) == 1, "two datasets with 25 labels: nothing of MOTIF, nothing with 100"
    assert rows[0].startswith("| time to train | 1.0 to 1.0 times as long")


def test_the_motif_that_is_kept(committed: CommittedRecords, tmp_path: Path) -> None:
    (tmp_path / CASE_STUDY).write_text(json.dumps(STUDY))
    first = expectations(replace(committed, folder=tmp_path)).splitlines()[2]
    assert "40 held-out pairs" in first
    assert "**98 % [97, 99]**, mixed in random order 6 % [4, 8]" in first
