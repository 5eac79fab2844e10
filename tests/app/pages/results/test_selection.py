"""Rules of selection are compared on the same runs, place by place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.selection import FILE, RULES, selection
from smixup.training.selection import Selection

RECORDS = Path(__file__).parents[4] / "docs" / "results"


def line(backbone: str, seed: int, *accuracies: float) -> str:
    """A run of development as the file has it."""
    place = {"dataset": "NCI1", "train_graphs": 50, "backbone": backbone, "method": "s-mixup"}
    scores = dict(zip(RULES, accuracies, strict=True))
    return json.dumps({**place, "seed": seed, "accuracy": scores})


def test_means_over_the_runs_of_a_place(tmp_path: Path) -> None:
    runs = [
        line("gcn", 100, 0.5, 0.6, 0.7),
        line("gcn", 101, 0.6, 0.6, 0.5),
        line("gin", 100, 1, 0, 0.25),
    ]
    (tmp_path / FILE).write_text("\n".join(runs) + "\n", encoding="utf-8")
    assert selection(CommittedRecords({}, {}, tmp_path)).splitlines() == [
        "| test accuracy, % | n | `score` | `smoothed-loss` | `last` |",
        "| --- | --- | --- | --- | --- |",
        "| NCI1-50, GCN, s-mixup | 2 | 55.0 | 60.0 | 60.0 |",
        "| NCI1-50, GIN, s-mixup | 1 | 100.0 | 0.0 | 25.0 |",
    ]


def test_rules_are_those_that_a_run_may_select_by() -> None:
    assert set(RULES) == set(get_args(Selection))


def test_seeds_on_record_are_those_of_development_and_every_place_stands_once() -> None:
    runs = [json.loads(text) for text in (RECORDS / FILE).read_text().splitlines()]
    assert min(run["seed"] for run in runs) >= 100, "no seed of a final table"
    assert all(set(run["accuracy"]) == set(RULES) for run in runs)
    rows = selection(CommittedRecords({}, {}, RECORDS)).splitlines()[2:]
    places = [row.split("|")[1] for row in rows]
    assert len(set(places)) == len(places)
    assert sum(int(row.split("|")[2]) for row in rows) == len(runs)
