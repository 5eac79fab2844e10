"""Splits that leave a part without a class are refused before training, with what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from smixup.app.runs.config import configure
from smixup.app.runs.scored_parts import scored_split
from smixup.datasets import Dataset, load_dataset
from smixup.errors import UsageError
from smixup.tasks import Classes, Labels


def uneven(rare: int, number: int = 60) -> Dataset:
    """So many graphs of a rare class, at the end."""
    y = torch.eye(2)[(torch.arange(number) >= number - rare).long()]
    found = load_dataset("MOTIF", num_graphs=number)
    graphs = found.graphs.replace(y=y)
    return replace(found, graphs=graphs, task=Classes(("honest", "fraud")))


def test_a_part_without_a_class_is_named_with_what_to_do() -> None:
    config = configure("MOTIF", metric="rocauc", seed=0)
    with pytest.raises(UsageError) as told:
        scored_split(uneven(4), config)
    assert str(told.value) == (
        "rocauc needs graphs of every class in each part of the split, and none of the 6 "
        "validation graphs is of class fraud, which 4 of 60 are: take folds, which spread classes "
        "evenly (--split fold --num-folds 4), or another metric (--metric balanced-accuracy)."
    )


@pytest.mark.parametrize(("rare", "folds"), [(4, 4), (3, 3), (12, 10)])
def test_the_advice_is_good(rare: int, folds: int) -> None:
    config = configure("MOTIF", metric="ap", split="fold", num_folds=folds)
    split = scored_split(uneven(rare), config)
    assert (len(split.test), len(split.validation)) == (60 // folds, 60 // folds)


def test_no_advice_that_would_not_help() -> None:
    config = configure("MOTIF", metric="ap", split="fold", num_folds=3)
    with pytest.raises(UsageError, match=r"which 1 of 60 is: take another metric"):
        scored_split(uneven(1), config)


def test_a_metric_that_needs_no_class_is_not_asked() -> None:
    assert scored_split(uneven(1), configure("MOTIF", metric="balanced-accuracy"))


def test_labels_of_which_nothing_is_known() -> None:
    found = load_dataset("MOTIF", num_graphs=40)
    graphs = found.graphs.replace(y=torch.ones(40, 2), has_classes=False)
    labels = replace(found, graphs=graphs, task=Labels(("a", "b")), metric="rocauc")
    with pytest.raises(UsageError, match="no label of which both are known"):
        scored_split(labels, configure("MOTIF"))
    mixed = replace(labels, graphs=graphs.replace(y=torch.tensor([[0.0, 1.0], [1.0, 1.0]] * 20)))
    assert scored_split(mixed, configure("MOTIF", split="fold"))


def test_fewer_graphs_than_folds() -> None:
    with pytest.raises(UsageError, match="MOTIF has 6 graphs, too few for 10 folds: take another"):
        scored_split(uneven(3, 6), configure("MOTIF", split="fold"))
