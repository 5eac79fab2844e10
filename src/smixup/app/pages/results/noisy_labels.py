"""Does it help where training labels are wrong?"""

from __future__ import annotations

from smixup.app.pages.results.account import account
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.few_labels import ALIGNS, HELPS
from smixup.app.tables.definitions.noisy_labels import DATASETS, EXPERIMENT, SHARES, column_name

POOLS = {
    f"{share:.0%} wrong": [column_name(dataset, share) for dataset in DATASETS] for share in SHARES
}


def accuracy(committed: CommittedRecords) -> str:
    """What is gained over Vanilla, and over a random alignment, in points."""
    return account(committed, EXPERIMENT.name, (*HELPS, *ALIGNS), "accuracy", POOLS)
