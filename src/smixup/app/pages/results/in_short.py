"""The answers, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from smixup.app.evidence.equivalence import verdict
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.few_labels import ALIGNS, HELPS
from smixup.app.pages.results.words import NO_PROOF, interval, listed
from smixup.app.runs.words import counted
from smixup.app.tables.definitions.few_labels import CONDITIONS
from smixup.app.tables.definitions.icml2026 import SMIXUP, VANILLA
from smixup.app.tables.judged import Comparison
from smixup.app.tables.published_2026 import DATASETS

POINT = 1.0  # accuracies are in points


def in_short(committed: CommittedRecords) -> str:
    """Answer: does it help, where, is it the alignment, on the study's folds, probabilities."""
    table = committed.table("few-labels")
    helps, aligns = (committed.compare(table, *pair) for pair in (HELPS[0], ALIGNS[0]))
    loss = committed.compare(table, *HELPS[0], "scaled_loss")
    noisy = committed.compare(committed.table("noisy-labels"), *HELPS[0])
    study = committed.compare(committed.table("icml2026"), SMIXUP.name, VANILLA.name)
    lines = [
        f"**Few labels.** S-Mixup less Vanilla, {_counted(helps)}.",
        f"**Alignment.** S-Mixup less random one-to-one mixes, {_counted(aligns)}.",
        f"**Wrong labels.** S-Mixup less Vanilla, {_counted(noisy)}.",
        f"**Probabilities.** Log loss after scaling, {_counted(loss, lower=True)}.",
        f"**The study's folds.** {_on_folds(study)}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _counted(comparison: Comparison, *, lower: bool = False) -> str:
    """Count the cells that are decided, and name their datasets."""
    cells = [each for each in comparison.cells if each.estimate.decided]
    better = [each.column for each in cells if (each.estimate.mean < 0) == lower]
    worse = [each.column for each in cells if (each.estimate.mean < 0) != lower]
    if not comparison.cells:
        return "not run yet"
    number = counted(len(comparison.cells), "cell")
    holds = sum(each.remains for each in cells)
    words = f"{number}: better in {_share(better)}, worse in {_share(worse)}"
    words += f", of which {holds} remain after Holm's correction" if cells else ""
    if lower:
        return words
    close = sum(verdict(each.estimate, POINT).within for each in comparison.cells)
    return f"{words}; {close} are shown to lie within one point of each other"


def _share(columns: list[str]) -> str:
    datasets = [name for name in CONDITIONS if any(each.startswith(name) for each in columns)]
    return f"{len(columns)} ({listed(datasets)})" if columns else "none"


def _on_folds(study: Comparison) -> str:
    parts = list(_means(study))
    pooled = study.pooled(DATASETS)
    if pooled is None:
        return f"S-Mixup less Vanilla: {'; '.join(parts) or 'not run yet'}."
    number, text = pooled.estimate.number, interval(pooled.estimate)
    return (
        f"S-Mixup less Vanilla, over {number} of {len(DATASETS)} datasets: {text} points; "
        f"{NO_PROOF}."
    )


def _means(study: Comparison) -> Iterator[str]:
    for each in study.cells:
        yield f"{each.column} {each.backbone.upper()} {interval(each.estimate)}"
