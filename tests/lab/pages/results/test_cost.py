"""What S-Mixup costs, from the times of its runs."""

from __future__ import annotations

from smixup.lab.pages.results.committed_records import CommittedRecords
from smixup.lab.pages.results.cost import cost


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
