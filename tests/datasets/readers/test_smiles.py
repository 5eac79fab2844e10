"""A table of SMILES becomes graphs with bonds, targets, and a word on what was read as what."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

pytest.importorskip("rdkit", reason="RDKit comes with the extra 'chem'")

from smixup.datasets import load_dataset
from smixup.datasets.packed_set import open_packed_dataset, pack_dataset
from smixup.datasets.readers.smiles import read_smiles
from smixup.errors import SmixupError, UsageError
from smixup.graphs.pyg import to_pyg
from smixup.tasks import Classes, Labels, Values

TABLE = "name,smiles,active,logp\nethanol,CCO,0,-0.31\nmethane,C,1,\nbenzene,c1ccccc1,1,2.13\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(text: str = TABLE, name: str = "molecules.csv") -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


def test_graphs_bonds_and_table(write: Callable[..., Path]) -> None:
    dataset = load_dataset(write(), target="active")
    graphs = dataset.graphs
    assert dataset.name == "molecules"
    assert graphs.ptr.tolist() == [0, 3, 4, 10]
    assert (graphs.x.shape, graphs.x.dtype) == ((10, 174), torch.uint8)
    assert (graphs.x.sum(1) == 9).all()
    assert graphs.x[:, 5].tolist() == [1, 1, 0, 1, 1, 1, 1, 1, 1, 1], "carbon, not the oxygen"
    assert graphs.adj.to_dense()[:4, :4].tolist() == [
        [0, 1, 0, 0],
        [1, 0, 1, 0],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
    ]
    assert graphs.adj.symmetric
    batch = to_pyg(graphs)
    assert batch.edge_attr.shape == (16, 13)
    single, aromatic = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1] + [0] * 6 + [1]
    assert batch.edge_attr.tolist() == [single] * 4 + [aromatic] * 12
    assert dataset.table["name"] == ("ethanol", "methane", "benzene")
    assert dataset.table["scaffold"] == ("", "", "c1ccccc1")
    assert list(dataset.table) == ["name", "smiles", "active", "logp"]


def test_what_targets_mean(write: Callable[..., Path]) -> None:
    active = read_smiles(write(), target="active")
    assert active.task == Classes((0, 1))
    assert (active.metric, active.graphs.has_classes) == ("accuracy", True)
    assert active.graphs.y.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert active.notes == ("target 'active' was read as classes 0, 1 (2 of 3 are 1).",)
    logp = read_smiles(write(), target="logp", metric="rmse")
    assert isinstance(logp.task, Values)
    assert (logp.metric, logp.graphs.has_classes) == ("rmse", False)
    assert logp.graphs.y[:, 0].isnan().tolist() == [False, True, False]
    both = read_smiles(write(), target="active, logp")
    assert isinstance(both.task, Values)
    assert both.graphs.y.shape == (3, 2)
    labels = read_smiles(write(), target="active", task="labels")
    assert isinstance(labels.task, Labels)
    assert labels.graphs.y.tolist() == [[0], [1], [1]]


def test_the_only_other_column_is_the_target(write: Callable[..., Path]) -> None:
    found = read_smiles(write("kind;SMILES\na;C\nb;CC\n"))
    assert found.task == Classes(("a", "b"))


def test_several_labels_with_gaps(write: Callable[..., Path]) -> None:
    found = read_smiles(write("smiles,a,b\nC,1,\nCC,,0\n"), target="a,b")
    assert isinstance(found.task, Labels)
    first, second = found.graphs.y.tolist()
    assert first[0] == 1
    assert math.isnan(first[1])
    assert math.isnan(second[0])
    assert found.metric == "rocauc"


def test_a_name_with_a_comma_and_one_like_a_number(write: Callable[..., Path]) -> None:
    path = write('smiles,"a,b",0\nC,1,5\nCC,0,6\n')
    assert read_smiles(path, target="a,b").task == Classes((0, 1))
    assert read_smiles(path, target=0).task == Classes((5, 6))  # type: ignore[arg-type]


def test_molecules_that_cannot_be_read(write: Callable[..., Path]) -> None:
    path = write("smiles,y\nC,0\nC1CC,1\n,1\nCC,1\nxx,0\nCCC,0\nyy,0\n")
    expected = (
        r"4 of 7 rows of molecules\.csv hold no molecule in column 'smiles': row 2 'C1CC', "
        r"row 3 '', row 5 'xx', and 1 more; .* invalid=skip"
    )
    with pytest.raises(SmixupError, match=expected):
        read_smiles(path)
    found = read_smiles(path, invalid="skip")
    assert found.table["smiles"] == ("C", "CC", "CCC")
    assert found.graphs.labels.tolist() == [0, 1, 0]
    assert found.notes[1].startswith("4 of 7 rows hold no molecule and were left out: row 2 'C1CC'")


def test_rows_keep_their_numbers_where_some_are_left_out(write: Callable[..., Path]) -> None:
    path = write("smiles,y\nxx,0\nC,0\nCC,\n")
    with pytest.raises(SmixupError, match=r"molecules\.csv: row 3 has no class in column 'y'"):
        read_smiles(path, invalid="skip")


FAULTS = {
    "no column of SMILES": ("a,b\nC,1\n", {}, r"no column that is known to hold SMILES among a, b"),
    "two of them": ("smiles,mol,y\nC,C,1\n", {}, r"several columns that may hold SMILES among smi"),
    "another": (TABLE, {"smiles": "smile"}, r"has no column 'smile'\. Did you mean 'smiles'\?"),
    "which target": (TABLE, {}, r"besides 'smiles' \(name, active, logp\): say which"),
    "no such target": (
        TABLE,
        {"target": "act_ive"},
        r"no column 'act_ive'\. Did you mean 'active'",
    ),
    "the target is SMILES": (TABLE, {"target": "smiles"}, r"'smiles' is the column of molecules"),
    "one target twice": (TABLE, {"target": "active,active"}, r"'active' is named twice"),
    "no target": ("smiles\nC\n", {}, r"no column besides 'smiles': a target is needed"),
    "no rows": ("smiles,y\n", {}, r"molecules\.csv has no rows"),
    "no molecule": ("smiles,y\nx1,1\nx2,2\n", {}, r"none of the 2 rows .*: is it another column"),
    "a class is missing": ("smiles,y\nC,a\nCC,\n", {}, r"row 2 has no class in column 'y'"),
    "classes in columns": (TABLE, {"target": "active,name"}, r"several target columns.*'ethanol'"),
    "words for values": (TABLE, {"target": "name", "task": "values"}, r"'ethanol' in row 1 of"),
    "words for labels": (TABLE, {"target": "logp", "task": "labels"}, r"'-0.31' in row 1 of"),
    "no such task": (
        TABLE,
        {"target": "active", "task": "klasses"},
        r"unknown kind of target",
    ),
    "no such metric": (TABLE, {"target": "active", "metric": "mae"}, r"metric must be one of acc"),
    "invalid": (
        TABLE,
        {"target": "active", "invalid": "drop"},
        r"invalid must be refuse, list or skip",
    ),
    "names for classes": (
        "smiles,id\n" + "".join(f"C,M{i}\n" for i in range(12)),
        {},
        r"target 'id' has 12 different entries in 12 rows",
    ),
    "a ragged row": ("smiles,y\nC\n", {}, r"row 1 of molecules\.csv has 1 cell"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(write: Callable[..., Path], fault: str) -> None:
    text, options, message = FAULTS[fault]
    with pytest.raises(SmixupError, match=message) as found:
        read_smiles(write(text), **options)
    assert "\n" not in str(found.value)


def test_an_unknown_option(write: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match=r"no option 'targets'; it has .*smiles, target, task"):
        load_dataset(write(), targets="active")


def test_new_molecules_are_read_alike(write: Callable[..., Path]) -> None:
    text = "id,Structure,y\n" + "".join(f"{i},{'C' * (i + 1)},{'abc'[i % 3]}\n" for i in range(6))
    first = read_smiles(write(text), smiles="Structure", target="y", invalid="skip")
    new = write("Structure,more,id\nCO,1,2\nxx,1,2\n", "new.csv")
    unknown = read_smiles(new, like=first.reading)
    assert unknown.task == first.task
    assert unknown.graphs.y.shape == (1, 0)
    assert unknown.notes[0] == "the targets are not known."
    assert unknown.table["more"] == ("1",)
    again = read_smiles(write("Structure,y\nC,c\nCC,a\n", "n.csv"), like=first.reading)
    assert again.graphs.y.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert again.reading == first.reading
    partly = read_smiles(write("Structure,y\nC,c\nCC,\n", "n.csv"), like=first.reading)
    assert partly.graphs.y.shape == (2, 0)
    with pytest.raises(SmixupError, match="'z' of graph 0 is none of the classes a, b, c"):
        read_smiles(write("Structure,y\nC,z\n", "n.csv"), like=first.reading)


def test_new_values_may_be_there_in_part(write: Callable[..., Path]) -> None:
    text = "smiles,a,b\nC,0.5,1\nCC,0.25,2\n"
    first = read_smiles(write(text), target="a,b", metric="r2")
    found = read_smiles(write("smiles,b\nC,3\n", "new.csv"), like=first.reading)
    assert found.metric == "r2"
    assert found.graphs.y[0, 1] == 3
    assert found.graphs.y[0, 0].isnan()


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow comes with the extra 'tables'")
    from pyarrow.parquet import write_table

    table = pa.table({"smiles": ["C", "CO", "CC"], "y": [1, 0, 1], "z": [0.5, None, 1.5]})
    write_table(table, tmp_path / "m.parquet")
    found = load_dataset(tmp_path / "m.parquet", target="y")
    assert found.graphs.labels.tolist() == [1, 0, 1]
    assert found.table["z"] == ("0.5", "", "1.5")


def test_molecules_without_a_bond(write: Callable[..., Path]) -> None:
    graphs = read_smiles(write("smiles,y\nC,0\nO,1\n")).graphs
    assert graphs.adj.to_dense().tolist() == [[0, 0], [0, 0]]
    assert to_pyg(graphs).edge_attr.shape == (0, 13)


def test_packed_and_opened_again(write: Callable[..., Path], tmp_path: Path) -> None:
    dataset = read_smiles(write(), target="active")
    pack_dataset(dataset, tmp_path / "packed")
    found = open_packed_dataset(tmp_path / "packed")
    assert found.task == dataset.task
    assert found.table == dict(dataset.table)
    assert found.table["scaffold"][2] == "c1ccccc1"
    assert found.graphs[:].fingerprint() == dataset.graphs.fingerprint()
    assert torch.equal(to_pyg(found.graphs[:]).edge_attr, to_pyg(dataset.graphs).edge_attr)
