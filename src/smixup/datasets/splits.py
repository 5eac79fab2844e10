"""Which graphs are trained on, chosen by, and reported (Sec. 6, Setup)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.base import Split
from smixup.errors import UsageError, require
from smixup.graphs import Graphs, PackedGraphs
from smixup.seeding import generator
from smixup.settings import number_of

MIN_GRAPHS = 3


def random_split(num_graphs: int, seed: int) -> Split:
    """Split 80/10/10 at random, the paper's protocol; a tenth is rounded down, but to one graph."""
    fine = num_graphs >= MIN_GRAPHS
    require(fine, "the number of graphs to split", num_graphs, f"{MIN_GRAPHS} or more")
    order = torch.randperm(num_graphs, generator=generator(seed, "split"))
    tenth = max(num_graphs // 10, 1)
    return Split(*order.split([num_graphs - 2 * tenth, tenth, tenth]))


def fold_split(labels: Tensor, num_folds: int, fold: int, seed: int) -> Split:
    """Return one split of stratified k-fold: `fold` to test, the next one to validate, the others
    to train. Sizes of folds, and their counts of one class, differ by one at most.
    """
    _require_fold(num_folds, fold, MIN_GRAPHS, labels.numel())
    order = torch.randperm(labels.numel(), generator=generator(seed, "split"))
    order = order[labels[order].argsort(stable=True)]
    folds = torch.empty_like(order)
    folds[order] = torch.arange(order.numel()) % num_folds
    return _split_of_folds(folds, num_folds, fold)


def nested_split(labels: Tensor, num_folds: int, fold: int, seed: int) -> Split:
    """Return one split of nested stratified k-fold: `fold` to test, the first fold of all others to
    validate, and the rest to train, as "Is Graph Mixup Beneficial?" (ICML 2026) does, by
    scikit-learn's `StratifiedKFold(5, shuffle=True, random_state=0)` twice.

    >>> split = nested_split(torch.tensor([0, 1] * 50), num_folds=5, fold=0, seed=0)
    >>> [len(part) for part in (split.train, split.validation, split.test)]
    [64, 16, 20]
    """
    _require_fold(num_folds, fold, 2, labels.numel())
    if (least := int(labels.unique(return_counts=True)[1].min())) < num_folds + 2:
        raise UsageError(f"a class of {least} graphs is too few for {num_folds} nested folds.")
    from sklearn.model_selection import StratifiedKFold  # takes a second

    classes = labels.cpu().numpy()
    folds = StratifiedKFold(num_folds, shuffle=True, random_state=seed)
    others, test = list(folds.split(classes, classes))[fold]
    train, validation = next(folds.split(others, classes[others]))
    return Split(*map(torch.from_numpy, (others[train], others[validation], test)))


def few_split(labels: Tensor, train_graphs: int, validation_graphs: int, seed: int) -> Split:
    """Return a split for few labels: so many graphs to train, so many to validate, all others to
    test. Each class has its share of the first two parts, and one graph at least.

    >>> split = few_split(torch.tensor([0, 1] * 50), train_graphs=10, validation_graphs=10, seed=0)
    >>> [len(part) for part in (split.train, split.validation, split.test)]
    [10, 10, 80]
    """
    counts = labels.bincount()
    if train_graphs + validation_graphs >= labels.numel():
        raise UsageError(
            f"{train_graphs} graphs to train and {validation_graphs} to validate leave none of "
            f"{labels.numel()} to test; take fewer."
        )
    to_train = class_shares(counts, train_graphs)
    to_validate = class_shares(counts - to_train, validation_graphs)
    order = torch.randperm(labels.numel(), generator=generator(seed, "split"))
    classes = labels[order]
    # How many graphs of the same class come before each.
    rank = F.one_hot(classes).cumsum(0).gather(1, classes.unsqueeze(1)).squeeze(1) - 1
    train, held = rank < to_train[classes], rank < (to_train + to_validate)[classes]
    return Split(order[train], order[held & ~train], order[~held])


def class_shares(counts: Tensor, number: int) -> Tensor:
    """Return how many of `number` graphs each class gives `[C]`: its share by `counts [C]`, rounded
    down, but one; then the one furthest below its share gives more, or the one above it less.
    """
    classes = int((counts > 0).sum())
    if number < classes:
        raise UsageError(f"{number} graphs cannot hold one of each of {classes} classes.")
    exact = number * counts.double() / counts.sum()
    shares = exact.floor().long().clamp(min=1).minimum(counts)
    while (missing := number - int(shares.sum())) != 0:
        excess = shares - exact
        if missing > 0:
            shares[excess.masked_fill(shares >= counts, torch.inf).argmin()] += 1
        else:
            shares[excess.masked_fill(shares <= 1, -torch.inf).argmax()] -= 1
    return shares


def group_split(groups: Sequence[str], num_folds: int, fold: int, seed: int) -> Split:
    """Return one split by group: `fold` to test, the next one to validate, the others to train.
    Groups are shuffled and dealt, the largest first, each to the fold with the fewest graphs yet.

    >>> group_split(["a", "a", "b", "c"], num_folds=3, fold=0, seed=0).test.tolist()
    [0, 1]
    """
    _require_fold(num_folds, fold, MIN_GRAPHS, len(groups))
    names, places = np.unique(np.array(groups, object), return_inverse=True)
    group = torch.from_numpy(places)
    if len(names) < num_folds:
        raise UsageError(
            f"{num_folds} folds need as many groups, but the graphs have {len(names)}: take fewer "
            "folds, or another column."
        )
    counts = group.bincount()
    order = torch.randperm(len(names), generator=generator(seed, "split"))
    order = order[counts[order].argsort(descending=True, stable=True)]
    sizes, fold_of = torch.zeros(num_folds, dtype=torch.long), torch.empty_like(order)
    for largest in order.tolist():
        smallest = int(sizes.argmin())
        fold_of[largest] = smallest
        sizes[smallest] += counts[largest]
    return _split_of_folds(fold_of[group], num_folds, fold)


def scaffold_split(scaffolds: Sequence[str]) -> Split:
    """Return the split 80/10/10 by scaffold that OGB and MoleculeNet use: the most frequent
    scaffolds to train, then to validate, the rare ones to test. Nothing is drawn.
    """
    train = validation = 0  # graphs so far
    part_of: dict[str, int] = {}
    for name, number in Counter(scaffolds).most_common():
        if train + number <= 0.8 * len(scaffolds):
            part_of[name], train = 0, train + number
        elif train + validation + number <= 0.9 * len(scaffolds):
            part_of[name], validation = 1, validation + number
        else:
            part_of[name] = 2
    return _split_of_parts([part_of[name] for name in scaffolds], "scaffold")


def time_split(times: Sequence[str]) -> Split:
    """Return the split 80/10/10 by time: the earliest graphs to train, the latest to test. Times
    are numbers, or text that sorts by time, such as 2026-11-16.
    """
    texts = [text.strip() for text in times]
    numbers = [number_of(text) for text in texts]
    numeric = [number is not None and math.isfinite(number) for number in numbers]
    if any(numeric) != all(numeric) or not all(texts):
        raise UsageError(
            "times must be numbers alone or text alone, and none may be missing: write all of them "
            "alike, or leave graphs out."
        )
    moments: Sequence[Any] = numbers if all(numeric) else texts
    ranked, tenth = sorted(moments), max(len(moments) // 10, 1)
    validation_from, test_from = ranked[-2 * tenth], ranked[-tenth]
    parts = [(moment >= validation_from) + (moment >= test_from) for moment in moments]
    return _split_of_parts(parts, "time")


def corrupt_labels(train: Graphs | PackedGraphs, ratio: float, seed: int) -> Graphs | PackedGraphs:
    """Flip exactly `round(ratio * G)` labels of the training split, each to a different class
    chosen uniformly; the paper takes ratios of 0.2, 0.4 and 0.6. Graphs on disk are read.
    """
    require(0 <= ratio <= 1, "the ratio of corrupted labels", ratio, "between 0 and 1")
    if ratio > 0 and (not train.has_classes or train.num_classes < 2):
        raise UsageError(
            "labels are corrupted by flipping a graph to another class, and these targets are not "
            "several classes: leave the corruption out."
        )
    random = generator(seed, "label noise")
    chosen = torch.randperm(len(train), generator=random)[: round(ratio * len(train))]
    if chosen.numel() == 0:
        return train
    step = torch.randint(1, train.num_classes, chosen.shape, generator=random)
    labels = train.labels.clone()
    chosen, step = chosen.to(labels.device), step.to(labels.device)
    labels[chosen] = (labels[chosen] + step) % train.num_classes
    y = train.y.clone()
    y[chosen] = F.one_hot(labels[chosen], train.num_classes).to(y.dtype)
    return train[:].replace(y=y)


def _require_fold(num_folds: int, fold: int, least: int, graphs: int) -> None:
    fine = least <= num_folds <= graphs
    require(fine, "the number of folds", num_folds, f"from {least} to the {graphs} graphs")
    require(0 <= fold < num_folds, "the fold", fold, f"from 0 to {num_folds - 1}")


def _split_of_folds(folds: Tensor, num_folds: int, fold: int) -> Split:
    role = (folds - fold) % num_folds  # 0 tests, 1 validates
    return Split(*(chosen.nonzero().squeeze(1) for chosen in (role > 1, role == 1, role == 0)))


def _split_of_parts(parts: Sequence[int], column: str) -> Split:
    """Return a split by the part of every graph: 0 trains, 1 validates, 2 tests."""
    if len({*parts}) < 3:
        raise UsageError(
            f"too many graphs share a {column}, so that a part of the split is empty: take another "
            "column or split."
        )
    part = torch.tensor(parts)
    return Split(*((part == number).nonzero().squeeze(1) for number in range(3)))
