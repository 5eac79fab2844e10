"""Whether the parts of a split can be scored: asked before anything is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from smixup.app.runs.config import RunConfig
from smixup.app.runs.opened import choose_split
from smixup.datasets import Dataset, Split
from smixup.errors import UsageError
from smixup.tasks import Classes, Labels

if TYPE_CHECKING:
    from smixup.datasets.packed_set import PackedDataset

OF_RANKS = ("rocauc", "ap")
"""Scores that need graphs of every class, or with a label and without it."""
BY_FOLDS = ("fold", "nested")
FEWEST, USUAL = 3, 10
"""Numbers of folds: the smallest, and that of a split where none is named."""


def scored_split(dataset: Dataset | PackedDataset, config: RunConfig) -> Split:
    """Return the split of a run; refuse one whose held-out parts have no such score, in words that
    say which class is missing and what to do.

    A run would say so, too, but not before a matcher is fitted and an epoch trained.

    Args:
        dataset: that of the configuration.
        config: of the run.
    """
    number = len(dataset.graphs)
    if config.split == "fold" and number < config.num_folds:
        raise UsageError(
            f"{dataset.name} has {number} graphs, too few for {config.num_folds} folds: take "
            f"another split, such as --split random, or fewer folds (--num-folds)."
        )
    split = choose_split(dataset, config)
    metric = config.metric or dataset.metric
    if metric in OF_RANKS:
        held = {"validation": split.validation, "test": split.test}
        for part, positions in held.items():
            _require_scored(dataset, config, metric, part, dataset.graphs.y[positions])
    return split


def _require_scored(
    dataset: Dataset | PackedDataset, config: RunConfig, metric: str, part: str, y: Tensor
) -> None:
    if isinstance(dataset.task, Labels):
        if not bool(((y == 1).any(0) & (y == 0).any(0)).any()):
            raise UsageError(
                f"{metric} needs graphs with a label and without it, and the {len(y)} {part} "
                f"graphs of this split have no label of which both are known: "
                f"{_spread(config)}another metric (--metric accuracy)."
            )
        return
    if not (dataset.graphs.has_classes and isinstance(dataset.task, Classes | None)):
        return
    missing = (y.argmax(1).bincount(minlength=y.size(1)) == 0).nonzero().flatten().tolist()
    if not missing:
        return
    counts = dataset.graphs.y.argmax(1).bincount(minlength=y.size(1))
    rarest = min(missing, key=lambda place: int(counts[place]))
    names = dataset.task.names if dataset.task is not None else range(y.size(1))
    count = int(counts[rarest])
    raise UsageError(
        f"{metric} needs graphs of every class in each part of the split, and none of the {len(y)} "
        f"{part} graphs is of class {names[rarest]}, which {count:,} of {len(dataset.graphs):,} "
        f"{'is' if count == 1 else 'are'}: {_spread(config, count)}another metric (--metric "
        "balanced-accuracy)."
    )


def _spread(config: RunConfig, count: int = USUAL) -> str:
    """Return the advice to spread rare graphs evenly, if there are enough of them."""
    folds = min(count, USUAL)
    if folds < FEWEST or (config.split in BY_FOLDS and folds >= config.num_folds):
        return "take "
    several = f" --num-folds {folds}" if folds < USUAL or config.num_folds != USUAL else ""
    return f"take folds, which spread classes evenly (--split fold{several}), or "
