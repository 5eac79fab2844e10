"""One way to open a dataset: split as the run asks, scored before training, with the attributes of
edges that its backbone takes, and no held-out graph that the matcher has learnt from.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from smixup.app.runs.config import SPLITS, configure
from smixup.app.runs.data import (
    as_dataset,
    choose_split,
    data_notes,
    scored_split,
    used_edges,
)
from smixup.datasets import Dataset, load_dataset
from smixup.errors import UsageError
from smixup.graphs import Graphs, open_packed, pack
from smixup.graphs.graphs import SHARE
from smixup.tasks import Classes, Labels, Values

MOTIFS = {"num_graphs": 60}


def motifs(**changes: Any) -> Dataset:
    return replace(load_dataset("MOTIF", **MOTIFS), **changes)


def uneven(rare: int, number: int = 60) -> Dataset:
    """So many graphs of a rare class, at the end."""
    y = torch.eye(2)[(torch.arange(number) >= number - rare).long()]
    dataset = load_dataset("MOTIF", num_graphs=number)
    return replace(dataset, graphs=dataset.graphs.replace(y=y), task=Classes(("honest", "fraud")))


def split_of(dataset: Dataset, **changes: Any) -> list[list[int]]:
    split = choose_split(dataset, configure("MOTIF", **changes))
    return [part.tolist() for part in (split.train, split.validation, split.test)]


def test_splits() -> None:
    dataset = motifs(
        table={"day": tuple(str(100 + i) for i in range(60)), "lab": ("a", "b", "c") * 20}
    )
    train, validation, test = split_of(dataset)
    assert list(map(len, (train, validation, test))) == [48, 6, 6]
    for kind in ("fold", "nested"):
        folds = [split_of(dataset, split=kind, num_folds=5, fold=k, split_seed=0) for k in range(5)]
        assert sorted(graph for fold in folds for graph in fold[2]) == list(range(60))
    train, validation, test = split_of(dataset, split="few", train_graphs=9)
    assert list(map(len, (train, validation, test))) == [9, 9, 42]
    assert dataset.graphs.labels[train].bincount().tolist() == [3, 3, 3]
    few = split_of(dataset, split="few", train_graphs=9, validation_graphs=12)
    assert list(map(len, few)) == [9, 12, 39]
    assert split_of(dataset, train_graphs=5)[1:] == split_of(dataset)[1:]
    by_time = split_of(dataset, split="time", split_column="day")
    assert max(by_time[0]) < min(by_time[2])
    groups = split_of(dataset, split="group", split_column="lab", num_folds=3)
    assert len({graph % 3 for graph in groups[2]}) == 1
    assert split_of(dataset, seed=1, split_seed=7) == split_of(dataset, seed=7)


def test_splits_that_are_refused() -> None:
    days = motifs(table={"day": ("1",) * 60})
    with pytest.raises(UsageError) as refusal:
        split_of(days, split="official")
    assert {name for name in SPLITS if name in str(refusal.value)} == set(SPLITS), "all are named"
    for dataset, changes, words in (
        (motifs(), {"split": "official"}, "no official split: choose random, fold, few, nested"),
        (motifs(), {"split": "time", "split_column": "day"}, "unknown column of MOTIF 'day'"),
        (days, {"split": "time", "split_column": "dya"}, "'dya'. Did you mean 'day'"),
        (uneven(3, 6), {"split": "fold"}, "number of folds must be from 3 to the 6 graphs, not 10"),
    ):
        with pytest.raises(UsageError, match=words):
            split_of(dataset, **changes)


def test_a_part_without_a_class_is_named_with_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"validation .* graphs of every class .* --split fold"):
        scored_split(uneven(4), configure("MOTIF", metric="rocauc", seed=0))
    for rare, folds in ((4, 4), (12, 10)):  # the advice is good
        config = configure("MOTIF", metric="ap", split="fold", num_folds=folds)
        assert len(scored_split(uneven(rare), config).test) == 60 // folds
    assert scored_split(uneven(1), configure("MOTIF", metric="balanced-accuracy"))
    graphs = motifs().graphs.replace(y=torch.ones(60, 2), has_classes=False)
    labels = motifs(graphs=graphs, task=Labels(("a", "b")), metric="rocauc")
    with pytest.raises(UsageError, match="no label has graphs with and without it"):
        scored_split(labels, configure("MOTIF"))
    mixed = replace(labels, graphs=graphs.replace(y=torch.tensor([[0.0, 1.0], [1.0, 1.0]] * 30)))
    assert scored_split(mixed, configure("MOTIF", split="fold"))


def test_nearly_all_graphs_of_one_class() -> None:
    accuracy, rocauc = (configure("MOTIF", metric=name) for name in ("accuracy", "rocauc"))
    (note,) = data_notes(uneven(3), accuracy)
    assert note.startswith("95% of the graphs are of one class")
    assert data_notes(uneven(3), rocauc) == data_notes(uneven(7), accuracy) == ()
    assert data_notes(replace(uneven(3), task=Values(("a", "b"))), accuracy) == ()


def test_edges_that_a_backbone_does_not_take_are_left_out(graphs: Graphs, tmp_path: Path) -> None:
    rows = graphs.adj.weight.unsqueeze(1)
    bonded = graphs.replace(edge_attrs={"edge_attr": rows, SHARE: rows})
    sentence = (
        "gin leaves out what edges of MUTAG have as 'edge_attr': gcn-edge, gine, wide, forest, "
    )
    sentence += "wl-svm take"
    data = Dataset("MUTAG", bonded)
    assert data_notes(data, configure("MUTAG", "gin")) == (f"{sentence} 'edge_attr'.",)
    assert data_notes(data, configure("MUTAG", "gine")) == ()
    assert not used_edges(bonded, "gin").edge_attrs
    assert used_edges(bonded, "gine") is bonded
    assert used_edges(graphs, "gin") is graphs
    more = bonded.replace(edge_attrs=dict(bonded.edge_attrs) | {"length": rows})
    (note,) = data_notes(replace(data, graphs=more), configure("MUTAG", "gine"))
    assert "as 'length': gcn-edge, gine, wide, " in note
    assert set(used_edges(more, "gine").edge_attrs) == {"edge_attr", SHARE}
    pack(bonded.replace(edge_attrs={"edge_attr": rows}), tmp_path / "packed")
    packed = open_packed(tmp_path / "packed")
    assert not used_edges(packed, "gin")[:].edge_attrs
    assert torch.equal(used_edges(packed, "gin")[:].adj.to_dense(), bonded.adj.to_dense())


def test_graphs_in_memory_have_a_name(tmp_path: Path) -> None:
    assert as_dataset("MUTAG", tmp_path) == "MUTAG"
    assert as_dataset(tmp_path / "a", tmp_path) == str(tmp_path / "a")
    dataset = motifs(task=Classes(("x", "y", "z")))
    name = as_dataset(dataset, tmp_path / "graphs")
    assert as_dataset(dataset, tmp_path / "graphs") == name, "the same graphs, the same runs"
    assert as_dataset(dataset.graphs[:30], tmp_path / "graphs") != name
    loaded = load_dataset(name)
    assert loaded.task == dataset.task
    assert loaded.graphs.fingerprint() == dataset.graphs.fingerprint()
    assert as_dataset(open_packed(name), tmp_path / "others") == name, "it is on disk already"
    part = as_dataset(open_packed(name)[torch.arange(5)], tmp_path / "graphs")
    assert len(load_dataset(part).graphs) == 5
