"""Saved lists of PyG graphs are read, and no pickle is executed."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset

from smixup import to_pyg
from smixup.datasets.readers.saved_list import read_saved_list
from smixup.errors import SmixupError
from smixup.tasks import Classes, Labels, Values

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def path_graph(y: Any, **more: Any) -> Data:
    target = {} if y is None else {"y": torch.as_tensor(y)}
    return Data(x=torch.rand(3, 2), edge_index=EDGES, **target, **more)


def saved(tmp_path: Path, found: Any) -> Path:
    torch.save(found, tmp_path / "graphs.pt")
    return tmp_path / "graphs.pt"


def test_a_list_comes_back_with_its_attributes(tmp_path: Path) -> None:
    graphs = [path_graph([k % 2], edge_attr=torch.rand(4, 2), name=f"g{k}") for k in range(4)]
    found = read_saved_list(saved(tmp_path, graphs))
    assert torch.equal(found.graphs[[2]].x, graphs[2].x)
    assert found.graphs.labels.tolist() == [0, 1, 0, 1]
    assert found.task == Classes((0, 1))
    again = to_pyg(found.graphs[[3]])
    order = (again.edge_index[0] * 3 + again.edge_index[1]).argsort()  # as in EDGES
    assert torch.allclose(again.edge_attr[order], graphs[3].edge_attr)


@pytest.mark.parametrize("odd", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("rows", [3, 4, 1], ids=["nodes", "edges", "graphs"])
def test_further_fields_come_along_as_they_are(tmp_path: Path, rows: int, odd: float) -> None:
    """Nobody computes with them, so gaps in them are no reason to refuse a file."""
    field = torch.arange(rows) + 1.0
    field[0] = odd
    found = read_saved_list(saved(tmp_path, [path_graph([k % 2], time=field) for k in range(3)]))
    again = to_pyg(found.graphs[[1]])
    back = again.time.flatten()
    if rows == 4:
        back = back[(again.edge_index[0] * 3 + again.edge_index[1]).argsort()]  # as in EDGES
    assert repr(back.tolist()) == repr(field.tolist())
    assert found.graphs.x.isfinite().all()


def test_what_single_precision_has_no_room_for_comes_along_with_nodes(tmp_path: Path) -> None:
    large = torch.full((3,), 1e39, dtype=torch.float64)
    found = read_saved_list(saved(tmp_path, [path_graph([k], time=large) for k in range(2)]))
    assert torch.equal(to_pyg(found.graphs[[1]]).time, large)


@pytest.mark.parametrize("parts", [2, 3])
def test_what_pyg_joined_is_taken_apart(tmp_path: Path, parts: int) -> None:
    graphs = [path_graph([k]) for k in range(3)]
    if parts == 3:
        InMemoryDataset.save(graphs, str(tmp_path / "graphs.pt"))
        path = tmp_path / "graphs.pt"
    else:
        path = saved(tmp_path, InMemoryDataset.collate(graphs))
    found = read_saved_list(path)
    assert found.graphs.sizes.tolist() == [3, 3, 3]
    assert torch.equal(found.graphs[[1]].x, graphs[1].x)
    assert found.graphs.labels.tolist() == [0, 1, 2]


def test_the_task_is_seen_from_y_or_said(tmp_path: Path) -> None:
    floats = saved(tmp_path, [path_graph([0.0]), path_graph([1.0])])
    assert read_saved_list(floats).task == Values(("target 0",))
    assert read_saved_list(floats, task="classes").task == Classes((0.0, 1.0))
    whole = saved(tmp_path, [path_graph([3]), path_graph([7])])
    values = read_saved_list(whole, task="values")
    assert values.graphs.y.tolist() == [[3.0], [7.0]] and not values.graphs.has_classes
    many = saved(tmp_path, [path_graph([[0.0, float("nan"), 1.0]]), path_graph([[1.0, 1.0, 0.0]])])
    assert isinstance(read_saved_list(many).task, Labels)


def test_new_graphs_are_read_alike(tmp_path: Path) -> None:
    def coded(codes: list[int], y: list[int] | None) -> Data:
        more = {} if y is None else {"y": torch.tensor(y)}
        return Data(x=torch.tensor(codes).unsqueeze(1), edge_index=EDGES, **more)

    before = read_saved_list(
        saved(tmp_path, [coded([0, 1, 4], [0]), coded([0, 0, 2], [1])]), encode="one-hot"
    )
    assert before.graphs.num_features == 5
    found = read_saved_list(saved(tmp_path, [coded([1, 1, 2], None)]), like=before.reading)
    assert found.graphs.num_features == 5 and found.graphs.num_classes == 0
    assert found.task == Classes((0, 1))
    one = read_saved_list(saved(tmp_path, [coded([1, 1, 2], [1])]), like=before.reading)
    assert one.graphs.y.tolist() == [[0.0, 1.0]]
    with pytest.raises(SmixupError, match=r"graphs.pt: 'x' holds 9 in column 0"):
        read_saved_list(saved(tmp_path, [coded([9, 1, 2], [1])]), like=before.reading)
    with pytest.raises(SmixupError, match=r"graphs.pt: '2' of graph 0 is none of the classes 0, 1"):
        read_saved_list(saved(tmp_path, [coded([1, 1, 2], [2])]), like=before.reading)


class Planted:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return (exec, (f"open({str(self.mark)!r}, 'w').close()",))


@pytest.mark.parametrize("how", ["in the list", "alone", "plain", "in a graph", "in the archive"])
def test_a_planted_pickle_is_refused_and_not_executed(how: str, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    evil = Planted(mark)
    path = tmp_path / "graphs.pt"
    if how == "plain":
        path.write_bytes(pickle.dumps(evil))
    elif how == "in the archive":
        saved(tmp_path, [path_graph([0])])
        content = {
            each: zipfile.ZipFile(path).read(each) for each in zipfile.ZipFile(path).namelist()
        }
        with zipfile.ZipFile(path, "w") as archive:
            for name, part in content.items():
                archive.writestr(name, pickle.dumps(evil, 2) if name.endswith("data.pkl") else part)
    else:
        whole = {"in the list": [path_graph([0]), evil], "alone": evil}
        saved(tmp_path, whole.get(how, [path_graph([0], extra=evil)]))
    with pytest.raises(
        SmixupError, match=r"graphs.pt (holds '.*exec'|is no file that torch.save wrote)"
    ):
        read_saved_list(path)
    assert not mark.exists()
    with path.open("rb") as file:  # that it would have done harm
        pickle.loads(file.read()) if how == "plain" else torch.load(file, weights_only=False)
    assert mark.exists()


def test_what_others_allow_is_not_allowed_here(tmp_path: Path) -> None:
    torch.serialization.add_safe_globals([Path])
    before = set(map(str, torch.serialization.get_safe_globals()))
    with pytest.raises(SmixupError, match="which is neither a tensor nor a graph"):
        read_saved_list(saved(tmp_path, [Path("x")]))
    assert set(map(str, torch.serialization.get_safe_globals())) == before


def state() -> dict[str, Any]:
    return torch.nn.Linear(2, 2).state_dict()


BROKEN = {
    "weights of a model": (state, "graphs.pt holds a dictionary, as the weights of a model are"),
    "nothing": (list, "graphs.pt holds an empty list"),
    "a tensor": (lambda: torch.ones(2), "graphs.pt holds a Tensor and no list of graphs"),
    "one graph": (lambda: path_graph([0]), "graphs.pt holds a Data and no list of graphs"),
    "tensors": (lambda: [torch.ones(2)], "number 0 of the list in graphs.pt is a Tensor"),
    "a number among graphs": (lambda: [path_graph([0]), 3], "number 1 of the list .* is a int"),
    "several kinds of nodes": (
        lambda: [HeteroData()],
        "'torch_geometric.data.hetero_data.HeteroData'",
    ),
    "a batch": (
        lambda: Batch.from_data_list([path_graph([0])]),
        "graphs.pt holds 'torch_geometric.data.batch",
    ),
    "no targets": (lambda: [path_graph(None)], "graphs.pt: there are no targets: give every Data"),
    "codes": (
        lambda: [Data(x=torch.tensor([[5], [7]]), edge_index=EDGES[:, :2], y=torch.tensor([0]))],
        "graphs.pt: 'x' holds integers from 5 to 7",
    ),
    "no edges": (lambda: [Data(x=torch.ones(2, 1), y=torch.tensor([0]))], "have no edge_index"),
    "no end": (
        lambda: [Data(x=torch.tensor([[1e39]], dtype=torch.float64), edge_index=EDGES[:, :0], y=0)],
        "x of graph 0 holds a number that is not finite in single precision",
    ),
    "complex numbers": (
        lambda: [Data(x=torch.tensor([[1j]]), edge_index=EDGES[:, :0], y=0)],
        "x of graph 0 is complex, where real numbers are needed",
    ),
    "gaps in features": (
        lambda: [Data(x=torch.tensor([[torch.nan]]), edge_index=EDGES[:, :0], y=0)],
        "x of graph 0 holds a number that is not finite in single precision",
    ),
    "a weight without end": (
        lambda: [path_graph([0], edge_weight=torch.tensor([1.0, 1.0, torch.inf, 1.0]))],
        "edge_weight of graph 0 holds a number that is not finite .* in row 2",
    ),
    "a further field of edges without end": (
        lambda: [path_graph([0], time=torch.full((4,), 1e39, dtype=torch.float64))],
        "the edge attribute 'time' holds numbers that are not finite in single precision",
    ),
    "a further field of edges that is complex": (
        lambda: [path_graph([0], wave=torch.full((4,), 1j))],
        "the edge attribute 'wave' is complex, where real numbers are needed",
    ),
    "fewer nodes than none": (lambda: [path_graph([0], num_nodes=-3)], "has -3 nodes"),
    "half a node": (lambda: [path_graph([0], num_nodes=2.5)], "has 2.5 nodes"),
    "nothing joined": (lambda: (Data(), {}, None), "holds no graphs that PyG joined"),
    "parts that differ": (
        lambda: (
            path_graph([0, 1]),
            {"x": torch.tensor([0, 1, 3]), "y": torch.tensor([0, 2])},
            None,
        ),
        "its parts tell of different numbers of graphs",
    ),
    "parts of nothing": (
        lambda: (path_graph([0, 1]), {"z": torch.tensor([0, 1, 3])}, None),
        "graphs of which no set can be made",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_lists_are_refused_by_one_sentence(case: str, tmp_path: Path) -> None:
    made, told = BROKEN[case]
    with pytest.raises(SmixupError, match=told):
        read_saved_list(saved(tmp_path, made()))


def test_a_flipped_byte_in_a_part_is_noticed(tmp_path: Path) -> None:
    path = saved(tmp_path, [path_graph([k % 2]) for k in range(4)])
    with zipfile.ZipFile(path) as packed:
        entry = max(packed.infolist(), key=lambda each: each.file_size)
    content = bytearray(path.read_bytes())
    content[entry.header_offset + 200] ^= 1  # behind its name, in what it holds
    path.write_bytes(content)
    with pytest.raises(SmixupError, match=r"graphs\.pt is damaged"):
        read_saved_list(path)


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "graphs.pt"
    path.write_text("no pickle")
    with pytest.raises(SmixupError, match=r"graphs.pt"):
        read_saved_list(path)
    buffer = io.BytesIO()
    torch.save([path_graph([0])], buffer)
    path.write_bytes(buffer.getvalue()[:300])
    with pytest.raises(SmixupError, match=r"graphs.pt (cannot be read|is no file|is damaged)"):
        read_saved_list(path)
    path.write_bytes(b"")
    with pytest.raises(SmixupError, match=r"graphs.pt"):
        read_saved_list(path)


def test_an_entry_that_says_that_it_is_a_folder_is_noticed(tmp_path: Path) -> None:
    """Torch reads its numbers from memory that was never written to."""
    path = saved(tmp_path, [path_graph([k % 2]) for k in range(4)])
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(b"/data/0"))
    content[entry + 38] |= 0x10  # the attributes of the entry
    path.write_bytes(content)
    with pytest.raises(SmixupError, match=r"graphs\.pt is damaged \(.*data/0 says .* a folder\)"):
        read_saved_list(path)
