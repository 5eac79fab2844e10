"""What is selected from disk is, to the bit, what would be selected from memory; a set is whole, or
it is said what is wrong.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from packed_kinds import (
    KINDS,
    assert_identical,
    attributed,
    directed,
    soft,
    unweighted,
    valued,
    written,
)
from small_graphs import path
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from smixup import GraphMatcher, files
from smixup.errors import SmixupError
from smixup.graphs import Codes, Graphs, open_packed, pack, packed, packing
from smixup.graphs.pyg import from_pyg


@pytest.mark.parametrize("kind", KINDS)
def test_any_selection_is_the_same_as_in_memory(
    kind: str, graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = KINDS[kind](graphs)
    whole = pack(graphs, tmp_path / "set")
    assert_identical(whole[:], graphs)
    for index in ([4, 0, 4, 2], [], [6], list(range(7))):
        assert_identical(whole[index], graphs[index], str(index))
    for part in (slice(2, 5), slice(5, 2), slice(None, None, 2), slice(-2, None), slice(3, 3)):
        assert_identical(whole[part], graphs[part], str(part))
    assert_identical(whole[[-1, 0]], graphs[[6, 0]])
    mask = graphs.sizes > 3
    assert_identical(whole[mask], graphs[mask.nonzero().squeeze(1)])
    few, expected = whole.subset(torch.tensor([5, 1, 6, 2])), graphs[[5, 1, 6, 2]]
    assert len(few) == 4
    assert_identical(few[[3, 0]], expected[[3, 0]])
    assert_identical(few[1:3], expected[1:3])
    assert_identical(few.subset([2, -4])[:], expected[[2, 0]])
    assert_identical(whole.subset(mask)[:], graphs[mask.nonzero().squeeze(1)])
    parts = packed.PackedGraphs.parts
    for on_disk, memory in ((whole, graphs), (few, expected)):
        for name in ("sizes", "ids", "num_nodes", "num_features", "num_edge_features", "y"):
            assert_identical(getattr(on_disk, name), getattr(memory, name), name)
        assert (on_disk.num_classes, on_disk.has_classes) == (memory.num_classes, kind != "valued")
        assert on_disk.symmetric == graphs.adj.symmetric == (kind != "directed")
        if memory.has_classes:
            assert torch.equal(on_disk.labels, memory.labels)
        for number in (1, 3, 100):
            with monkeypatch.context() as patch:
                patch.setattr(packed.PackedGraphs, "parts", lambda s, k=number: parts(s, k))
                assert on_disk.fingerprint() == memory.fingerprint()


def test_subsets_numbers_and_preparation(graphs: Graphs, tmp_path: Path) -> None:
    whole = pack(graphs, tmp_path / "set", notes={"name": "seven", "seed": [3]})
    assert whole.notes == {"name": "seven", "seed": [3]}
    train = whole.subset([4, 2, 0]).renumbered()
    batch = train[[2, 1]]
    assert (batch.ids.tolist(), train.ids.tolist()) == ([2, 1], [0, 1, 2])
    assert batch.set_id == train.set_id != train.renumbered().set_id
    assert train.subset([0])[:].set_id == ""
    assert_identical(batch.x, graphs[[0, 2]].x)
    wide = whole.preparing(doubled).preparing(doubled)
    assert (wide.num_features, wide[[0]].x.shape) == (12, (4, 12))
    assert wide.to("meta")[[0]].device.type == "meta"


def doubled(graphs: Graphs) -> Graphs:
    return graphs.replace(x=torch.cat([graphs.x, graphs.x], 1))


def test_batches_parts_and_samples(graphs: Graphs, tmp_path: Path) -> None:
    whole = pack(unweighted(graphs), tmp_path / "set")
    orders = (torch.Generator().manual_seed(1) for _ in range(2))
    batches = zip(
        whole.batches(3, next(orders)), unweighted(graphs).batches(3, next(orders)), strict=True
    )
    for ours, expected in batches:
        assert_identical(ours, expected)
    assert [len(batch) for batch in whole.batches(3)] == [3, 3, 1]
    assert_identical(Graphs.cat(list(whole.parts(2))), unweighted(graphs))
    random = torch.Generator().manual_seed(0)
    assert_identical(whole.sample(7, 30, random), unweighted(graphs))
    samples = [whole.sample(3, 10**6, random).ids.tolist() for _ in range(5)]
    assert all(len(set(ids)) == 3 for ids in samples) and samples[0] != samples[1]
    sizes = [whole.sample(7, 12, random).num_nodes for _ in range(9)]
    assert 9 <= max(sizes) <= 12
    assert len(whole.sample(7, 0, random)) == 1
    assert whole.sample(7, 29, random).ids.tolist() != list(range(7))


def test_columns_are_small_and_become_more_general_on_the_way(
    graphs: Graphs, tmp_path: Path
) -> None:
    """Weights that are no longer one, targets no longer one-hot."""
    small = pack(unweighted(graphs), tmp_path / "small").files.columns
    assert small["x"].dtype == small["weight"].dtype == torch.uint8
    plain = unweighted(graphs).replace(x=graphs.x)
    parts = plain[:3], graphs[3:5], soft(graphs)[5:]
    assert_identical(written(tmp_path / "set", *parts), Graphs.cat(parts))
    rich = attributed(graphs)
    for whole in (plain, soft(graphs), rich):
        assert_identical(written(tmp_path / "set", whole[:3], whole[3:4], whole[4:]), whole)
    more = graphs.replace(y=torch.nn.functional.one_hot(torch.arange(7), 7).float())
    assert written(tmp_path / "classes", graphs[:3], more[3:]).num_classes == 7
    assert not written(tmp_path / "directed", graphs[:3], directed(graphs)[3:]).adj.symmetric
    indicators, numbers = unweighted(graphs)[:3], graphs[3:]
    for parts in ((indicators, numbers), (numbers, indicators)):
        floats = Graphs.cat([part.floating() for part in parts])
        assert_identical(written(tmp_path / "mixed", *parts).replace(ids=floats.ids), floats)


def test_an_error_on_the_way_leaves_what_was_there(graphs: Graphs, tmp_path: Path) -> None:
    before = pack(graphs[:2], tmp_path / "set")[:]
    with pytest.raises(KeyboardInterrupt):
        pack(interrupted(graphs), tmp_path / "set")
    assert [file.name for file in tmp_path.iterdir()] == ["set"]
    assert_identical(open_packed(tmp_path / "set")[:], before)
    (tmp_path / "empty").mkdir()
    assert len(pack(graphs, tmp_path / "empty")) == 7
    again = pack(graphs, tmp_path / "empty", extra={"times": torch.arange(3)})
    assert again.extra("times").tolist() == [0, 1, 2]


def interrupted(graphs: Graphs) -> Iterator[Graphs]:
    yield graphs
    raise KeyboardInterrupt


def test_a_set_follows_its_files(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    few = pack(graphs, "set").subset([3, 1])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    sent = pickle.dumps(few)
    assert len(sent) < 2000
    assert_identical(pickle.loads(sent)[:], graphs[[3, 1]])
    pack(graphs[:2], tmp_path / "set")
    assert_identical(few[:], graphs[[3, 1]])


def test_any_iterable_of_data_is_packed_a_part_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that can be gone through once, and whose last class comes late."""
    monkeypatch.setattr(packing, "PART", 2)
    data = [path(3, y=torch.tensor([label])) for label in (0, 0, 1, 0, 2)]
    for number, source in enumerate((data, iter(data), DataLoader(data, 2))):  # type: ignore[arg-type]
        assert_identical(pack(source, tmp_path / str(number))[:], from_pyg(data))
    assert len(pack(Batch.from_data_list(data), tmp_path / "batch")) == 5
    assert len(pack(data[0], tmp_path / "one")) == 1
    few = pack(data, tmp_path / "all").subset([4, 0, 2])
    assert_identical(pack(few, tmp_path / "few")[:], few[:].replace(ids=torch.arange(3)))
    coded = [Data(torch.tensor([[2], [0]]), torch.tensor([[0], [1]]), y=torch.tensor([0]))]
    again = pack(coded, tmp_path / "set", encode=Codes(nodes=(4,)))[:]
    assert again.x.tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    ahead: list[int] = []
    as_graphs, taken = packing.as_graphs, 0

    def source_of() -> Iterator[Data]:
        nonlocal taken
        for one in data:
            taken += 1
            yield one

    monkeypatch.setattr(packing, "as_graphs", lambda *of: ahead.append(taken) or as_graphs(*of))
    pack(source_of(), tmp_path / "set")
    assert ahead == [2, 4, 5]


Change = Callable[[Any], Any]


def column(name: str, **known: Any) -> Change:
    return lambda told: told | {"columns": told["columns"] | {name: told["columns"][name] | known}}


# A column or the manifest, how it is spoilt, and what is said when the set is opened or read.
SPOILT: list[tuple[str, Change, str]] = [
    ("ptr", lambda ptr: ptr.flip(0), "do not share out the nodes"),
    ("ptr", lambda ptr: ptr + 1, "do not share out the nodes"),
    ("column", lambda column: column + 100, "lead out of their graphs"),
    ("column", lambda column: column - 1, "lead out of their graphs"),
    ("row_ptr", lambda ptr: ptr - 1, "lead out of their graphs"),
    ("row_ptr", lambda ptr: torch.cat([ptr[:2].flip(0), ptr[2:]]), "lead out of their graphs"),
    ("x", lambda x: x[:-1], "bytes, not"),
    ("manifest", lambda told: told | {"version": 1}, "by another version of smixup"),
    ("manifest", lambda told: {"format": told["format"], "version": 2}, "KeyError.*columns"),
    ("manifest", column("y", dtype="load"), "damaged"),
    ("manifest", column("y", shape=[7, 3]), "bytes, not"),
    ("manifest", column("y", shape=["7", 2]), "damaged"),
]


def test_files_that_contradict_each_other_are_damage(graphs: Graphs, tmp_path: Path) -> None:
    for number, (name, change, message) in enumerate(SPOILT):
        folder = tmp_path / str(number)
        pack(graphs, folder)
        if name == "manifest":
            file = folder / "packed.json"
            file.write_text(json.dumps(change(json.loads(file.read_text()))))
        else:
            file = folder / f"{[*open_packed(folder).files.columns].index(name)}.bin"
            rows = change(open_packed(folder).files.columns[name]).clone()
            file.write_bytes(rows.numpy().tobytes())
        with pytest.raises(SmixupError, match=f"{message}.*pack them again"):
            open_packed(folder)[:]


@pytest.mark.parametrize("file", ["0.bin", "2.bin", "packed.json"])
def test_a_file_that_is_cut_short_or_missing(graphs: Graphs, tmp_path: Path, file: str) -> None:
    pack(graphs, tmp_path / "set")
    path = tmp_path / "set" / file
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(SmixupError, match=f"{path.name}.*pack them again"):
        open_packed(tmp_path / "set")
    path.unlink()
    with pytest.raises(
        SmixupError, match=rf"{path.name}.*pack them again|there is no packed\.json"
    ):
        open_packed(tmp_path / "set")


def test_a_full_disk_is_told_in_one_sentence_and_leaves_nothing(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for place in ((packing._Column, "append"), (files, "swap_folder")):
        with (
            pytest.raises(SmixupError, match=r"cannot write packed graphs to .*: No space left"),
            monkeypatch.context() as patch,
        ):
            patch.setattr(*place, full)
            pack(graphs, tmp_path / "set")
        assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_packed_or_selected_is_refused(graphs: Graphs, tmp_path: Path) -> None:
    whole, rich = pack(graphs, tmp_path / "set"), attributed(graphs)
    narrow = rich.replace(edge_attrs=rich.edge_attrs | {"bond": rich.edge_attrs["bond"][:, :1]})
    coded = [Data(torch.tensor([[2], [0]]), torch.tensor([[0], [1]]), y=torch.tensor([0]))]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("...")
    (tmp_path / "file").write_text("")
    new = tmp_path / "new"

    def with_x(dtype: torch.dtype) -> Graphs:
        return graphs.replace(x=graphs.x.to(dtype))

    written_cases = [
        (
            (graphs, graphs.replace(x=graphs.x[:, :2])),
            r"'x' is .*\[2\] in some .*\[3\] in those before",
        ),
        ((graphs, with_x(torch.int32)), r"'x' is torch.int32 of .* make them alike"),
        ((rich, graphs), r"only some of the graphs have 'bond'"),
        ((rich, narrow), r"'edge_attrs/bond' is .* make them alike"),
        (
            (valued(graphs), valued(graphs).replace(y=graphs.y[:, :1])),
            r"'y' is .*\[1\] in some .*\[2\] in those before",
        ),
        ((graphs, graphs.replace(has_classes=False)), "y holds classes in some graphs and values"),
        ((), "there are no graphs to pack"),
    ]
    for parts, message in written_cases:
        with pytest.raises(SmixupError, match=message):
            written(new, *parts)
        assert not new.exists()
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: pack([], new), "no graphs to pack"),
        (lambda: pack(coded, new), "encode"),
        (lambda: pack(coded, new, encode="one-hot"), "say how many values"),
        (lambda: pack(graphs, tmp_path / "mine"), "exists and holds no packed graphs"),
        (lambda: pack(graphs, tmp_path / "file" / "set"), "cannot write packed graphs"),
        (lambda: open_packed(tmp_path / "mine"), r"holds no packed graphs: there is no packed\.j"),
        (lambda: GraphMatcher().fit(whole), "graphs in memory are needed"),  # type: ignore[arg-type]
        (lambda: pack(graphs.replace(has_classes=False), new).labels, "the targets are values"),
    ]
    for call, message in calls:
        with pytest.raises(SmixupError, match=message):
            call()
    assert (tmp_path / "mine" / "thesis.tex").is_file()
    for index in ([7], [-8], torch.tensor([True, False])):
        for select in (whole.__getitem__, whole.subset):
            with pytest.raises((IndexError, TypeError)):
                select(index)  # type: ignore[operator]
