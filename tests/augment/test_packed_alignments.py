"""Alignments on disk are those in memory."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from smixup.augment import Compose, DropEdge, GMixup, SMixup, alignments, packed_alignments
from smixup.augment.alignments import Alignments
from smixup.augment.packed_alignments import PackedAlignments
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, PackedGraphs, pack
from smixup.matching import Uniform
from smixup.progress import Progress, silent


@pytest.fixture
def train(graphs: Graphs, tmp_path: Path) -> PackedGraphs:
    return pack(graphs, tmp_path / "set").renumbered()


def fitted(train: Graphs | PackedGraphs, tiny: Callable[..., object], **settings: object) -> SMixup:
    mix = SMixup(tiny(), partners=3, seed=1, **settings)  # type: ignore[arg-type]
    return mix.fit(train, silent)


SETTINGS: dict[str, dict[str, object]] = {
    "plain": {},
    "adaptive": {"adaptive": True, "label": "arrived"},
    "same class": {"pairing": "same-class"},
    "columns": {"transport": "paper"},
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_the_same_pairs_as_in_memory(
    kind: str,
    graphs: Graphs,
    train: PackedGraphs,
    tiny: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packed_alignments, "PAIRS_AT_ONCE", 3)
    memory = fitted(graphs.renumbered(), tiny, **SETTINGS[kind]).alignments
    disk = fitted(train, tiny, **SETTINGS[kind]).alignments
    assert isinstance(memory, Alignments)
    assert isinstance(disk, PackedAlignments)
    assert len(disk.stored) == len(memory.stored) == 21
    ids = torch.tensor([6, 0, 4, 4])
    for seed in range(4):
        a = memory.draw(ids, torch.Generator().manual_seed(seed))
        b = disk.draw(ids, torch.Generator().manual_seed(seed))
        assert torch.equal(a.partner, b.partner)
        torch.testing.assert_close(b.aligned.graphs.x, a.aligned.graphs.x)
        torch.testing.assert_close(b.aligned.graphs.adj.to_dense(), a.aligned.graphs.adj.to_dense())
        assert torch.equal(b.aligned.graphs.y, a.aligned.graphs.y)
        torch.testing.assert_close(b.aligned.distortion, a.aligned.distortion)
        torch.testing.assert_close(b.aligned.arrived, a.aligned.arrived)
        assert b.aligned.graphs.graph_attrs == {}


def test_mixes_of_a_batch_are_the_same(
    graphs: Graphs, train: PackedGraphs, tiny: Callable[..., object]
) -> None:
    memory, on_disk = graphs.renumbered(), train
    a = fitted(memory, tiny).on_batch(memory[[5, 1, 2]])
    mix = fitted(on_disk, tiny)
    b = mix.on_batch(on_disk[[5, 1, 2]])
    torch.testing.assert_close(b.x, a.x)
    torch.testing.assert_close(b.adj.to_dense(), a.adj.to_dense())
    assert torch.equal(b.y, a.y)
    told = mix.replay(0)
    assert told.in_training_set
    assert told.alignment.shape[0] == len(told.left.x)


def test_similar_partners_are_the_cheapest_of_several(
    train: PackedGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    aligned = []
    spy = packed_alignments._aligned

    def counted(*arguments: object) -> alignments.Aligned:
        aligned.append(1)
        return spy(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(packed_alignments, "_aligned", counted)
    mix = SMixup(Uniform(), partners=2, seed=0, pairing="similar(candidates=4,ratio=9)")
    mix.fit(train, silent)
    assert len(aligned) == 8
    assert mix.alignments is not None
    stored = mix.alignments.stored
    assert isinstance(stored, PackedGraphs)
    assert len(stored) == 14


def test_cheapest_is_cheapest(train: PackedGraphs) -> None:
    place, candidates = torch.tensor([4, 2]), torch.tensor([[0, 5], [4, 6], [3, 2]])
    mix = SMixup(Uniform())
    kept, partner = packed_alignments._cheapest(train, mix.matcher, place, candidates, mix._carry)
    costs = torch.stack(
        [
            alignments.aligned_cost(
                train[place],
                packed_alignments._aligned(train, mix.matcher, place, each, mix._carry).graphs,
            )
            for each in candidates
        ]
    )
    assert partner.tolist() == candidates.gather(0, costs.argmin(0, keepdim=True))[0].tolist()
    torch.testing.assert_close(
        alignments.aligned_cost(train[place], kept.graphs), costs.min(0).values
    )


def test_the_folder_goes_with_the_alignments(
    train: PackedGraphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    mix = SMixup(Uniform(), partners=2).fit(train, silent)
    assert len(list(temporary.iterdir())) == 1
    copy = pickle.loads(pickle.dumps(mix.alignments))
    ids = torch.tensor([3])
    assert len(copy.draw(ids, torch.Generator()).aligned) == 1
    del copy
    assert len(list(temporary.iterdir())) == 1, "a copy in another process owns nothing"
    mix.alignments = None
    assert list(temporary.iterdir()) == []


def test_an_interrupt_leaves_no_folder(
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


def test_progress_counts_pairs(train: PackedGraphs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_alignments, "PAIRS_AT_ONCE", 4)
    told: list[Progress] = []
    SMixup(Uniform(), partners=2).fit(train, told.append)
    assert [each.done for each in told if each.stage == "aligning"] == [0, 4, 7, 11, 14]
    assert {each.total for each in told} == {14}


def test_only_its_own_graphs_are_covered(graphs: Graphs, train: PackedGraphs) -> None:
    stored = SMixup(Uniform(), partners=1).fit(train, silent).alignments
    assert stored is not None
    assert stored.covers(train[[1]])
    assert not stored.covers(graphs.renumbered()[[1]])
    with_more = train[[1]].replace(graph_attrs={"weight": torch.ones(1)})
    assert not stored.covers(with_more)


def test_a_sample_is_enough_to_learn_from(
    train: PackedGraphs, tiny: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("smixup.augment.hooks.SAMPLE_GRAPHS", 5)
    seen: list[int] = []
    matcher = tiny()
    learn = type(matcher).fit

    def watched(self: object, sample: Graphs, *rest: object) -> object:
        seen.append(len(sample))
        return learn(self, sample, *rest)  # type: ignore[call-arg]

    monkeypatch.setattr(type(matcher), "fit", watched)
    SMixup(matcher, partners=1).fit(train, silent)  # type: ignore[arg-type]
    assert seen == [5]


def test_compositions_and_methods_that_grow(train: PackedGraphs) -> None:
    both = Compose([DropEdge(seed=0), SMixup(Uniform(), partners=1)])
    assert both.fit_extend(train, silent) is train
    assert both.fit(train, silent).parts[1].alignments is not None  # type: ignore[attr-defined]
    assert len(both.on_batch(train[[0, 4]])) == 4
    for grows in (GMixup(), Compose([DropEdge(), GMixup()])):
        with pytest.raises(UsageError, match="cannot grow on disk: load it into memory"):
            grows.fit(train, silent)


def test_a_part_of_a_set_must_be_numbered_anew(train: PackedGraphs) -> None:
    part = train.subset([4, 0, 2])
    with pytest.raises(SmixupError, match=r"number them anew, graphs\.renumbered\(\)"):
        SMixup(Uniform(), partners=1).fit(part, silent)
    mix = SMixup(Uniform(), partners=1).fit(part.renumbered(), silent)
    assert mix.alignments is not None
    assert mix.alignments.num_graphs == 3
