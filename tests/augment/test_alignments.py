"""Alignments that are stored, in memory or on disk, are those that the matcher would give."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_methods import matcher

from smixup.augment import Compose, DropEdge, GMixup, SMixup, alignments
from smixup.augment.alignments import align
from smixup.augment.base import Fitted
from smixup.augment.mixing import transform
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, PackedGraphs, pack
from smixup.matching import Uniform
from smixup.progress import Progress, silent

MEMORY = 2**24


def test_light_entries_are_left_out_in_both_directions(graphs: Graphs) -> None:
    learned = matcher(normalization="columns").fit(graphs)
    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2])
    whole, fewer = (
        align(graphs, learned, partner, transform, threshold, MEMORY).stored.adj
        for threshold in (0.0, 0.1)
    )
    assert whole.symmetric and fewer.symmetric and torch.equal(fewer.to_dense(), fewer.to_dense().T)
    assert float(fewer.weight.min()) >= 0.1 and fewer.weight.numel() < whole.weight.numel()


def test_as_many_partners_as_there_is_room_for(
    graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alignments, "PAIRS_AT_ONCE", 4)
    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2]).repeat(3)
    whole = align(graphs, Uniform(), partner, transform, 0.0, MEMORY)
    size = alignments._bytes(whole.stored)
    some = align(graphs, Uniform(), partner, transform, 0.0, memory=int(2.7 / 3 * size))
    assert (len(whole.stored), len(some.stored)) == (21, 14)
    x = some.stored.x
    assert x.equal(whole.stored.x[: len(x)])
    with pytest.raises(SmixupError, match="partners=None, or keep"):
        align(graphs, Uniform(), torch.arange(7), transform, 0.0, memory=100)


@pytest.fixture
def train(graphs: Graphs, tmp_path: Path) -> PackedGraphs:
    return pack(graphs, tmp_path / "set").renumbered()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"pairing": "same-class"},
        {"transport": "paper"},
    ],
)
def test_mixes_of_a_set_on_disk_are_those_of_the_set_in_memory(
    settings: dict[str, Any], graphs: Graphs, train: PackedGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alignments, "PAIRS_AT_ONCE", 3)
    memory, seen = graphs.renumbered(), list[Progress]()
    one, two = (SMixup(matcher(), partners=3, seed=1, **settings) for _ in range(2))
    one.fit(memory, silent)
    two.fit(train, seen.append)
    assert [each.done for each in seen if each.stage == "aligning"][-1] == 21
    for _ in range(3):
        a, b = one.on_batch(memory[[5, 1, 2, 2]]), two.on_batch(train[[5, 1, 2, 2]])
        torch.testing.assert_close(b.x, a.x)
        torch.testing.assert_close(b.adj.to_dense(), a.adj.to_dense())
        torch.testing.assert_close(b.y, a.y)
    assert len(two.on_batch(train[[5, 1]])) == 4
    how = two.replay(0)
    assert how.in_training_set and how.alignment.shape[0] == len(how.left.x)


def test_the_folder_goes_with_the_alignments(
    train: PackedGraphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    def stop(progress: Progress) -> None:
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SMixup(Uniform(), partners=2).fit(train, stop)
    assert list(temporary.iterdir()) == []
    mix = SMixup(Uniform(), partners=2).fit(train, silent)
    copy = pickle.loads(pickle.dumps(mix.fitted.alignments))
    assert len(copy.draw(torch.tensor([3]), torch.Generator()).moved) == 1
    del copy
    assert len(list(temporary.iterdir())) == 1, "a copy in another process owns nothing"
    mix.fitted = Fitted()
    assert list(temporary.iterdir()) == []


def test_only_its_own_graphs_are_covered(graphs: Graphs, train: PackedGraphs) -> None:
    stored = SMixup(Uniform(), partners=1).fit(train, silent).fitted.alignments
    assert stored.covers(train[[1]])
    assert not stored.covers(graphs.renumbered()[[1]])
    assert not stored.covers(train[[1]].replace(graph_attrs={"weight": torch.ones(1)}))
    with pytest.raises(SmixupError, match=r"number them anew, graphs\.renumbered\(\)"):
        SMixup(Uniform(), partners=1).fit(train.subset([4, 0, 2]), silent)


def test_a_sample_is_enough_to_learn_from(
    train: PackedGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smixup.augment.base.SAMPLE_GRAPHS", 5)
    learner, seen = matcher(), []
    learn = type(learner).fit

    def watched(self: Any, sample: Graphs, *rest: Any) -> Any:
        seen.append(len(sample))
        return learn(self, sample, *rest)

    monkeypatch.setattr(type(learner), "fit", watched)
    both = Compose([DropEdge(seed=0), SMixup(learner, partners=1)])
    assert both.fit_extend(train, silent) is train
    assert seen == [5]
    assert len(both.on_batch(train[[0, 4]])) == 4
    with pytest.raises(UsageError, match="cannot grow on disk: load it into memory"):
        Compose([DropEdge(), GMixup()]).fit(train, silent)
