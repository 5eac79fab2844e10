"""What S-Mixup costs, from the times of its runs."""

from __future__ import annotations

from dataclasses import replace

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.cost import cost, cost_ratios
from smixup.app.sweeps.record import Record


def test_ratios_of_training_and_what_comes_before(committed: CommittedRecords) -> None:
    head, _, *rows = cost(committed).splitlines()
    assert head == (
        "|  | GCN: Vanilla, s | GCN: S-Mixup | GIN: Vanilla, s | GIN: S-Mixup | matcher and "
        "alignments, s |"
    )
    assert rows == [
        "| PROTEINS-25 | 1.5 | 1.0x | 1.5 | 1.0x | 12.5 |",
        "| MUTAG-25 | 1.5 | 1.0x | 1.5 | 1.0x | 12.5 |",
    ]


def test_runs_beside_other_work_do_not_count(committed: CommittedRecords) -> None:
    """One slow run changes nothing; a matcher that one backbone fits and the other finds counts."""
    slow = {
        id: replace(record, seconds=record.seconds + 100)
        for id, record in committed.records.items()
        if record.config["seed"] == 1
    }
    found = {
        id: replace(record, seconds=2.0)
        for id, record in committed.records.items()
        if record.config["backbone"] == "gin" and record.config["seed"] == 0
    }
    changed = replace(committed, records={**committed.records, **slow, **found}, _tables={})
    assert cost(changed) == cost(committed)


def test_ratios_are_of_the_shortest_runs(committed: CommittedRecords) -> None:
    records = {
        id: _trained(record, (3.0 if record.config["method"] == "s-mixup" else 1.0) + seed)
        for id, record in committed.records.items()
        for seed in [record.config["seed"]]
    }
    assert cost_ratios(replace(committed, records=records, _tables={})) == [3.0] * 4


def _trained(record: Record, seconds: float) -> Record:
    assert record.result is not None
    return replace(record, result=replace(record.result, seconds=seconds))
