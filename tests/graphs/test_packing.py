"""A packed set is made part by part, and is there whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from packed_kinds import assert_identical, attributed, directed, soft, unweighted
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from smixup.errors import SmixupError, UsageError
from smixup.graphs import Codes, Graphs, SparseOperator, packing
from smixup.graphs.columns import ColumnWriter
from smixup.graphs.packed import open_packed
from smixup.graphs.packing import PackedWriter, pack
from smixup.graphs.pyg import from_pyg


def written(folder: Path, *parts: Graphs) -> Graphs:
    with PackedWriter(folder) as writer:
        for part in parts:
            writer.add(part)
    return open_packed(folder)[:]


def test_parts_become_one_set(graphs: Graphs, tmp_path: Path) -> None:
    for kind, change in {"plain": unweighted, "soft": soft, "attributed": attributed}.items():
        whole = change(graphs)
        found = written(tmp_path / kind, whole[:3], whole[3:4], whole[4:])
        assert_identical(found, whole)


def test_what_becomes_more_general_on_the_way(graphs: Graphs, tmp_path: Path) -> None:
    """Weights that are no longer one, targets no longer one-hot, attributes of other edges."""
    plain = unweighted(graphs).replace(x=graphs.x)
    parts = plain[:3], graphs[3:5], soft(graphs)[5:]
    assert_identical(written(tmp_path / "set", *parts), Graphs.cat(parts))
    told = json.loads((tmp_path / "set" / "packed.json").read_text())
    assert told["adj"]["weight"] == "adj"

    rich = attributed(graphs)
    alike = rich.replace(
        edge_attrs={"bond": (rich.edge_attrs["bond"][0],) * 2}
        | {"odd / name": rich.edge_attrs["odd / name"]}
    )
    parts = alike[:4], rich[4:]
    assert_identical(written(tmp_path / "other", *parts), Graphs.cat(parts))


def test_small_types_and_no_weights_unless_needed(graphs: Graphs, tmp_path: Path) -> None:
    pack(unweighted(graphs), tmp_path / "set")
    names = {path.name for path in (tmp_path / "set").iterdir()}
    columns = {"ptr.npy", "x.npy", "y.npy", "adj.ptr.npy", "adj.count.npy", "adj.column.npy"}
    assert names == columns | {"packed.json"}
    assert open_packed(tmp_path / "set").columns["x"].dtype == "uint8"
    assert open_packed(tmp_path / "set").columns["adj.column"].dtype == "int32"
    assert open_packed(tmp_path / "set").columns["y"].dtype == "int32"


def test_indicators_in_bytes_as_long_as_they_are(graphs: Graphs, tmp_path: Path) -> None:
    ones = graphs.replace(x=(graphs.x > 0).float())
    parts = ones[:3], ones[3:5], graphs[5:]
    for number in (2, 3):
        with PackedWriter(tmp_path / "set", indicators_in_bytes=True) as writer:
            for part in parts[:number]:
                writer.add(part)
        found = open_packed(tmp_path / "set")[:]
        assert found.x.dtype == (torch.uint8 if number == 2 else torch.float)
        assert_identical(found.floating(), Graphs.cat(parts[:number]))
    assert not (tmp_path / "set" / "before.npy").exists()
    assert written(tmp_path / "plain", ones).x.dtype == torch.float


def test_one_directed_part_makes_the_set_directed(graphs: Graphs, tmp_path: Path) -> None:
    assert written(tmp_path / "set", graphs[:3], directed(graphs)[3:]).adj.symmetric is False


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


def test_parts_that_do_not_fit_together(graphs: Graphs, tmp_path: Path) -> None:
    rich = attributed(graphs)
    narrow = rich.replace(edge_attrs=rich.edge_attrs | {"bond": rich.edge_attrs["bond"][:1]})
    cases = {
        r"x is .* make them alike": (graphs, graphs.replace(x=graphs.x[:, :2])),
        r"only some .* attribute 'bond'": (rich, graphs),
        r"'bond' of edges has 1 columns": (rich, narrow),
        r"targets have 1 columns": (soft(graphs), soft(graphs).replace(y=graphs.y[:, :1])),
        r"are classes .* others are values": (graphs, graphs.replace(has_classes=False)),
    }
    for message, parts in cases.items():
        with pytest.raises(SmixupError, match=message):
            written(tmp_path / "set", *parts)
    assert list(tmp_path.iterdir()) == []


def test_nothing_and_nonsense(graphs: Graphs, tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="no graphs to pack"):
        pack([], tmp_path / "set")
    with pytest.raises(UsageError, match="not int"):
        pack(3, tmp_path / "set")  # type: ignore[arg-type]
    with pytest.raises(SmixupError, match="made of degrees"):
        pack(graphs.replace(degree_encoding=torch.sqrt), tmp_path / "set")
    edges = torch.tensor([[0, 4], [4, 0]])
    joined = SparseOperator.from_edges(edges, torch.ones(2), graphs.num_nodes)
    with pytest.raises(SmixupError, match="joins two different graphs"):
        pack(graphs.replace(adj=joined), tmp_path / "set")


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
