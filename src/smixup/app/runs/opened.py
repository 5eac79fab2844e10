"""A dataset, split and encoded as a run has it, and a matcher that has not seen its held-out
graphs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from smixup.app.runs.build import make_matcher
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.saved_matcher import require_fitted_on, saved_matcher
from smixup.datasets import Dataset, Split, load_dataset
from smixup.datasets.features import encode_features
from smixup.datasets.splits import (
    few_split,
    fold_split,
    group_split,
    nested_split,
    random_split,
    scaffold_split,
    time_split,
)
from smixup.errors import UsageError, unknown_name
from smixup.graphs import Graphs
from smixup.progress import Report, silent
from smixup.tasks import task_of_targets

if TYPE_CHECKING:  # most runs have no matcher, and their graphs in memory
    from smixup.datasets.packed_set import PackedDataset
    from smixup.matching import Matcher


@dataclass(frozen=True)
class Opened:
    """A dataset and its split.

    Attributes:
        dataset: its name.
        seed: of whatever is drawn.
        graphs: all of them, features encoded by the training split.
        split: the positions of its parts among them.
        chosen: the matcher that was asked for; `matcher` makes it ready.
    """

    dataset: str
    seed: int
    graphs: Graphs
    split: Split
    chosen: Matcher | None = None

    @classmethod
    def of(cls, dataset: Dataset, config: RunConfig) -> Opened:
        """Split a dataset and encode its features as the configuration says."""
        split = choose_split(dataset, config)
        graphs = encode_features(dataset.graphs, split.train)
        return cls(config.dataset, config.seed, graphs, split)

    @cached_property
    def train(self) -> Graphs:
        """The graphs to learn from."""
        return self.graphs[self.split.train]

    @cached_property
    def validation(self) -> Graphs:
        """The graphs to choose by."""
        return self.graphs[self.split.validation]

    @cached_property
    def test(self) -> Graphs:
        """The graphs to report on."""
        return self.graphs[self.split.test]

    @cached_property
    def held_out(self) -> Graphs:
        """All graphs that nothing has learnt from: validation, then test."""
        return self.graphs[torch.cat([self.split.validation, self.split.test])]

    def matcher(self, report: Report = silent) -> Matcher:
        """Return the matcher, fitted on the training split unless it was saved.

        Fitting takes time: ask after everything that may be refused.
        """
        assert self.chosen is not None, "open the dataset with a matcher"
        return self.chosen if self.chosen.fitted else self.chosen.fit(self.train, report)


def open_dataset(
    name: str,
    seed: int | None = None,
    matcher: str | Path | None = None,
    root: Path | None = None,
    options: Mapping[str, Any] | None = None,
) -> Opened:
    """Load a dataset by name and split it as `smixup train` does.

    A saved matcher brings its own split, whatever the seed, so that it has seen none of the
    held-out graphs; it is refused if it was fitted on other graphs than those of this split.

    Args:
        name: of the dataset, in any case.
        seed: of whatever is drawn, and of split and matcher unless the matcher was saved; if not
            given, that of the saved matcher, or 0 without one.
        matcher: a name of the registry, or the folder of a saved one.
        root: the data root.
        options: parameters of the dataset.
    """
    saved = saved_matcher(matcher)
    if seed is None:
        seed = 0 if saved is None else saved.seed
    config = configure(name, seed=seed, root=root, dataset_options=dict(options or {}))
    if saved is None:
        chosen = None if matcher is None else make_matcher(str(matcher), seed, {})
        return replace(open_run(config, root), chosen=chosen)
    opened = open_run(replace(config, seed=saved.seed), root)
    require_fitted_on(matcher, opened.dataset, opened.train)
    return replace(opened, seed=seed, chosen=saved)


def open_run(config: RunConfig, root: Path | None = None) -> Opened:
    """Load the dataset of a run and split it as that run does."""
    return Opened.of(load_dataset(config.dataset, root, **config.dataset_options), config)


def choose_split(dataset: Dataset | PackedDataset, config: RunConfig) -> Split:
    """Return the split that the configuration asks for."""
    split = _whole_split(dataset, config)
    return replace(split, train=split.train[: config.train_graphs])


def _whole_split(dataset: Dataset | PackedDataset, config: RunConfig) -> Split:
    seed, folds = config.seed_of_split, (config.num_folds, config.fold)
    if config.split == "fold":
        return fold_split(_strata(dataset), *folds, seed)
    if config.split == "nested":
        return nested_split(_strata(dataset), *folds, seed)
    if config.split == "few":
        assert config.train_graphs is not None, "the configuration sees to it"
        sizes = config.train_graphs, config.validation_graphs or config.train_graphs
        return few_split(_strata(dataset), *sizes, seed)
    if config.split == "random":
        return random_split(len(dataset.graphs), seed)
    if config.split == "group":
        return group_split(_column(dataset, config.split_column), *folds, seed)
    if config.split == "time":
        return time_split(_column(dataset, config.split_column))
    if config.split == "scaffold":
        return scaffold_split(_column(dataset, config.split_column or "scaffold"))
    if dataset.split is None:
        raise UsageError(f"{dataset.name} has no official split: choose {_others(dataset)}.")
    return dataset.split


def _others(dataset: Dataset | PackedDataset) -> str:
    """Return the splits that a dataset may have without one of its own; some need a column."""
    return (
        "random, fold, few, nested, group, scaffold or time"
        if dataset.table
        else "random, fold, few or nested"
    )


def _strata(dataset: Dataset | PackedDataset) -> Tensor:
    """Return numbers of which splits should hold equal shares: classes, if the targets are."""
    graphs = dataset.graphs
    if dataset.task is None and graphs.has_classes:
        return graphs.labels
    return (dataset.task or task_of_targets(graphs.num_classes, False)).strata(graphs.y)


def _column(dataset: Dataset | PackedDataset, name: str) -> tuple[str, ...]:
    if not dataset.table:
        raise UsageError(f"{dataset.name} has no table, so no column '{name}' to split by.")
    if name not in dataset.table:
        raise unknown_name("column", name, dataset.table)
    return dataset.table[name]
