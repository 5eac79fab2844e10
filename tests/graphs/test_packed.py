"""What is selected from disk is, to the bit, what would be selected from memory; a set is whole, or
it is said what is wrong.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from packed_kinds import KINDS, assert_identical, attributed, directed, soft, unweighted, written
from small_graphs import path
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from smixup import GraphMatcher, files
from smixup.errors import SmixupError
from smixup.graphs import Codes, Graphs, PackedWriter, open_packed, pack, packed
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
    assert_identical(whole[::-1], graphs[[6, 5, 4, 3, 2, 1, 0]])
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


def test_subsets_numbers_classes_and_preparation(graphs: Graphs, tmp_path: Path) -> None:
    whole = pack(graphs, tmp_path / "set", notes={"name": "seven", "seed": [3]})
    assert whole.notes == {"name": "seven", "seed": [3]}
    train = whole.subset([4, 2, 0]).renumbered()
    batch = train[[2, 1]]
    assert (batch.ids.tolist(), train.ids.tolist()) == ([2, 1], [0, 1, 2])
    assert batch.set_id == train.set_id != train.renumbered().set_id
    assert train.subset([0])[:].set_id == ""
    assert_identical(batch.x, graphs[[0, 2]].x)
    changed = whole.subset([1, 2, 3]).with_classes(torch.tensor([0, 0, 1]))
    assert changed.subset([2, 0])[:].labels.tolist() == [1, 0]
    assert changed.labels.tolist() == changed.y.argmax(1).tolist() == [0, 0, 1]
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
    assert whole.typical_weight() == 1.0
    negative = graphs.replace(adj=graphs.adj.scaled(-torch.ones(graphs.adj.column.numel())))  # type: ignore[attr-defined]
    weighted = pack(negative, tmp_path / "weighted")
    mean = float(graphs.adj.weight.mean())
    assert weighted.typical_weight() == pytest.approx(mean)
    assert weighted.subset([1]).typical_weight() == 1.0, "no edges"


def test_columns_are_small_and_become_more_general_on_the_way(
    graphs: Graphs, tmp_path: Path
) -> None:
    """Weights that are no longer one, targets no longer one-hot."""
    pack(unweighted(graphs), tmp_path / "small")
    names = {file.name for file in (tmp_path / "small").iterdir()}
    columns = {"ptr.npy", "x.npy", "y.npy", "adj.ptr.npy", "adj.count.npy", "adj.column.npy"}
    assert names == columns | {"packed.json"}
    types = {name: open_packed(tmp_path / "small").columns[name].dtype for name in ("x", "y")}
    assert types == {"x": "uint8", "y": "int32"}
    plain = unweighted(graphs).replace(x=graphs.x)
    parts = plain[:3], graphs[3:5], soft(graphs)[5:]
    assert_identical(written(tmp_path / "set", *parts), Graphs.cat(parts))
    rich = attributed(graphs)
    for whole in (plain, soft(graphs), rich):
        assert_identical(written(tmp_path / "set", whole[:3], whole[3:4], whole[4:]), whole)
    more = graphs.replace(y=torch.nn.functional.one_hot(torch.arange(7), 7).float())
    assert written(tmp_path / "classes", graphs[:3], more[3:]).num_classes == 7
    assert not written(tmp_path / "directed", graphs[:3], directed(graphs)[3:]).adj.symmetric


def test_indicators_in_bytes_as_long_as_they_are(graphs: Graphs, tmp_path: Path) -> None:
    ones = graphs.replace(x=(graphs.x > 0).float())
    parts = ones[:3], ones[3:5], graphs[5:]
    for number in (2, 3):
        with PackedWriter(tmp_path / "set", indicators_in_bytes=True) as writer:
            for part in parts[:number]:
                writer.add(part)
        again = open_packed(tmp_path / "set")[:]
        assert again.x.dtype == (torch.uint8 if number == 2 else torch.float)
        assert_identical(again.floating(), Graphs.cat(parts[:number]))
    assert written(tmp_path / "plain", ones).x.dtype == torch.float


def test_an_error_on_the_way_leaves_what_was_there(graphs: Graphs, tmp_path: Path) -> None:
    before = pack(graphs[:2], tmp_path / "set")[:]
    with pytest.raises(KeyboardInterrupt), PackedWriter(tmp_path / "set") as writer:
        writer.add(graphs)
        raise KeyboardInterrupt
    assert [file.name for file in tmp_path.iterdir()] == ["set"]
    assert_identical(open_packed(tmp_path / "set")[:], before)
    (tmp_path / "empty").mkdir()
    assert len(pack(graphs, tmp_path / "empty")) == 7
    with PackedWriter(tmp_path / "empty") as writer:
        writer.add(graphs)
        writer.keep("times", torch.arange(3))
    assert open_packed(tmp_path / "empty").extra("times").tolist() == [0, 1, 2]


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
    with pytest.raises(SmixupError, match="were replaced while they were in use"):
        pickle.loads(sent)


def test_attributes_of_edges_with_places_of_their_own_are_read(
    graphs: Graphs, tmp_path: Path
) -> None:
    """Version 0.2.0 wrote the columns of an attribute one by one."""
    graphs, folder = attributed(graphs), tmp_path / "set"
    known = pack(graphs, folder).columns.manifest
    for part in ("ptr", "count", "column"):
        np.save(folder / f"own.{part}.npy", np.load(folder / f"adj.{part}.npy"))
    for column, rows in enumerate(np.load(folder / "edge_attr_0.weight.npy").T):
        np.save(folder / f"own_{column}.weight.npy", rows)
    own = [{"pattern": "own", "weight": f"own_{i}", "symmetric": False} for i in range(2)]
    known["edge_attrs"]["bond"] = own
    (folder / "packed.json").write_text(json.dumps(known))
    assert_identical(open_packed(folder)[[4, 0]], graphs[[4, 0]])


def data_list(weighted: bool) -> list[Data]:
    edges = torch.tensor([[1, 0, 2, 1], [0, 1, 1, 2]])
    weight = {"edge_weight": torch.tensor([0.5, 0.5, 2.0, 2.0])} if weighted else {}
    return [
        Data(torch.randn(3 + i, 2), edges, y=torch.tensor([i % 3]), mass=torch.rand(1, 2), **weight)
        for i in range(7)
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_loaded_batches_are_those_of_a_data_loader(weighted: bool, tmp_path: Path) -> None:
    data = data_list(weighted)
    whole = pack(data, tmp_path / "set")
    loader = whole.loader(3)
    assert len(loader) == 3
    for ours, theirs in zip(loader, DataLoader(data, 3), strict=True):
        assert set(ours.keys()) == set(theirs.keys())
        for name in theirs.keys():  # noqa: SIM118
            assert torch.equal(ours[name], theirs[name]), name
        for one, other in zip(ours.to_data_list(), theirs.to_data_list(), strict=True):
            assert torch.equal(one.edge_index, other.edge_index)

    def order(seed: int) -> list[int]:
        loader = whole.loader(4, True, torch.Generator().manual_seed(seed))
        return torch.cat([batch.ptr.diff() for batch in loader]).tolist()

    assert sorted(order(2)) == list(range(3, 10))
    assert order(2) == order(2) != order(3)


def test_any_iterable_of_data_is_packed_a_part_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that can be gone through once, and whose last class comes late."""
    monkeypatch.setattr(packed, "PART", 2)
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
    add, taken = PackedWriter.add, 0

    def source_of() -> Iterator[Data]:
        nonlocal taken
        for one in data:
            taken += 1
            yield one

    monkeypatch.setattr(PackedWriter, "add", lambda *args: ahead.append(taken) or add(*args))
    pack(source_of(), tmp_path / "set")
    assert ahead == [2, 4, 5]


def without_symmetric(manifest: dict[str, Any]) -> dict[str, Any]:
    adj = {name: value for name, value in manifest["adj"].items() if name != "symmetric"}
    return manifest | {"adj": adj}


def adj_with(**changes: object) -> Callable[[Any], Any]:
    return lambda manifest: manifest | {"adj": manifest["adj"] | changes}


# A column or the manifest, how it is spoilt, and what is said when the set is opened or read.
SPOILT: list[tuple[str, Callable[[Any], Any], str]] = [
    ("ptr", lambda ptr: ptr[[0, 2, 1, *range(3, len(ptr))]], "does not hold offsets"),
    ("ptr", lambda ptr: np.maximum(ptr, 1), "does not hold offsets"),
    ("ptr", lambda ptr: ptr / 2, "holds no whole numbers"),
    ("ptr", lambda ptr: ptr + (ptr > 0), r"x\.npy has the shape \[30, 3\]"),
    ("adj.column", lambda column: column + 0.5, r"adj\.column\.npy holds no whole numbers"),
    ("adj.column", lambda column: column + 100, r"adj\.column\.npy joins nodes that no graph has"),
    ("adj.column", lambda column: column + 1, r"adj\.column\.npy joins nodes that no graph has"),
    ("adj.column", lambda column: column - 1, r"adj\.column\.npy joins nodes that no graph has"),
    ("adj.count", lambda count: count.astype(float), r"adj\.count\.npy holds no whole numbers"),
    ("adj.count", lambda count: np.roll(count, 1), "joins nodes that no graph has"),
    ("x", lambda x: x[:-1], r"x\.npy has the shape"),
    ("x", lambda x: x[:, :, None], r"x\.npy has the shape"),
    ("x", lambda x: x.astype(complex), r"x\.npy: it holds no plain numbers"),
    ("y", lambda y: y + 1, r"y\.npy holds classes that there are not"),
    ("y", lambda y: y.astype(np.int64) - 2, r"y\.npy holds classes that there are not"),
    ("manifest", lambda told: told | {"graphs": -1}, r"ptr\.npy has the shape"),
    ("manifest", lambda told: told | {"classes": 2**31}, "classes is 2147483648"),
    ("manifest", lambda told: told | {"classes": "2"}, "classes is '2'"),
    ("manifest", lambda told: told | {"version": 99}, "another version of smixup"),
    ("manifest", lambda told: {"format": told["format"], "version": 1}, r"packed\.json"),
    ("manifest", without_symmetric, "KeyError.*symmetric"),
    ("manifest", adj_with(symmetric=3), "symmetric is 3"),
    ("manifest", adj_with(weight=7), r"packed\.json"),
    ("manifest", adj_with(weight=""), r"\.weight\.npy"),
]


def test_files_that_contradict_each_other_are_damage(graphs: Graphs, tmp_path: Path) -> None:
    for number, (name, change, message) in enumerate(SPOILT):
        folder = tmp_path / str(number)
        pack(graphs, folder)
        if name == "manifest":
            file = folder / "packed.json"
            file.write_text(json.dumps(change(json.loads(file.read_text()))))
        else:
            np.save(folder / f"{name}.npy", change(np.load(folder / f"{name}.npy")))
        with pytest.raises(SmixupError, match=f"{message}.*pack them again"):
            open_packed(folder)[:]


@pytest.mark.parametrize("file", ["x.npy", "adj.column.npy", "y.npy", "adj.weight.npy", "p"])
def test_a_file_that_is_cut_short_or_missing(graphs: Graphs, tmp_path: Path, file: str) -> None:
    pack(graphs, tmp_path / "set")
    path = tmp_path / "set" / ("packed.json" if file == "p" else file)
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

    for place in ((PackedWriter, "_append"), (files, "swap_folder")):
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
        ((graphs, with_x(torch.uint8)), r"'x' is torch.uint8 of .* make them alike"),
        ((rich, graphs), r"'bond' is missing in some graphs and torch.float32 of"),
        ((rich, narrow), r"'bond' is .* make them alike"),
        (
            (soft(graphs), soft(graphs).replace(y=graphs.y[:, :1])),
            "targets have 1 to 2",
        ),
        ((graphs, graphs.replace(has_classes=False)), "'y' is 2 values in some graphs and classes"),
        ((graphs.replace(degree_encoding=torch.sqrt),), "made of degrees"),
        ((with_x(torch.bfloat16),), "'x' is torch.bfloat16"),
        ((with_x(torch.cfloat),), "'x' is torch.complex64, which cannot be packed"),
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
        (lambda: pack(3, new), "not int"),  # type: ignore[arg-type]
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
    for index in ([7], [-8]):
        for select in (whole.__getitem__, whole.subset):
            with pytest.raises(IndexError, match=r"outside of 0 to 6"):
                select(index)
    for wrong in ([0.5], torch.tensor([True, False]), [[0, 1]], 3):
        with pytest.raises(TypeError, match="are selected by"):
            whole[wrong]  # type: ignore[index]
