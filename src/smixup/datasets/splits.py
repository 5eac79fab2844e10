"""Which graphs are trained on, chosen by, and reported (Sec. 6, Setup)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.base import Split
from smixup.errors import UsageError, require
from smixup.graphs import Graphs, PackedGraphs
from smixup.seeding import generator
from smixup.shown import number_of, shown

MIN_GRAPHS = 3


def random_split(num_graphs: int, seed: int) -> Split:
    """Split 80/10/10 at random, the paper's protocol; a tenth is rounded down but holds at least
    one graph.
    """
    if num_graphs < MIN_GRAPHS:
        raise UsageError(
            f"a split into training, validation and test needs at least {MIN_GRAPHS} graphs, not "
            f"{num_graphs}."
        )
    order = torch.randperm(num_graphs, generator=generator(seed, "split"))
    tenth = max(num_graphs // 10, 1)
    train, validation, test = order.split([num_graphs - 2 * tenth, tenth, tenth])
    return Split(train, validation, test)


def stratified_folds(labels: Tensor, num_folds: int, seed: int) -> Tensor:
    """Return the fold of every graph `[G]`; each class is spread over the folds as evenly as can
    be.

    Graphs are shuffled, put in order of class, and dealt to the folds in turn, so that the sizes of
    two folds, and their counts of one class, differ by one at most.
    """
    fine = 2 <= num_folds <= labels.numel()
    require(fine, "the number of folds", num_folds, f"between 2 and the {labels.numel()} graphs")
    order = torch.randperm(labels.numel(), generator=generator(seed, "split"))
    order = order[labels[order].argsort(stable=True)]
    folds = torch.empty_like(order)
    folds[order] = torch.arange(order.numel()) % num_folds
    return folds


def fold_split(labels: Tensor, num_folds: int, fold: int, seed: int) -> Split:
    """Return one split of stratified k-fold: `fold` to test, the next one to validate, the others
    to train.
    """
    _require_fold(num_folds, fold, MIN_GRAPHS)
    return _split_of_folds(stratified_folds(labels, num_folds, seed), num_folds, fold)


def _require_fold(num_folds: int, fold: int, least: int) -> None:
    require(num_folds >= least, "the number of folds", num_folds, f"{least} or more")
    require(0 <= fold < num_folds, "the fold", fold, f"from 0 to {num_folds - 1}")


def _split_of_folds(folds: Tensor, num_folds: int, fold: int) -> Split:
    part = torch.where(folds == fold, 2, (folds == (fold + 1) % num_folds).long())
    return _split_of_parts(part)


def _split_of_parts(part: Tensor) -> Split:
    """Return a split by the part of every graph `[G]`: 0 trains, 1 validates, 2 tests."""
    return Split(*((part == number).nonzero().squeeze(1) for number in range(3)))


def nested_split(labels: Tensor, num_folds: int, fold: int, seed: int) -> Split:
    """Return one split of nested stratified k-fold, on exactly the folds of scikit-learn: `fold` to
    test, a `num_folds`-th of all others, the first fold among them, to validate, and the rest to
    train.

    It is the protocol of "Is Graph Mixup Beneficial?" (ICML 2026), whose outer and inner folds are
    `StratifiedKFold(5, shuffle=True, random_state=0)` on the labels in the publisher's order.

    >>> split = nested_split(torch.tensor([0, 1] * 50), num_folds=5, fold=0, seed=0)
    >>> [len(part) for part in (split.train, split.validation, split.test)]
    [64, 16, 20]
    """
    _require_fold(num_folds, fold, 2)
    others, test = _sklearn_fold(labels, num_folds, fold, seed, "all graphs")
    train, validation = _sklearn_fold(
        labels[others], num_folds, 0, seed, "the graphs outside the test fold"
    )
    return Split(others[train], others[validation], test)


def _sklearn_fold(
    labels: Tensor, num_folds: int, fold: int, seed: int, where: str
) -> tuple[Tensor, Tensor]:
    """Return the positions outside and inside one fold of scikit-learn's `StratifiedKFold`."""
    counts = labels.bincount()
    rarest = int(counts.masked_fill(counts == 0, labels.numel()).argmin())
    if counts[rarest] < num_folds:
        raise UsageError(
            f"{num_folds} nested folds need as many graphs of every class, but class {rarest} has "
            f"{int(counts[rarest])} among {where}: take fewer folds."
        )
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(num_folds, shuffle=True, random_state=seed)
    # Features are asked for and not looked at.
    parts = list(folds.split(torch.zeros(labels.numel()).numpy(), labels.cpu().numpy()))
    outside, inside = (torch.from_numpy(part) for part in parts[fold])
    return outside, inside


def few_split(labels: Tensor, train_graphs: int, validation_graphs: int, seed: int) -> Split:
    """Return a split for few labels: so many graphs to train, so many to validate, all others to
    test.

    Each class has its share of the first two parts, and one graph at least, as far as it has any
    left.

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


def group_folds(groups: Sequence[str], num_folds: int, seed: int) -> Tensor:
    """Return the fold of every graph `[G]`; graphs of one group stay together.

    Groups are shuffled and dealt, the largest first, each to the fold with the fewest graphs so
    far, so that folds are as even as groups allow.

    >>> sorted(group_folds(["a", "a", "b", "c"], 2, seed=0).bincount().tolist())
    [2, 2]
    """
    names = sorted(set(groups))
    if len(names) < num_folds:
        raise UsageError(
            f"{num_folds} folds need as many groups, but the graphs have {len(names)}: take fewer "
            "folds, or another column."
        )
    place = {name: index for index, name in enumerate(names)}
    group = torch.tensor([place[name] for name in groups])
    counts = group.bincount()
    order = torch.randperm(len(names), generator=generator(seed, "split"))
    order = order[counts[order].argsort(descending=True, stable=True)]
    sizes, fold_of = torch.zeros(num_folds, dtype=torch.long), torch.empty_like(order)
    for each in order.tolist():
        smallest = int(sizes.argmin())
        fold_of[each] = smallest
        sizes[smallest] += counts[each]
    return fold_of[group]


def group_split(groups: Sequence[str], num_folds: int, fold: int, seed: int) -> Split:
    """Return one split of `group_folds`: `fold` to test, the next one to validate, the others to
    train. No group has graphs in two parts.
    """
    _require_fold(num_folds, fold, MIN_GRAPHS)
    return _split_of_folds(group_folds(groups, num_folds, seed), num_folds, fold)


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
    if len({*part_of.values()}) < 3:
        raise UsageError(
            "the scaffolds leave one part of the split empty: too few are rare; take the split "
            "group, fold or random."
        )
    return _split_of_parts(torch.tensor([part_of[name] for name in scaffolds]))


def time_split(times: Sequence[str]) -> Split:
    """Return the split 80/10/10 by time: the earliest graphs to train, the latest to test.

    Times are numbers, or text that sorts by time, such as 2026-11-16; graphs of one time stay
    together.
    """
    texts = [text.strip() for text in times]
    numbers = [number_of(text) for text in texts]
    for row, (text, number) in enumerate(zip(texts, numbers, strict=True), 1):
        if not text or (number is not None and not math.isfinite(number)):
            raise UsageError(
                f"the column of times holds '{shown(text)}' in row {row}, which is no time: write "
                "one, or leave the graph out."
            )
    if len({number is None for number in numbers}) > 1:
        odd = texts[numbers.index(None)]
        raise UsageError(f"some times are numbers, but '{odd}' is none: write all of them alike.")
    moments: Sequence[Any] = texts if None in numbers else numbers
    ranked = sorted(moments)
    tenth = max(len(moments) // 10, 1)
    validation_from, test_from = ranked[-2 * tenth], ranked[-tenth]
    parts = [(moment >= validation_from) + (moment >= test_from) for moment in moments]
    if len({*parts}) < 3:
        raise UsageError(
            "so many graphs share a time that a part of the split is empty; take another column or "
            "split."
        )
    return _split_of_parts(torch.tensor(parts))


def class_shares(counts: Tensor, number: int) -> Tensor:
    """Return how many of `number` graphs each class gives `[C]`: its share by `counts [C]`, and one
    at least if it has any.

    Shares are rounded down, and what is left goes to the largest remainders; what the small classes
    were given too much is taken from the class that is furthest above its share.
    """
    classes, graphs = int((counts > 0).sum()), int(counts.sum())
    if number < classes:
        raise UsageError(f"{number} graphs cannot hold one of each of {classes} classes.")
    if number > graphs:
        raise UsageError(f"{number} graphs cannot be taken from {graphs}.")
    exact = number * counts.double() / counts.sum()
    shares = exact.floor().long().clamp(min=1).minimum(counts)
    while (missing := number - int(shares.sum())) != 0:
        excess = shares - exact
        if missing > 0:
            shares[excess.masked_fill(shares >= counts, torch.inf).argmin()] += 1
        else:
            shares[excess.masked_fill(shares <= 1, -torch.inf).argmax()] -= 1
    return shares


Set = TypeVar("Set", Graphs, PackedGraphs)


def corrupt_labels(train: Set, ratio: float, seed: int) -> Set:
    """Flip exactly `round(ratio * G)` labels, each to a different class chosen uniformly.

    Args:
        train: the training split alone.
        ratio: the share of labels to flip; the paper takes 20, 40 and 60 %.
        seed: of the run.
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
    if isinstance(train, PackedGraphs):
        labels = train.labels.clone()
        labels[chosen] = (labels[chosen] + step) % train.num_classes
        return train.with_classes(labels)
    chosen, step = chosen.to(train.y.device), step.to(train.y.device)
    y = train.y.clone()
    flipped = (train.labels[chosen] + step) % train.num_classes
    y[chosen] = F.one_hot(flipped, train.num_classes).to(y.dtype)
    return train.replace(y=y)
