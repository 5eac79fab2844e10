"""A packed set is written part by part, and is there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from packed_kinds import assert_identical, attributed, soft, unweighted, written

from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, open_packed, pack, packed_writer
from smixup.graphs.columns import ColumnWriter
from smixup.graphs.packed_writer import PackedWriter


def test_parts_become_one_set(graphs: Graphs, tmp_path: Path) -> None:
    for kind, change in {"plain": unweighted, "soft": soft, "attributed": attributed}.items():
        whole = change(graphs)
        found = written(tmp_path / kind, whole[:3], whole[3:4], whole[4:])
        assert_identical(found, whole)


def test_an_error_on_the_way_leaves_nothing_new(graphs: Graphs, tmp_path: Path) -> None:
    before = pack(graphs[:2], tmp_path / "set")[:]
    with pytest.raises(KeyboardInterrupt), PackedWriter(tmp_path / "set") as writer:
        writer.add(graphs)
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["set"]
    assert_identical(open_packed(tmp_path / "set")[:], before)
    assert len(pack(graphs, tmp_path / "set")) == 7


def test_folders_of_others_are_not_touched(graphs: Graphs, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("...")
    with pytest.raises(UsageError, match="exists and holds no packed graphs"):
        pack(graphs, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").is_file()
    (tmp_path / "empty").mkdir()
    assert len(pack(graphs, tmp_path / "empty")) == 7
    (tmp_path / "file").write_text("")
    with pytest.raises(SmixupError, match="cannot write packed graphs"):
        pack(graphs, tmp_path / "file" / "set")


def test_notes_are_numbers_and_texts(graphs: Graphs, tmp_path: Path) -> None:
    found = pack(graphs, tmp_path / "set", notes={"seed": 3, "names": ["a"]})
    assert found.notes == {"seed": 3, "names": ["a"]}
    with pytest.raises(UsageError, match="notes beside packed graphs"):
        pack(graphs, tmp_path / "other", notes={"tensor": torch.ones(1)})
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_full_disk_is_told_in_one_sentence_and_leaves_nothing(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: ColumnWriter, rows: torch.Tensor) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ColumnWriter, "append", full)
    monkeypatch.setattr(ColumnWriter, "close", lambda self: full(self, torch.ones(1)))
    with pytest.raises(SmixupError, match=r"cannot write packed graphs to .*: No space left"):
        pack(graphs, tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_numbers_are_kept_beside_the_graphs(graphs: Graphs, tmp_path: Path) -> None:
    with PackedWriter(tmp_path / "set") as writer:
        writer.add(graphs)
        writer.keep("times", torch.arange(3))
    assert np.load(tmp_path / "set" / "times.npy").tolist() == [0, 1, 2]
    assert_identical(open_packed(tmp_path / "set")[:], graphs)


def test_a_disk_that_is_full_late_is_told_too(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for place in ("ColumnWriter", "swap_folder"):
        with (
            pytest.raises(SmixupError, match="No space left on device"),
            PackedWriter(tmp_path / "set") as writer,
        ):
            writer.add(graphs)
            with monkeypatch.context() as patch:
                patch.setattr(packed_writer, place, full)
                if place == "ColumnWriter":
                    writer.keep("times", torch.arange(3))
                writer.close()
        assert list(tmp_path.iterdir()) == []


def test_nothing_to_pack(tmp_path: Path) -> None:
    with (
        pytest.raises(SmixupError, match="there are no graphs to pack"),
        PackedWriter(tmp_path / "set"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
