"""What a source need not say, and what nobody changes afterwards."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
import torch

from smixup.datasets.base import Dataset, Reading, Split
from smixup.graphs import Graphs
from smixup.tasks import task_of_targets
from smixup.training.metrics import METRICS


def test_name_and_graphs_are_enough(graphs: Graphs) -> None:
    found = Dataset("SET", graphs)
    assert found.metric in METRICS
    assert found.metric == task_of_targets(2, has_classes=True).metrics[0], "that of classes"
    assert (found.split, found.task, found.reading) == (None, None, None)
    assert (found.unused_attributes, dict(found.table), found.notes) == (0, {}, ())


def test_a_reader_may_have_neither_options_nor_a_vocabulary() -> None:
    found = Reading("mine")
    assert (dict(found.options), dict(found.vocabulary)) == ({}, {})
    assert found == Reading("mine", {}, {}) != Reading("mine", {"target": "a"})
    assert found.options is not Reading("mine").options, "each has its own"


def test_what_was_read_stays_as_it_is(graphs: Graphs) -> None:
    none = torch.zeros(0, dtype=torch.long)
    for made, name in (
        (Dataset("SET", graphs), "metric"),
        (Reading("mine"), "reader"),
        (Split(none, none, none), "test"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, "other")
