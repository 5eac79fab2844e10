"""Hooks that are not overridden do nothing; those that are reach the graphs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from packed_kinds import assert_identical

from smixup.augment import hooks
from smixup.augment.hooks import Hooks
from smixup.errors import UsageError
from smixup.graphs import Graphs, pack
from smixup.progress import Progress, Report, silent


class Doubled(Hooks):
    """Puts graphs with twice the features behind a batch, and remembers what it learnt from."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        self.learnt: list[Graphs] = []

    def on_fit(self, train: Graphs, report: Report) -> None:
        report(Progress("doubled", 1, 1))
        self.learnt.append(train)

    def beside(self, batch: Graphs) -> Graphs | None:
        return batch[1:3].replace(x=2 * batch[1:3].x)


class Longer(Hooks):
    def on_dataset(self, train: Graphs) -> Graphs:
        return Graphs.cat([train, train])


class Deaf:
    """A model that must not be asked anything."""

    @property
    def training(self) -> bool:
        raise AssertionError

    def train(self, mode: bool = True) -> object:
        raise AssertionError

    def __call__(self, batch: Graphs) -> torch.Tensor:
        raise AssertionError


def told_of(_: Progress) -> None:
    raise AssertionError("there is nothing to report")


def test_the_defaults_do_nothing(graphs: Graphs) -> None:
    method, h = Hooks(), torch.ones(len(graphs), 2)
    before = graphs.replace(x=graphs.x.clone(), y=graphs.y.clone())
    method.learn_codes(graphs)
    method.on_fit(graphs, told_of)
    method.bind(Deaf())
    method.set_epoch(1, 3)
    method.load_state_dict({"something": h})
    assert method.on_dataset(graphs) is graphs
    assert method.on_batch(graphs) is graphs, "not even a copy is made"
    found, targets = method.on_embedding(h, graphs.y)
    assert found is h
    assert targets is graphs.y
    assert method.beside(graphs) is None
    assert method.on_deaf_model() is False
    assert method.state_dict() == {}
    assert vars(method) == {}, "nothing is remembered"
    assert_identical(graphs, before)


def test_what_stands_beside_stands_behind_the_originals(graphs: Graphs) -> None:
    longer = Doubled().on_batch(graphs)
    assert len(longer) == len(graphs) + 2
    assert_identical(longer[: len(graphs)], graphs)
    assert_identical(longer[len(graphs) :].x, 2 * graphs[1:3].x)
    assert torch.equal(longer.sizes[len(graphs) :], graphs.sizes[1:3])


def test_a_method_that_overrides_on_dataset_grows(graphs: Graphs) -> None:
    assert Longer().grows
    assert not Hooks().grows
    assert not Doubled().grows, "a batch that grows is no larger training split"


def test_of_a_set_on_disk_a_sample_is_learnt_by_the_ordinary_hook(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, reports = pack(graphs, tmp_path / "set"), list[Progress]()
    method = Doubled()
    method.on_packed(packed, reports.append)
    assert_identical(method.learnt[0], graphs)
    assert reports == [Progress("doubled", 1, 1)]

    monkeypatch.setattr(hooks, "SAMPLE_GRAPHS", 3)
    drawn = {seed: Doubled(seed).sample_of(packed).ids.tolist() for seed in range(6)}
    assert all(len(set(ids)) == 3 for ids in drawn.values())
    assert len({tuple(ids) for ids in drawn.values()}) > 1, "seeds draw different graphs"
    assert drawn[4] == Doubled(4).sample_of(packed).ids.tolist()
    assert drawn[0] == Doubled(None).sample_of(packed).ids.tolist()

    monkeypatch.setattr(hooks, "SAMPLE_NODES", 10)
    method.on_packed(packed, silent)
    assert method.learnt[1].num_nodes <= 10


def test_a_method_without_alignments_has_no_replay() -> None:
    with pytest.raises(UsageError, match=r"Doubled aligns no graphs.*SMixup and AlignedCut do"):
        Doubled().replay(0)
