"""What is selected from disk is, to the bit, what would be selected from memory."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
import torch
from packed_kinds import KINDS, assert_identical, unweighted

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.packed import open_packed
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


def test_another_process_opens_the_files_itself(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set").subset([3, 1])
    _ = packed[:]
    sent = pickle.dumps(packed)
    assert len(sent) < 2000
    assert_identical(pickle.loads(sent)[:], graphs[[3, 1]])


def test_graphs_that_are_not_there(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    for ask in (lambda: packed[[7]], lambda: packed[[-8]], lambda: packed.subset([7])):
        with pytest.raises(IndexError, match=r"outside of 0\.\.6"):
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


def test_a_set_that_is_replaced_stays_what_it_was(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    sent = pickle.dumps(packed)
    pack(graphs[:2], tmp_path / "set")
    assert_identical(packed[:], graphs)
    with pytest.raises(SmixupError, match="were replaced while they were in use"):
        pickle.loads(sent)


def test_it_is_found_from_another_folder(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    packed = pack(graphs, "set")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert_identical(pickle.loads(pickle.dumps(packed))[:], graphs)


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


def test_no_packed_set(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"holds no packed graphs: there is no packed\.json"):
        open_packed(tmp_path)


@pytest.mark.parametrize("file", ["x.npy", "adj.column.npy", "y.npy", "ptr.npy", "adj.weight.npy"])
def test_a_file_that_is_cut_short_or_missing(graphs: Graphs, tmp_path: Path, file: str) -> None:
    pack(graphs, tmp_path / "set")
    path = tmp_path / "set" / file
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(SmixupError, match=f"{file}.*pack them again"):
        open_packed(tmp_path / "set")
    path.unlink()
    with pytest.raises(SmixupError, match=f"{file}.*pack them again"):
        open_packed(tmp_path / "set")


def test_a_manifest_of_another_version_or_none(graphs: Graphs, tmp_path: Path) -> None:
    pack(graphs, tmp_path / "set")
    path = tmp_path / "set" / "packed.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
    with pytest.raises(SmixupError, match="another version of smixup: pack them again"):
        open_packed(tmp_path / "set")
    path.write_text(json.dumps({"format": "smixup packed graphs", "version": 1}))
    with pytest.raises(SmixupError, match=r"packed\.json.*pack them again"):
        open_packed(tmp_path / "set")
    path.write_text("{")
    with pytest.raises(SmixupError, match=r"packed\.json.*pack them again"):
        open_packed(tmp_path / "set")


def test_equality_of_tests_sees_differences(graphs: Graphs) -> None:
    for other in (graphs[:6], graphs.replace(x=graphs.x + 1e-7), unweighted(graphs)):
        with pytest.raises(AssertionError):
            assert_identical(graphs, other)
