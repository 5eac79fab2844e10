"""What is selected from disk is, to the bit, what would be selected from memory."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from packed_kinds import KINDS, assert_identical, unweighted

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.packing import pack


@pytest.mark.parametrize("kind", KINDS)
def test_any_selection_is_the_same_as_in_memory(kind: str, graphs: Graphs, tmp_path: Path) -> None:
    graphs = KINDS[kind](graphs)
    packed = pack(graphs, tmp_path / "set")
    assert_identical(packed[:], graphs)
    for index in ([4, 0, 4, 2], [], [6], list(range(7)), [-1]):
        if index != [-1]:
            assert_identical(packed[index], graphs[index], str(index))
        assert len(packed[index]) == len(index)
    for part in (slice(2, 5), slice(5, 2), slice(None, None, 2), slice(-2, None), slice(3, 3)):
        assert_identical(packed[part], graphs[part], str(part))
    assert_identical(packed[::-1], graphs[[6, 5, 4, 3, 2, 1, 0]])


@pytest.mark.parametrize("kind", KINDS)
def test_subsets_are_lazy_and_the_same(kind: str, graphs: Graphs, tmp_path: Path) -> None:
    graphs = KINDS[kind](graphs)
    index = torch.tensor([5, 1, 6, 2])
    packed, expected = pack(graphs, tmp_path / "set").subset(index), graphs[index]
    assert len(packed) == 4
    assert_identical(packed[[3, 0]], expected[[3, 0]])
    assert_identical(packed[1:3], expected[1:3])
    assert_identical(packed.subset([2, 0])[:], expected[[2, 0]])
    assert torch.equal(packed.sizes, expected.sizes)
    assert torch.equal(packed.ids, expected.ids)
    assert packed.num_nodes == expected.num_nodes
    if expected.has_classes:
        assert torch.equal(packed.labels, expected.labels)
    else:
        with pytest.raises(SmixupError, match="the targets are values"):
            _ = packed.labels


def test_what_is_known_without_reading(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set", notes={"name": "seven"})
    assert (len(packed), packed.num_features, packed.num_classes) == (7, 3, 2)
    assert packed.num_nodes == graphs.num_nodes
    assert torch.equal(packed.sizes, graphs.sizes)
    assert torch.equal(packed.labels, graphs.labels)
    assert (packed.has_classes, packed.symmetric, packed.notes) == (True, True, {"name": "seven"})


def test_batches_are_those_of_graphs_in_memory(graphs: Graphs, tmp_path: Path) -> None:
    packed, graphs = pack(unweighted(graphs), tmp_path / "set"), unweighted(graphs)
    pairs = zip(
        packed.batches(3, torch.Generator().manual_seed(1)),
        graphs.batches(3, torch.Generator().manual_seed(1)),
        strict=True,
    )
    for ours, expected in pairs:
        assert_identical(ours, expected)
    assert [len(batch) for batch in packed.batches(3)] == [3, 3, 1]
    assert_identical(Graphs.cat(list(packed.parts(2))), graphs)


def test_numbers_of_a_set_of_its_own(graphs: Graphs, tmp_path: Path) -> None:
    train = pack(graphs, tmp_path / "set").subset([4, 2, 0]).renumbered()
    batch = train[[2, 1]]
    assert batch.ids.tolist() == [2, 1]
    assert batch.set_id == train.set_id != ""
    assert train.subset([0])[:].set_id == ""
    assert_identical(batch.x, graphs[[0, 2]].x)


def test_other_classes_and_preparation(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set").subset([1, 2, 3])
    changed = packed.with_classes(torch.tensor([0, 0, 1]))
    assert changed.subset([2, 0])[:].labels.tolist() == [1, 0]
    assert changed.labels.tolist() == [0, 0, 1]
    wide = packed.preparing(_doubled).preparing(_doubled)
    assert wide.num_features == 12
    assert wide[[0]].x.shape == (1, 12)


def _doubled(graphs: Graphs) -> Graphs:
    return graphs.replace(x=torch.cat([graphs.x, graphs.x], 1))


def test_graphs_that_are_not_there(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    for ask in (lambda: packed[[7]], lambda: packed[[-8]], lambda: packed.subset([7])):
        with pytest.raises(IndexError, match=r"outside of 0 to 6"):
            ask()


def test_negative_places_and_masks(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    assert_identical(packed[[-1, 0]], graphs[[6, 0]])
    assert_identical(packed.subset([-2, 1])[[-1]], graphs[[1]])
    mask = graphs.sizes > 3
    assert_identical(packed[mask], graphs[mask.nonzero().squeeze(1)])
    assert_identical(packed.subset(mask)[:], graphs[mask.nonzero().squeeze(1)])
    for wrong in ([0.5], mask[:3], [[0, 1]], 3):
        with pytest.raises(TypeError, match="are selected by"):
            packed[wrong]  # type: ignore[index]


def test_a_sample_fits_and_a_small_set_is_whole(graphs: Graphs, tmp_path: Path) -> None:
    packed, random = pack(graphs, tmp_path / "set"), torch.Generator().manual_seed(0)
    assert_identical(packed.sample(7, graphs.num_nodes, random), graphs)
    drawn = [packed.sample(3, 10**6, random).ids.tolist() for _ in range(5)]
    assert all(len(set(each)) == 3 for each in drawn)
    assert len({tuple(each) for each in drawn}) > 1
    for _ in range(5):
        assert packed.sample(7, 12, random).num_nodes <= 12
    assert len(packed.sample(7, 0, random)) == 1


def test_typical_weights(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    expected = float(graphs.adj.to_sparse().weight.mean())
    assert packed.typical_weight() == pytest.approx(expected)
    assert packed.subset([1]).typical_weight() == 1.0, "no edges"
    assert pack(unweighted(graphs), tmp_path / "plain").typical_weight() == 1.0


def test_equality_of_tests_sees_differences(graphs: Graphs) -> None:
    for other in (graphs[:6], graphs.replace(x=graphs.x + 1e-7), unweighted(graphs)):
        with pytest.raises(AssertionError):
            assert_identical(graphs, other)
