"""The result of a comparison: what differs, in which unit, words, table and recommendation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app.compare.pretended import BETTER, EQUAL, Pretended, asked, compared

from smixup.app.compare.evidence import Answer, Measure
from smixup.app.compare.pairs import differences, score_measure
from smixup.app.compare.verdicts import HEADER
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.words import finite


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def runs(share: float, number: int = 12, metric: str = "accuracy") -> list[RunResult]:
    pretended = Pretended({"x": share}, metric=metric)
    return [pretended.result("x", seed % 10, seed) for seed in range(number)]


def test_words_for_differences() -> None:
    units = {"accuracy": (True, True), "r2": (True, False), "rmse": (False, False)}
    measures = {name: score_measure(name, []) for name in units}
    assert {name: (m.higher_is_better, m.points) for name, m in measures.items()} == units
    errors = [replace(run, test=test) for run, test in zip(runs(0.5, 2), (4.0, 6.0), strict=True)]
    points, error = score_measure("accuracy", errors), score_measure("mae", errors)
    assert (points.amount(0.0131), points.limit()) == ("+1.3 points", "2 points")
    assert (error.amount(-0.25), error.limit()) == ("-0.250", "0.1"), "2 % of Vanilla's"
    assert score_measure("accuracy", [], 0.005).limit() == "0.5 points"
    loss = Measure("log loss", False, False, 0.1)
    assert (loss.amount(0.01), loss.limit()) == ("+0.010", "0.1")


def test_accuracy_is_compared_graph_by_graph_and_other_scores_run_by_run() -> None:
    ours, theirs = runs(0.9), runs(0.6)
    table = differences(ours, theirs, loss=False)
    means = [a.test - b.test for a, b in zip(ours, theirs, strict=True)]
    assert table is not None and table.shape == (12, 120)
    assert np.nanmean(table, 1) == pytest.approx(means)
    rocauc = differences(runs(0.9, metric="rocauc"), runs(0.6, metric="rocauc"), loss=False)
    assert rocauc is not None and rocauc.shape == (12,)


def test_log_loss_is_that_after_the_temperature_of_each_run() -> None:
    """At a temperature of 0.05, rounding of kept logits would be twenty times as large: differences
    are those of the means, which runs computed themselves.
    """
    ours, theirs = runs(0.9), runs(0.6)
    table = differences(ours, theirs, loss=True)
    assert table is not None
    told = from_bytes(ours[0].predictions), from_bytes(theirs[0].predictions)
    assert table[0] == pytest.approx(told[0].log_loss(1.0) - told[1].log_loss(1.0), nan_ok=True)
    ours = [replace(run, temperature=0.05, scaled_loss=run.scaled_loss + 0.25) for run in ours]
    table = differences(ours, theirs, loss=True)
    means = [a.scaled_loss - b.scaled_loss for a, b in zip(ours, theirs, strict=True)]
    assert table is not None and np.nanmean(table, 1) == pytest.approx(means)
    rocauc = runs(0.9, metric="rocauc")
    one_by_one = differences(rocauc, rocauc, loss=True)
    assert one_by_one is not None and one_by_one.shape == (12,)
    assert differences(runs(0.9, metric="mae"), theirs, loss=True) is None


def test_what_helps_is_recommended(store: Path) -> None:
    found = compared(store, asked("s-mixup", "drop-edge", control=True, seeds=10), right=BETTER)
    assert found.recommended == "s-mixup"
    assert found.headline == "Train with s-mixup: it helps on MOTIF."
    helps, cannot, *losses, alignment = found.sentences()
    assert helps.startswith("s-mixup helps: accuracy +") and helps.endswith("after 10 paired runs.")
    assert cannot.startswith("cannot tell yet whether drop-edge helps: accuracy ")
    assert all("log loss" in each for each in losses) and len(losses) == 2
    assert alignment.startswith("the alignment helps: accuracy +")
    assert "over random-alignment" in alignment
    assert "--method s-mixup" in found.command and found.command.endswith(" --out model/")
    assert found.rows()[-2][0] == "random-alignment" and found.rows()[-2][5] == "control"


TOLD = [  # shares that are right, settings, what is recommended, and the first sentence
    ({"s-mixup": 0.1}, {}, "vanilla", "s-mixup hurts: accuracy -"),
    ({"vanilla": 0.95}, {}, "s-mixup", "s-mixup helps: mae -"),
    ({}, {"margin": 0.4}, "vanilla", "s-mixup makes no difference larger than 40 points: "),
    ({}, {"seeds": 2}, "vanilla", "cannot tell yet whether s-mixup helps: accuracy "),
]


@pytest.mark.parametrize(("right", "settings", "recommended", "words"), TOLD)
def test_what_is_told(
    store: Path, right: dict[str, float], settings: dict[str, Any], recommended: str, words: str
) -> None:
    metric = "mae" if "mae" in words else "accuracy"
    found = compared(store, asked(**settings), right=EQUAL | right, metric=metric)
    assert found.recommended == recommended and f"--method {recommended}" in found.command
    assert found.sentences()[0].startswith(words)
    assert (found.verdicts[0].log_loss is None) == (metric == "mae")
    waits = "Train without augmentation for now" in found.headline
    assert waits == ("cannot tell" in words)


def test_of_two_that_help_the_one_that_gains_more(store: Path) -> None:
    right = EQUAL | {"s-mixup": 0.8, "drop-edge": 0.97}
    found = compared(store, asked("s-mixup", "drop-edge"), right=right)
    assert all(each.answer is Answer.HELPS for each in found.verdicts)
    assert found.recommended == "drop-edge"


def test_runs_beyond_the_last_look_are_told_apart(store: Path) -> None:
    """12 runs, and a verdict after 10: a reader sees both numbers, and is told why they differ."""
    found = compared(store, asked(seeds=12))
    assert found.paired == 12 and "after 10 paired runs" in found.sentences()[0]
    assert found.rest == (
        "Verdicts are given after 10, 15, 20, ... paired runs: these rest on the first 10."
    )
    assert found.rest in str(found)
    assert [compared(store, asked(seeds=seeds)).rest for seeds in (3, 10)] == ["", ""]


def test_the_table_has_a_row_per_method_and_outcome(store: Path) -> None:
    found = compared(store, asked("s-mixup", "drop-edge", seeds=3))
    rows = found.rows()
    assert {len(row) for row in rows} == {len(HEADER)}
    assert [row[:2] for row in rows] == [
        *(("vanilla", "accuracy"), ("", "log loss")),
        *(("s-mixup", "accuracy"), ("", "log loss")),
        *(("drop-edge", "accuracy"), ("", "log loss")),
    ]
    text = str(found)
    assert all(row[2] in text for row in rows)
    assert "3 paired runs, all paired runs that were asked for are done." in text
    vanilla, method, difference = (
        float(rows[place][column]) for place, column in ((0, 2), (2, 2), (2, 3))
    )
    assert method - vanilla == pytest.approx(difference, abs=0.11)


def test_costs_and_failures_are_told_in_words_and_in_json(store: Path) -> None:
    settings = asked("s-mixup", "drop-edge", seeds=2)
    failing = {"drop-edge": "no edges."}
    found = compared(store, settings, errors=failing, seconds={"vanilla": 2.0, "s-mixup": 5.0})
    assert (found.verdicts[0].ratio, found.verdicts[0].preparation) == (2.5, 0.0)
    assert "2.5x + 0 s" in str(found)
    assert "drop-edge could not be run: no edges." in found.sentences()
    assert found.rows()[-1][5] == "failed"
    told = json.loads(json.dumps(finite(found.to_dict())))
    assert told["methods"]["drop-edge"]["ratio"] is None
    score = told["methods"]["s-mixup"]["score"]
    brief = score["verdict"], score["more_runs_needed"], score["low"], len(score["differences"])
    assert brief == ("cannot tell yet", 8, None, 2)
