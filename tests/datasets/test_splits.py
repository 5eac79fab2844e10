"""Splits are partitions, repeat with the seed, and keep the shares of classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from smixup.datasets.base import Split
from smixup.datasets.splits import (
    few_split,
    fold_split,
    group_split,
    nested_split,
    random_split,
    scaffold_split,
    time_split,
)
from smixup.errors import UsageError


def parts(split: Split) -> list[list[int]]:
    return [part.tolist() for part in (split.train, split.validation, split.test)]


def test_a_random_split_is_a_partition() -> None:
    for n in (3, 19, 20, 300):
        found = parts(random_split(n, seed=n))
        assert sorted(i for part in found for i in part) == list(range(n))
        assert all(found)


@given(
    st.lists(st.integers(0, 3), min_size=3, max_size=80), st.integers(3, 10), st.integers(0, 100)
)
def test_folds_are_even_in_size_and_in_every_class(
    labels: list[int], num_folds: int, seed: int
) -> None:
    num_folds, folds = min(num_folds, len(labels)), torch.empty(len(labels), dtype=torch.long)
    for fold in range(num_folds):
        folds[fold_split(torch.tensor(labels), num_folds, fold, seed).test] = fold
    for chosen in (folds, *(folds[torch.tensor(labels) == label] for label in set(labels))):
        counts = chosen.bincount(minlength=num_folds)
        assert counts.numel() == num_folds
        assert counts.max() - counts.min() <= 1


def test_every_graph_is_tested_once_and_validated_once() -> None:
    labels = torch.arange(37) % 3
    splits = [parts(fold_split(labels, 5, fold, seed=4)) for fold in range(5)]
    assert all(sorted(i for part in split for i in part) == list(range(37)) for split in splits)
    for role in (1, 2):
        assert sorted(i for split in splits for i in split[role]) == list(range(37))
    assert parts(fold_split(labels, 5, 0, seed=4)) != parts(fold_split(labels, 5, 0, seed=5))


def test_what_cannot_be_split_is_refused_by_one_sentence() -> None:
    ten, three = torch.zeros(10, dtype=torch.long), torch.arange(30) % 3
    rare = torch.tensor([0] * 40 + [1] * 6)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: random_split(2, 0), "3 or more, not 2"),
        (lambda: fold_split(ten, 11, 0, 0), "from 3 to the 10 graphs, not 11"),
        (lambda: fold_split(ten, 2, 0, 0), "folds must be from 3 to the 10 graphs, not 2"),
        (lambda: fold_split(ten, 5, 5, 0), "0 to 4, not 5"),
        (lambda: nested_split(rare, 5, 0, 0), "a class of 6 graphs is too few for 5 nested folds"),
        (lambda: nested_split(ten, 1, 0, 0), "from 2 to the 10 graphs, not 1"),
        (lambda: few_split(three, 15, 15, 0), "15 graphs to train and 15 to validate leave none"),
        (lambda: few_split(three, 2, 5, 0), "2 graphs cannot hold one of each of 3 classes"),
        (lambda: few_split(three, 5, 1, 0), "1 graphs cannot hold one of each of 3 classes"),
        (lambda: group_split(["a", "b"] * 9, 5, 0, 0), "5 folds need as many groups, .* have 2"),
        (lambda: scaffold_split(["one"] * 10), "share a scaffold, so that a part"),
        (lambda: time_split(["1"] * 10), "share a time, so that a part"),
    ]
    for odd in ("", "nan", "infinity", "1e400", "May", "1_0"):
        words = "times must be numbers alone"
        cases.append((lambda odd=odd: time_split(["1", odd, "3"]), words))
    for split, message in cases:
        with pytest.raises(UsageError, match=message):
            split()


@given(st.lists(st.integers(0, 3), min_size=20, max_size=120), st.data())
def test_few_graphs_are_a_partition_in_which_each_class_has_its_share(
    labels: list[int], data: st.DataObject
) -> None:
    classes = len(set(labels))
    train = data.draw(st.integers(classes, len(labels) // 2 - 1))
    validation = data.draw(st.integers(classes, len(labels) - train - 1))
    found = parts(few_split(torch.tensor(labels), train, validation, seed=3))
    assert found == parts(few_split(torch.tensor(labels), train, validation, seed=3))
    assert sorted(i for part in found for i in part) == list(range(len(labels)))
    assert [len(part) for part in found[:2]] == [train, validation]
    left = list(range(len(labels)))
    for part in found[:2]:
        for label in {labels[i] for i in left}:
            count = sum(labels[i] == label for i in part)
            exact = len(part) * sum(labels[i] == label for i in left) / len(left)
            assert count >= 1
            assert count <= max(exact + 1, 1), "no class has more than its share, rounded up"
            assert count >= exact - classes, "those that have less gave to classes of one graph"
        left = [i for i in left if i not in part]


@pytest.mark.parametrize(("num_folds", "seed"), [(2, 7), (5, 0), (10, 7)])
def test_nested_folds_are_those_of_scikit_learn(num_folds: int, seed: int) -> None:
    labels = np.random.default_rng(3).choice(3, 211, p=(0.2, 0.5, 0.3))
    folds = StratifiedKFold(num_folds, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(folds.split(labels, labels)):
        fit, held = next(folds.split(train, labels[train]))
        found = nested_split(torch.from_numpy(labels), num_folds, fold, seed)
        assert parts(found) == [part.tolist() for part in (train[fit], train[held], test)]


def test_groups_stay_together_and_folds_are_even() -> None:
    groups = [name for name, count in zip("abcdefghij", range(1, 11), strict=True)] * 3
    groups += ["a"] * 20
    seen: list[int] = []
    sizes: list[int] = []
    for fold in range(5):
        split = group_split(groups, num_folds=5, fold=fold, seed=0)
        parts = [{groups[place] for place in part.tolist()} for part in vars(split).values()]
        assert not (parts[0] & parts[1] or parts[0] & parts[2] or parts[1] & parts[2])
        assert sum(map(len, vars(split).values())) == len(groups)
        seen += split.test.tolist()
        sizes.append(len(split.test))
    assert sorted(seen) == list(range(len(groups)))
    assert max(sizes) == 23, "one group has as many"
    assert min(sizes) >= 6
    first, other = (group_split(groups, 5, 0, seed).train for seed in (0, 1))
    assert not torch.equal(first, other)


def test_rare_scaffolds_and_the_latest_are_tested() -> None:
    assert parts(scaffold_split(["big"] * 8 + ["lone", "single"])) == [list(range(8)), [8], [9]]
    days = [f"2026-01-{day:02d}" for day in (10, 1, 2, 3, 4, 5, 6, 7, 8, 9)]
    assert parts(time_split(days))[1:] == [[9], [0]]
    assert parts(time_split(["10", "9", "8", *map(str, range(7)), "9"]))[1:] == [[1, 10], [0]]
