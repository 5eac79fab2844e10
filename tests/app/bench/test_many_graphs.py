"""Both sides hand out the same graphs, and the set on disk is what it claims to be."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import torch
from torch_geometric.loader import DataLoader

from smixup.app.bench import many_graphs
from smixup.app.bench.many_graphs import Draw, compare_many, small_graphs
from smixup.app.bench.pyg_way import data_list
from smixup.app.bench.settings import Settings


def test_graphs_are_as_large_as_is_said(tmp_path: Path) -> None:
    packed = small_graphs(2000, tmp_path / "set")
    graphs = packed[:]
    assert len(packed) == 2000
    assert packed.sizes.double().mean() == pytest.approx(20, rel=0.02)
    assert graphs.adj.to_sparse().column.numel() / 2 / 2000 == pytest.approx(24.5, rel=0.05)
    assert graphs.adj.to_sparse().symmetric
    assert graphs.x.dtype == torch.uint8
    assert (graphs.x.sum(1) == 1).all()
    assert graphs.x.shape[1] == 8
    assert packed.columns.manifest["adj"]["weight"] is None
    assert graphs.labels.unique().tolist() == [0, 1]


def test_parts_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_graphs, "PART", 30)
    packed = small_graphs(70, tmp_path / "set")
    assert len(packed) == 70
    first, second = packed[:30], packed[30:60]
    assert first.fingerprint() != second.fingerprint()


def test_both_sides_hand_out_the_same_graphs(tmp_path: Path) -> None:
    packed = small_graphs(20, tmp_path / "set")
    (theirs,) = list(DataLoader(data_list(packed[:]), 20))
    ours = packed[:].floating()
    assert torch.equal(ours.x, theirs.x)
    assert torch.equal(ours.adj.edges()[0], theirs.edge_index)
    assert torch.equal(ours.ptr, theirs.ptr)
    assert torch.equal(ours.labels, theirs.y)


def test_batches_are_drawn_from_all_over_the_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_graphs, "DRAWN", 300)
    draw = Draw(small_graphs(600, tmp_path / "set"))
    first, second = (torch.cat([batch.ids for batch in draw.batches()]) for _ in range(2))
    for drawn in (first, second):
        assert drawn.unique().numel() == 300
        assert drawn.max() > 500
        assert drawn.min() < 100
    assert not torch.equal(first, second)


def test_it_is_compared_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(many_graphs, "IN_MEMORY", 8)
    (found,) = list(compare_many(Settings((), 1, None, 40, pytest.fail)))
    assert found.case == "40 on disk : 8 in memory"
    assert found.ours > 0
    assert found.reference > 0
    assert found.memory_mb is None or found.memory_mb > 0
    assert list(tmp_path.iterdir()) == []
