"""The data of a run: split, encoded, and with the edges' attributes that its backbone takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.registry import takes_edge_features
from smixup.datasets import Dataset, Split, load_dataset, splits
from smixup.datasets.features import encode_features
from smixup.datasets.packed_set import PackedDataset, pack_dataset
from smixup.datasets.splits import corrupt_labels
from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.files import swap_folder, unfinished_folder
from smixup.graphs import Graphs, PackedGraphs, pack
from smixup.graphs.graphs import EDGE_ATTR, SHARE
from smixup.names import BACKBONES
from smixup.packed_folder import digest_of, is_packed
from smixup.tasks import Classes, Labels, Task, task_of_targets
from smixup.training import Splits
from smixup.training.metrics import Metric, metric_named

if TYPE_CHECKING:
    from smixup.graphs.graphs import AnyGraphs

AnyDataset = Dataset | PackedDataset
UNEVEN = 0.9  # a share of one class from which on accuracy says little


@dataclass(frozen=True)
class Opened:
    """A dataset, split by a seed as `smixup train` does, and encoded."""

    dataset: str
    seed: int
    graphs: Graphs
    split: Split

    @cached_property
    def train(self) -> Graphs:
        """The graphs to learn from."""
        return self.graphs[self.split.train]

    @cached_property
    def held_out(self) -> Graphs:
        """All graphs that nothing has learnt from: validation, then test."""
        return self.graphs[torch.cat([self.split.validation, self.split.test])]


def open_dataset(
    name: str, seed: int = 0, root: Path | None = None, options: Mapping[str, Any] | None = None
) -> Opened:
    """Load a dataset by name and split it as `smixup train` does."""
    config = configure(name, seed=seed, root=root, dataset_options=options)
    dataset = load_dataset(config.dataset, root, **config.dataset_options)
    split = choose_split(dataset, config)
    return Opened(config.dataset, seed, encode_features(dataset.graphs, split.train), split)


def as_dataset(graphs: str | Path | AnyGraphs | PackedGraphs | AnyDataset, folder: Path) -> str:
    """Return the name of a dataset that has these graphs; a name or a path is returned as it is.

    Graphs in memory are packed below `folder` under a digest of them: any process can open them,
    and the same graphs have the same runs.
    """
    if isinstance(graphs, str | Path):
        return graphs if isinstance(graphs, str) else str(graphs.expanduser().absolute())
    if isinstance(graphs, PackedDataset):
        graphs = graphs.graphs
    if isinstance(graphs, PackedGraphs) and graphs.is_whole:
        return str(graphs.folder.absolute())
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with unfinished_folder(folder / "packing") as beside:
        new = beside / "set"
        if isinstance(graphs, Dataset):
            pack_dataset(graphs, new)
        else:
            pack(graphs, new, notes={"name": "graphs"})
        place = folder / digest_of(str(new))[:16]
        if not is_packed(place):
            swap_folder(new, place)
        return str(place)


def choose_split(dataset: AnyDataset, config: RunConfig) -> Split:
    """Return the split that the configuration asks for."""
    seed, folds = config.seed_of_split, (config.num_folds, config.fold)
    strata = partial(task_of(dataset).strata, dataset.graphs.y)
    match config.split:
        case "fold":
            split = splits.fold_split(strata(), *folds, seed)
        case "nested":
            split = splits.nested_split(strata(), *folds, seed)
        case "few":
            train = config.train_graphs or 0
            split = splits.few_split(strata(), train, config.validation_graphs or train, seed)
        case "random":
            split = splits.random_split(len(dataset.graphs), seed)
        case "group":
            split = splits.group_split(_column(dataset, config.split_column), *folds, seed)
        case "time":
            split = splits.time_split(_column(dataset, config.split_column))
        case "scaffold":
            split = splits.scaffold_split(_column(dataset, config.split_column or "scaffold"))
        case _ if dataset.split is not None:
            split = dataset.split
        case _:
            raise UsageError(
                f"{dataset.name} has no official split: choose random, fold, few, nested or, by a "
                "column of a table, group, scaffold or time."
            )
    return replace(split, train=split.train[: config.train_graphs])


def task_of(dataset: AnyDataset) -> Task:
    """Return what is asked of the graphs of a dataset."""
    graphs = dataset.graphs
    return dataset.task or task_of_targets(graphs.num_classes, graphs.has_classes)


def _column(dataset: AnyDataset, name: str) -> tuple[str, ...]:
    if name not in dataset.table:
        raise unknown_name(f"column of {dataset.name}", name, dataset.table or ["none"])
    return dataset.table[name]


def metric_of(dataset: AnyDataset, config: RunConfig) -> Metric:
    """Return the score of a run."""
    task, own = task_of(dataset), dataset.metric
    unsaid = own == Dataset.metric and own not in task.metrics  # a default that cannot be meant
    metric = metric_named(config.metric or (task.metrics[0] if unsaid else own))
    metric.require_suits(task)
    return metric


def scored_split(dataset: AnyDataset, config: RunConfig) -> Split:
    """Return the split of a run; refuse one whose held-out parts have no such score."""
    split, metric = choose_split(dataset, config), metric_of(dataset, config)
    for name, part in (("validation", split.validation), ("test", split.test)):
        y = dataset.graphs.y[part]
        try:
            metric(torch.zeros_like(y), task_of(dataset).truth(y))
        except SmixupError as reason:
            raise UsageError(
                f"the {name} graphs have no such score: {reason} --split fold spreads classes "
                "evenly, and --metric balanced-accuracy needs no graph of each."
            ) from reason
    return split


def data_notes(dataset: AnyDataset, config: RunConfig) -> tuple[str, ...]:
    """Return what there is to say of data before it is trained on by a run."""
    notes, shares = [*dataset.notes], dataset.graphs.y.double().mean(0)
    metric, share = config.metric or dataset.metric, float(shares.max())
    if metric == "accuracy" and isinstance(task_of(dataset), Classes) and share >= UNEVEN:
        notes.append(
            f"{share:.0%} of the graphs are of one class, so that who always says it has an "
            f"accuracy of {share:.0%}: --metric rocauc or balanced-accuracy tells more here."
        )
    taken = (*_taken(config.backbone), SHARE)
    if left := [name for name in dataset.graphs.edge_attrs if name not in taken]:
        takers = ", ".join(name for name in BACKBONES if takes_edge_features(name))
        notes.append(
            f"{config.backbone} leaves out what edges of {dataset.name} have as "
            f"{', '.join(map(repr, left))}: {takers} take '{EDGE_ATTR}'."
        )
    return tuple(notes)


def prepare(dataset: AnyDataset, config: RunConfig) -> Splits:
    """Split, encode features by the training split, and corrupt its labels if asked."""
    task = with_balance(task_of(dataset), config, dataset.name)
    metric = metric_of(dataset, config)
    split = choose_split(dataset, config)
    graphs = encode_features(used_edges(dataset.graphs, config.backbone), split.train)
    cut = graphs.subset if isinstance(graphs, PackedGraphs) else graphs.__getitem__
    train, validation, test = map(cut, (split.train, split.validation, split.test))
    corrupted = corrupt_labels(train, config.label_corruption, config.seed)
    return Splits(corrupted, validation, test, metric.name, task)


def with_balance(task: Task, config: RunConfig, name: str) -> Task:
    """Return a task in which rare classes count as much as others, if the run asks for it."""
    if not config.balanced:
        return task
    if not isinstance(task, Classes | Labels):
        raise UsageError(f"balanced is for classes and labels, {name} has {task.kind}.")
    return replace(task, balanced=True)


def used_edges(graphs: Any, backbone: str) -> Any:
    """Return `Graphs` or packed ones with the attributes of edges alone that a backbone takes."""
    if all(name in _taken(backbone) for name in graphs.edge_attrs):
        return graphs
    change = partial(_with_edge_attributes, names=_taken(backbone))
    return graphs.preparing(change) if isinstance(graphs, PackedGraphs) else change(graphs)


def _taken(backbone: str) -> tuple[str, ...]:
    return (EDGE_ATTR, SHARE) if takes_edge_features(backbone) else ()


def _with_edge_attributes(graphs: Graphs, names: tuple[str, ...]) -> Graphs:
    kept = {name: each for name, each in graphs.edge_attrs.items() if name in names}
    return graphs.replace(edge_attrs=kept)
