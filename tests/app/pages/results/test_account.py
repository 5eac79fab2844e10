"""The sentences below the tables count what was decided, and what is ruled out."""

from __future__ import annotations

from smixup.app.pages.results.account import account
from smixup.app.pages.results.committed_records import CommittedRecords

POOLS = {"25 labels": ["MUTAG-25", "PROTEINS-25"]}


def test_decided_cells_and_gains_that_are_ruled_out_are_counted(
    committed: CommittedRecords,
) -> None:
    pairs = (("S-Mixup", "Vanilla"), ("Vanilla", "S-Mixup"))
    text = account(committed, "few-labels", pairs, "accuracy", POOLS)
    better, worse = (line for line in text.splitlines() if line.startswith("- *"))
    assert "4 cells; better with an interval in 4 (" in better and "worse in 0;" in better
    assert "A gain of one point or more is ruled out in 0 " in better
    assert "better with an interval in 0, worse in 4 (" in worse
    assert "A gain of one point or more is ruled out in 4 (one-sided, at 5 %)." in worse


def test_losses_have_no_gain_in_points(committed: CommittedRecords) -> None:
    text = account(committed, "few-labels", (("S-Mixup", "Vanilla"),), "scaled_loss", POOLS)
    assert "ruled out" not in text
    assert "better with an interval in 4" in text, "a lower loss is better"


def test_what_was_not_run_says_so(committed: CommittedRecords) -> None:
    pairs = (("S-Mixup", "Vanilla"),)
    assert account(committed, "noisy-labels", pairs, "accuracy", {}) == "Not run yet."
