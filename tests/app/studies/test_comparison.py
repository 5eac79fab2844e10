"""The verdict of a comparison: words, table, recommendation and the next command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from app.studies.pretended_runs import compared

from smixup.app.runs.words import finite
from smixup.app.studies.comparison import HEADER


def test_what_helps_is_recommended(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", "drop-edge", right={"s-mixup": 0.95}, seeds=10)
    assert found.recommended == "s-mixup"
    assert found.headline == "Train with s-mixup: it helps on MOTIF."
    helps, cannot, *losses, alignment = found.sentences()
    assert helps.startswith("s-mixup helps: accuracy +") and helps.endswith("after 10 paired runs.")
    assert cannot.startswith("cannot tell yet whether drop-edge helps: accuracy ")
    assert all("log loss" in each for each in losses) and len(losses) == 2
    assert alignment.startswith("the alignment helps: accuracy +")
    assert "--method s-mixup" in found.command and found.command.endswith(" --out model/")


def test_of_two_that_help_the_one_that_gains_more(tmp_path: Path) -> None:
    right = {"s-mixup": 0.8, "drop-edge": 0.97}
    found = compared(tmp_path, "s-mixup", "drop-edge", right=right)
    assert all(each.helps for each in found.verdicts)
    assert found.recommended == "drop-edge"


def test_what_hurts_or_makes_no_difference_is_not_recommended(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={"s-mixup": 0.1})
    assert found.recommended == "vanilla"
    assert found.headline == "Train without augmentation: none that was tried helps on MOTIF."
    assert found.sentences()[0].startswith("s-mixup hurts: accuracy -")
    assert "--method vanilla" in found.command


def test_too_few_runs_recommend_nothing_for_now(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={}, seeds=2)
    assert found.headline.startswith("Train without augmentation for now")
    assert found.sentences()[0].endswith("after 2 paired runs; needs about 8 more paired runs.")
    assert found.recommended == "vanilla"


def test_runs_beyond_the_last_look_are_told_apart(tmp_path: Path) -> None:
    """12 runs, and a verdict after 10: a reader sees both numbers, and is told why they differ."""
    found = compared(tmp_path, "s-mixup", right={}, seeds=12)
    assert found.paired == 12 and "after 10 paired runs" in found.sentences()[0]
    assert found.rest == (
        "Verdicts are given after 10, 15, 20, ... paired runs: these rest on the first 10."
    )
    assert found.rest in str(found)


@pytest.mark.parametrize("seeds", [3, 10])
def test_where_all_runs_count_nothing_is_said(tmp_path: Path, seeds: int) -> None:
    found = compared(tmp_path, "s-mixup", right={}, seeds=seeds)
    assert found.paired == seeds and found.rest == ""


def test_the_table_has_a_row_per_method_and_outcome(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", "drop-edge", right={}, seeds=3)
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


def test_means_are_of_the_same_runs(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={}, seeds=3)
    vanilla, method = float(found.rows()[0][2]), float(found.rows()[2][2])
    assert method - vanilla == pytest.approx(float(found.rows()[2][3]), abs=0.11)


def test_it_can_be_written_as_json(tmp_path: Path) -> None:
    found = compared(tmp_path, "s-mixup", right={}, seeds=2)
    told = json.loads(json.dumps(finite(found.to_dict())))
    assert told["recommended"] == "vanilla"
    score = told["methods"]["s-mixup"]["score"]
    assert (score["verdict"], score["more_runs_needed"], score["low"]) == (
        "cannot tell yet",
        8,
        None,
    )
    assert len(score["differences"]) == 2
