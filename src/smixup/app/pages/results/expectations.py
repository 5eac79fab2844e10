"""What to expect, in one small table: for README.md, from the same records as all others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from smixup.app.evidence.estimate import Estimate
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.cost import cost_ratios
from smixup.app.pages.results.few_labels import ALIGNS, HELPS
from smixup.app.pages.results.words import LOSS_DIGITS, NO_PROOF, interval, markdown_table
from smixup.app.studies.match_quality import OURS, RANDOM
from smixup.app.tables.by_graph import averaged
from smixup.app.tables.definitions.few_labels import CONDITIONS, EPOCHS
from smixup.app.tables.definitions.icml2026 import SMIXUP, VANILLA
from smixup.app.tables.judged import Comparison
from smixup.app.tables.published_2026 import DATASETS

CASE_STUDY = "case_study.json"
"""What `smixup figure case-study --fit full --json` printed."""

OVER_RANDOM = "the same, over mixes along a random alignment"
MOTIF = "MOTIF"
REAL = tuple(name for name in CONDITIONS if name != MOTIF)
LABELS = 100  # where all datasets have runs, and twenty seeds or ten


def expectations(committed: CommittedRecords) -> str:
    """Answer in a row each: structure kept, few labels, alignment, all labels, probabilities,
    cost.
    """
    rows = [*_kept(committed), *_few(committed), *_all(committed), *_cost(committed)]
    return markdown_table(["S-Mixup at its defaults", "what was measured"], rows)


def _kept(committed: CommittedRecords) -> Iterator[list[str]]:
    path = committed.folder / CASE_STUDY
    if not path.is_file():
        return
    study = json.loads(path.read_text(encoding="utf-8"))
    shares = {row["matcher"]: row for row in study["matchers"]}
    ours, random = (_percent(shares[name]) for name in (OURS, RANDOM))
    yield [
        f"share of a motif that a mix keeps (MOTIF, {study['pairs']} held-out pairs)",
        f"**{ours}**, mixed in random order {random}",
    ]


def _percent(row: dict[str, float]) -> str:
    mean, low, high = (min(100 * row[name], 100.0) for name in ("mean", "low", "high"))
    return f"{mean:.0f} % [{low:.0f}, {high:.0f}]"


def _few(committed: CommittedRecords) -> Iterator[list[str]]:
    table = committed.table("few-labels")
    helps, aligns = (committed.compare(table, *pair) for pair in (HELPS[0], ALIGNS[0]))
    loss, of_alignment = (
        committed.compare(table, *pair, "scaled_loss") for pair in (HELPS[0], ALIGNS[0])
    )
    gains = [f"{interval(each)} with {number}" for number, each in _on_motif(helps)]
    if gains:
        words = "few labels, structure decides (MOTIF): points over no augmentation"
        yield [words, ", ".join(gains) + " labels"]
    yield from _pooled(helps, f"{LABELS} labels, {len(REAL)} real datasets: points over none")
    yield from _pooled(aligns, OVER_RANDOM)
    number = len(loss.by_column([f"{name}-{LABELS}" for name in REAL]))
    words = (
        f"{LABELS} labels, {number} real datasets: log loss after calibration, less that of none "
        "(below zero is better)"
    )
    yield from _pooled(loss, words, digits=LOSS_DIGITS)
    yield from _pooled(of_alignment, OVER_RANDOM, digits=LOSS_DIGITS)


def _on_motif(comparison: Comparison) -> Iterator[tuple[int, Estimate]]:
    """Yield the gain at each number of labels, backbones averaged."""
    for number in EPOCHS:
        cells = [each.paired for each in comparison.cells if each.column == f"{MOTIF}-{number}"]
        if found := averaged(cells):
            yield number, found.estimate()


def _pooled(
    comparison: Comparison, words: str, columns: Sequence[str] = (), digits: int = 2
) -> Iterator[list[str]]:
    pooled = comparison.pooled(columns or [f"{name}-{LABELS}" for name in REAL])
    if pooled is not None:
        yield [words, interval(pooled.estimate, digits)]


def _all(committed: CommittedRecords) -> Iterator[list[str]]:
    study = committed.compare(committed.table("icml2026"), SMIXUP.name, VANILLA.name)
    there = len(study.by_column(DATASETS))
    words = f"all labels, the folds of the 2026 study ({there} of its {len(DATASETS)} datasets)"
    yield from _pooled(study, f"{words}: points over none; {NO_PROOF}", DATASETS)


def _cost(committed: CommittedRecords) -> Iterator[list[str]]:
    ratios = cost_ratios(committed)
    if ratios:
        low, high = ratios[len(ratios) // 4], ratios[3 * len(ratios) // 4]
        yield [
            "time to train",
            f"{low:.1f} to {high:.1f} times as long in the middle half of the cells "
            f"({ratios[0]:.1f} to {ratios[-1]:.1f} in all), and a matcher once per split",
        ]
