"""Graphs of any kind are packed, a part at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from packed_kinds import assert_identical
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from smixup.errors import SmixupError, UsageError
from smixup.graphs import Codes, Graphs, packing
from smixup.graphs.packed_writer import PackedWriter
from smixup.graphs.packing import pack
from smixup.graphs.pyg import from_pyg


def data_of(label: int, nodes: int = 3) -> Data:
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    return Data(torch.randn(nodes, 2), edges, y=torch.tensor([label]))


def test_any_iterable_of_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that can be gone through once, and whose last class comes late."""
    monkeypatch.setattr(packing, "PART", 2)
    data = [data_of(label) for label in (0, 0, 1, 0, 2)]
    expected = from_pyg(data)
    for number, source in enumerate((data, iter(data), DataLoader(data, 2))):  # type: ignore[arg-type]
        found = pack(source, tmp_path / str(number))
        assert found.num_classes == 3
        assert_identical(found[:], expected)
    assert len(pack(Batch.from_data_list(data), tmp_path / "batch")) == 5
    assert len(pack(data[0], tmp_path / "one")) == 1


def test_only_a_part_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PART", 2)
    ahead: list[int] = []
    add = PackedWriter.add

    def watched(self: PackedWriter, part: Graphs) -> None:
        ahead.append(taken)
        add(self, part)

    taken = 0

    def source() -> Iterator[Data]:
        nonlocal taken
        for _ in range(6):
            taken += 1
            yield data_of(0)

    monkeypatch.setattr(PackedWriter, "add", watched)
    pack(source(), tmp_path / "set")
    assert ahead == [2, 4, 6]


def test_a_packed_set_can_be_packed_in_part(graphs: Graphs, tmp_path: Path) -> None:
    few = pack(graphs, tmp_path / "all").subset([6, 0])
    again = pack(few, tmp_path / "few")[:]
    assert_identical(again, graphs[[6, 0]].replace(ids=torch.arange(2)))


def test_codes_are_read_as_told_or_refused(tmp_path: Path) -> None:
    coded = [Data(torch.tensor([[2], [0]]), torch.tensor([[0], [1]]), y=torch.tensor([0]))]
    with pytest.raises(SmixupError, match="encode"):
        pack(coded, tmp_path / "set")
    with pytest.raises(UsageError, match="say how many values"):
        pack(coded, tmp_path / "set", encode="one-hot")
    found = pack(coded, tmp_path / "set", encode=Codes(nodes=(4,)))[:]
    assert found.x.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]


def test_nothing_and_nonsense(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="no graphs to pack"):
        pack([], tmp_path / "set")
    with pytest.raises(UsageError, match="not int"):
        pack(3, tmp_path / "set")  # type: ignore[arg-type]
