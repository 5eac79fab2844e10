"""A set has one fingerprint, wherever it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from packed_kinds import KINDS

from smixup.graphs import Graphs, packed
from smixup.graphs.packing import pack


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [1, 3, 100])
def test_that_of_memory(
    kind: str, part: int, graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = KINDS[kind](graphs)
    on_disk = pack(graphs, tmp_path / "set")
    parts = packed.PackedGraphs.parts
    monkeypatch.setattr(packed.PackedGraphs, "parts", lambda self: parts(self, part))
    assert on_disk.fingerprint() == graphs.fingerprint()
    index = [5, 0, 3, 1]
    assert on_disk.subset(index).fingerprint() == graphs[index].fingerprint()
    assert on_disk.subset([0, 5]).fingerprint() != graphs[[5, 0]].fingerprint()
