"""Each reader knows its own files, and none takes what is not its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets import load_dataset
from smixup.datasets.readers.registry import READERS, RECOGNISED, reader_of
from smixup.errors import UsageError
from smixup.graphs import pack


def touched(*names: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("1,0.5\n0.5,1\n")
        return folder

    return make


KNOWN = {
    "a folder of GraphML": ("graphml", touched("a.graphml", "labels.csv")),
    "tables of edges": ("edge-list", touched("edges.csv", "graphs.csv", "nodes.csv")),
    "parquet": ("edge-list", touched("edges.parquet", "labels.csv")),
    "matrices": ("matrices", touched("sub-1.npy", "sub-2.npy", "labels.csv")),
    "matrices in text": ("matrices", touched("sub-1.csv", "sub-2.csv", "labels.csv")),
    "a stack": ("matrices", lambda folder: touched("a.npz")(folder) / "a.npz"),
    "a saved list": ("saved-list", lambda folder: touched("a.pt")(folder) / "a.pt"),
    "one GraphML file": ("graphml", lambda folder: touched("a.graphml")(folder) / "a.graphml"),
    "a table": ("smiles", lambda folder: touched("a.csv")(folder) / "a.csv"),
    "nothing": (None, touched()),
    "other files": (None, touched("a.txt", "b.json")),
    "packed graphs": (None, touched("packed.json", "x.npy", "y.npy")),
    "a TU folder": (None, touched("RINGS_A.txt", "RINGS_graph_labels.txt", "edges.csv", "a.npy")),
    "a TU dataset under a root": (None, touched("raw/RINGS_A.txt", "a.npy")),
    "a saved model": (None, touched("model.safetensors", "model.json", "predictions.npy")),
    "two tables": (None, lambda folder: _tables(folder)),
}


def _tables(folder: Path) -> Path:
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("name,age\nanna,3\n")
    return folder


@pytest.mark.parametrize("case", KNOWN)
def test_files_are_known_by_their_names(case: str, tmp_path: Path) -> None:
    reader, make = KNOWN[case]
    assert reader_of(make(tmp_path)) == reader


def test_every_reader_recognises_something() -> None:
    assert set(READERS) == set(RECOGNISED)
    assert {reader for reader, _ in KNOWN.values()} - {None} == set(READERS)


def test_a_real_packed_set_is_nobody_elses(tmp_path: Path) -> None:
    pack(load_dataset("MOTIF", num_graphs=6).graphs, tmp_path / "packed")
    assert reader_of(tmp_path / "packed") is None
    assert len(load_dataset(tmp_path / "packed").graphs) == 6


def test_a_folder_of_several_kinds_is_named(tmp_path: Path) -> None:
    folder = touched("a.graphml", "edges.csv", "b.npy")(tmp_path / "mixed")
    told = r"mixed holds files of several kinds \(edge-list, graphml, matrices\): put those of one"
    with pytest.raises(UsageError, match=told):
        reader_of(folder)
    with pytest.raises(UsageError, match=told):
        load_dataset(folder)


def test_a_dataset_is_loaded_by_its_path_and_its_options_are_checked(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("graph,source,target\na,0,1\nb,0,1\n")
    (tmp_path / "graphs.csv").write_text("graph,label,other\na,x,1\nb,y,2\n")
    found = load_dataset(tmp_path, target="label")
    assert found.name == tmp_path.name and found.graphs.labels.tolist() == [0, 1]
    with pytest.raises(UsageError, match=r"has no option 'densty'; it has edges, labels"):
        load_dataset(tmp_path, densty=1)
