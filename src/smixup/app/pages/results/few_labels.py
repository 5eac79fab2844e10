"""Does it help where labels are few, and is it the alignment?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

from smixup.app.pages.results.account import account
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.comparisons import compare_all
from smixup.app.pictures.gain_curve import Gain, draw_gains
from smixup.app.tables.definitions.few_labels import CONDITIONS, EPOCHS, LATER
from smixup.app.tables.judged import Comparison

HELPS = (("S-Mixup", "Vanilla"), ("random one-to-one", "Vanilla"))
ALIGNS = (("S-Mixup", "random one-to-one"),)
PEERS = tuple((arm.name, "Vanilla") for arm in LATER)


def accuracy(committed: CommittedRecords) -> str:
    """What is gained over Vanilla in test accuracy, in points."""
    return _account(committed, HELPS, "accuracy")


def alignment(committed: CommittedRecords) -> str:
    """What the alignment gains over a random one, in points."""
    return _account(committed, ALIGNS, "accuracy")


def scaled_loss(committed: CommittedRecords) -> str:
    """What is gained in log loss after temperature scaling; below zero is better."""
    return _account(committed, (*HELPS, *ALIGNS), "scaled_loss")


def later_peers(committed: CommittedRecords) -> str:
    """What methods that came after the paper gain over Vanilla in test accuracy, in points."""
    return _account(committed, PEERS, "accuracy")


def gains(committed: CommittedRecords) -> Figure:
    """Draw the gain in accuracy over Vanilla against the number of labels."""
    table = committed.table("few-labels")
    comparisons = compare_all(committed, table, HELPS, "accuracy")
    panels = {name: list(_series(comparisons, name, table.backbones)) for name in CONDITIONS}
    shown = {name: series for name, series in panels.items() if series}
    return draw_gains(shown, "accuracy less Vanilla's, points")


def _series(
    comparisons: Sequence[Comparison], dataset: str, backbones: Sequence[str]
) -> Iterator[Gain]:
    for backbone in backbones:
        for each in comparisons:
            found = {
                number: each.by_place[backbone, f"{dataset}-{number}"].estimate
                for number in EPOCHS
                if (backbone, f"{dataset}-{number}") in each.by_place
            }
            if found:
                yield Gain(each.row, backbone.upper(), found)


def _account(committed: CommittedRecords, pairs: Sequence[tuple[str, str]], outcome: str) -> str:
    pools = {f"{number} labels": [f"{name}-{number}" for name in CONDITIONS] for number in EPOCHS}
    return account(committed, "few-labels", pairs, outcome, pools)
