"""Tables of differences: one row per condition that was run."""

from __future__ import annotations

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.comparisons import (
    compare_all,
    difference_table,
    pooled_row,
    pooled_table,
)
from smixup.app.tables.judged import Comparison

PAIRS = (("S-Mixup", "Vanilla"), ("S-Mixup", "random one-to-one"))


def found(committed: CommittedRecords, outcome: str = "accuracy") -> list[Comparison]:
    return compare_all(committed, committed.table("few-labels"), PAIRS, outcome)


def test_conditions_without_runs_are_left_out(committed: CommittedRecords) -> None:
    head, _, *rows = difference_table(
        committed.table("few-labels"), found(committed), "gin"
    ).splitlines()
    assert head.startswith("| GIN | n | Vanilla | S-Mixup less Vanilla | S-Mixup less random")
    assert [row.split(" | ")[:3] for row in rows] == [
        ["| PROTEINS-25", "3", "60.67"],
        ["| MUTAG-25", "3", "60.67"],
    ]
    assert all("**+10.00 [" in row for row in rows)


def test_losses_have_three_digits(committed: CommittedRecords) -> None:
    *_, row = difference_table(
        committed.table("few-labels"), found(committed, "log_loss"), "gcn"
    ).splitlines()
    reference = row.split(" | ")[2]
    assert len(reference.partition(".")[2]) == 3


def test_pooled_rows_without_datasets_are_left_out(committed: CommittedRecords) -> None:
    comparisons = found(committed)
    two = pooled_row("25", comparisons, ["MUTAG-25", "PROTEINS-25"])
    assert two[:2] == ["25", "2"]
    assert two[2].startswith("+10.00 [")
    none = pooled_row("50", comparisons, ["MUTAG-50", "PROTEINS-50"])
    assert not any(none[1:])
    assert len(pooled_table([two, none], comparisons).splitlines()) == 3
