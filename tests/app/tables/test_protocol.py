"""Repeated folds test every graph equally often."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from smixup.app.runs.config import configure
from smixup.app.runs.opened import choose_split
from smixup.app.tables.protocol import repeated_folds, split_of
from smixup.datasets import load_dataset
from smixup.errors import UsageError


@pytest.mark.parametrize("initialisations", [1, 2])
def test_every_graph_is_tested_once_in_every_round(initialisations: int) -> None:
    dataset, changes = load_dataset("MOTIF", num_graphs=47), repeated_folds(5, initialisations)
    rounds = []
    for start in (0, 5, 10):
        tested = [
            choose_split(dataset, configure("MOTIF", seed=seed, **changes(seed))).test
            for seed in range(start, start + 5)
        ]
        assert sorted(torch.cat(tested).tolist()) == list(range(47))
        rounds.append([each.tolist() for each in tested])
    assert (rounds[0] == rounds[1]) == (initialisations == 2)
    assert rounds[1] != rounds[2]


def test_runs_of_one_split_are_known_by_it() -> None:
    changes = repeated_folds(5, initialisations=3)
    configs = [configure("MUTAG", seed=seed, **changes(seed)).to_dict() for seed in range(30)]
    splits = Counter(map(split_of, configs))
    assert len(splits) == 10
    assert set(splits.values()) == {3}


def test_without_a_seed_of_its_own_a_split_is_the_seeds() -> None:
    first, second = (configure("MUTAG", seed=seed).to_dict() for seed in (1, 2))
    assert split_of(first) != split_of(second)
    assert split_of(first) == split_of(first | {"seed": 5, "split_seed": 1})


def test_other_changes_are_passed_on() -> None:
    assert repeated_folds(3, epochs=7)(4) == {
        "split": "fold",
        "num_folds": 3,
        "fold": 1,
        "split_seed": 1,
        "epochs": 7,
    }


@pytest.mark.parametrize("wrong", [{"num_folds": 2}, {"initialisations": 0}])
def test_wrong_numbers(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="number of"):
        repeated_folds(**wrong)
