"""A newcomer's way, with files of six kinds: a verdict, a model, predictions, without any Python;
and what comes of files that are broken.
"""

from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result
from own_files import GRAPHS, KINDS
from torch_geometric.data import Data
from typer.testing import CliRunner

from smixup.app.cli.main import app

TINY = ["--epochs", "1", "--num-layers", "1", "--hidden-channels", "4"]
COMPARED = [*TINY, "--method", "drop-edge", "--num-folds", "3", "--seeds", "2", "--workers", "1"]
OPTIONS = {"molecules": ["--target", "kind"]}
CLASSES = {"saved-list": ("0", "1"), "tu": ("-1", "1")}


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a data root of its own."""
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    monkeypatch.setenv("SMIXUP_ROOT", str(tmp_path / "root"))
    return tmp_path / "desk"


def smixup(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def fine(*words: str) -> Result:
    result = smixup(*words)
    assert result.exit_code == 0, result.stderr
    return result


def given(kind: str, folder: Path, known: bool) -> str:
    """Return what to type for data of a kind; a TU set is imported first."""
    folder.mkdir()
    path = KINDS[kind](folder, known)
    if kind != "tu":
        return str(path)
    fine("data", "import", str(path))
    return "OWN"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::smixup.app.runs.data.EdgesLeftOut")
@pytest.mark.parametrize("kind", KINDS)
def test_from_files_to_verdict_model_and_predictions(kind: str, tmp_path: Path, desk: Path) -> None:
    source, options = given(kind, tmp_path / "known", True), OPTIONS.get(kind, [])
    said = fine("compare", source, *options, *COMPARED, "--out", "compare.html")
    assert "cannot tell yet whether drop-edge helps" in " ".join(said.stdout.split())
    assert f"{GRAPHS} graphs" in said.stdout
    page = Path("compare.html").read_text(encoding="utf-8")
    assert "<h1>Train without augmentation" in page
    assert "--epochs 1" in page
    fine("train", source, *options, *TINY, "--out", "model")
    new = source if kind == "tu" else given(kind, tmp_path / "new", False)
    told = fine("predict", "model", new, "--out", "predictions.csv").stderr
    assert f"Predictions for {GRAPHS} graphs in predictions.csv" in told
    with Path("predictions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    classes = CLASSES.get(kind, ("ring", "star"))
    assert len(rows) == GRAPHS
    assert {row["prediction"] for row in rows} <= set(classes)
    for row in rows:
        assert sum(float(row[f"p_{name}"]) for name in classes) == pytest.approx(1, abs=1e-4)
    if kind == "molecules":
        assert [row["name"] for row in rows] == [f"m{place}" for place in range(GRAPHS)]
    assert {each.name for each in desk.iterdir()} == {
        "compare.html",
        "model",
        "predictions.csv",
        "runs",
    }


# --- broken files

SMILES = "name,smiles,active\na,CCO,0\nb,C,1\nc,CC,0\nd,CCC,1\n"
GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    '<node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'
)
TWO = {"g/a.graphml": GRAPHML, "g/b.graphml": GRAPHML}
LABELS = {"g/labels.csv": "file,kind\na,x\nb,y\n"}
EDGES = "graph,source,target\na,1,2\nb,1,2\n"
OF_GRAPHS = {"g/graphs.csv": "graph,label\na,x\nb,y\n"}
TU = {
    "g/OWN_A.txt": "1, 2\n2, 1\n3, 4\n4, 3\n",
    "g/OWN_graph_indicator.txt": "1\n1\n2\n2\n",
    "g/OWN_graph_labels.txt": "-1\n1\n",
}
TARGET = ["--data", "target=active"]
Content = str | bytes | dict[str, object]


def written(folder: Path, content: Content, name: str) -> str:
    """Write a file, or files of a folder, and return what to type for it."""
    files: dict[str, object] = content if isinstance(content, dict) else {name: content}
    for each, inside in files.items():
        path = folder / each
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(inside, dict):
            np.savez(path, **inside)
        elif isinstance(inside, list | tuple | torch.Tensor | Data):
            torch.save(inside, path)
        else:
            path.write_bytes(inside if isinstance(inside, bytes) else str(inside).encode())
    return next(iter(files)).split("/")[0]


class Harmful:
    """Would leave a file behind if it were unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (Path("harm"),)


def data(**fields: object) -> Data:
    usual = {"x": torch.rand(2, 1), "edge_index": torch.tensor([[0, 1], [1, 0]])}
    return Data(**(usual | {"y": torch.tensor([0])} | fields))


STACK = np.ones((4, 3, 3))
BROKEN: dict[str, tuple[Content, list[str], str]] = {
    # molecules
    "no such file": ({}, [], "nothing.csv"),
    "an empty file": ("", [], "is empty: its first line must name the columns"),
    "a header alone": ("smiles,y\n", [], "has no rows behind its first line"),
    "no column of molecules": ("a,b\n1,2\n", [], "smiles=COLUMN"),
    "several columns to choose from": (SMILES, [], "target=COLUMN"),
    "a target that is not there": (SMILES, ["--data", "target=actives"], "Did you mean 'active'?"),
    "a molecule that is none": (SMILES.replace("CCO", "C1CC"), TARGET, "invalid=skip"),
    "a row with too many cells": (SMILES + "e,C,1,2\n", TARGET, "row 5 of .* has 4 cells"),
    "a quote that is not closed": (SMILES + 'e,"C,1\n', TARGET, "is a quote not closed?"),
    "bytes that are no text": (b"smiles,y\nC\xff,1\n", [], "line 2 of .* is not UTF-8"),
    "a column that stands twice": ("smiles,y,y\nC,1,2\n", [], "has 2 columns 'y': rename them"),
    "a class that is missing": (SMILES.replace("CCO,0", "CCO,"), TARGET, "row 1"),
    "a word among numbers": (
        SMILES.replace("C,1", "C,much"),
        [*TARGET, "--data", "task=values"],
        "much",
    ),
    "an option that is none": (SMILES, [*TARGET, "--data", "size=3"], "has no option 'size'"),
    "a task that is none": (SMILES, [*TARGET, "--data", "task=guess"], "target 'guess'"),
    "a gzipped file that is cut": (
        {"a.csv.gz": gzip.compress(SMILES.encode())[:-12]},
        TARGET,
        "cannot be read: ",
    ),
    "a parquet file that is none": ({"a.parquet": "PAR?"}, TARGET, "cannot be read: "),
    # GraphML
    "a file that is no XML": (TWO | LABELS | {"g/b.graphml": "<graphml>"}, [], "b.graphml"),
    "a document type": (TWO | LABELS | {"g/b.graphml": "<!DOCTYPE a>" + GRAPHML}, [], "b.graphml"),
    "an edge to a node that is not there": (
        TWO | LABELS | {"g/b.graphml": GRAPHML.replace('target="b"', 'target="z"')},
        [],
        "'z'",
    ),
    "a graph without a row": (TWO | {"g/labels.csv": "file,kind\na,x\n"}, [], "no row for"),
    "no table of targets": (TWO, [], "labels.csv"),
    "files of several kinds": (TWO | LABELS | {"g/edges.csv": EDGES}, [], "several kinds"),
    # edge lists
    "no table of graphs": ({"g/edges.csv": EDGES}, [], "graphs.csv"),
    "an edge that stands twice": (
        {"g/edges.csv": EDGES + "a,2,1\n"} | OF_GRAPHS,
        [],
        "duplicates=sum",
    ),
    "edges of a graph that is not there": ({"g/edges.csv": EDGES + "z,1,2\n"} | OF_GRAPHS, [], "z"),
    "a weight that is none": (
        {"g/edges.csv": "graph,source,target,weight\na,1,2,heavy\nb,1,2,1\n"} | OF_GRAPHS,
        [],
        "'heavy' in row 1",
    ),
    # matrices
    "a matrix that is not square": (
        {"a.npz": {"m": np.ones((4, 2, 3)), "y": [0, 1, 0, 1]}},
        [],
        r"\[2, 3\]",
    ),
    "a number that is none": (
        {"a.npz": {"m": np.where(np.eye(3) > 0, STACK, np.nan), "y": [0, 1, 0, 1]}},
        [],
        "holds nan",
    ),
    "too few targets": ({"a.npz": {"m": STACK, "y": [0, 1]}}, [], "there are 4 matrices"),
    "objects of Python": (
        {"a.npz": {"m": STACK, "y": np.array([{}, 1, 2, 3], dtype=object)}},
        [],
        "objects are never read",
    ),
    "a file of NumPy that is none": ({"a.npy": "numbers"}, [], "a.npy"),
    # saved lists
    "a pickle that would do something": ({"a.pt": (Harmful(),)}, [], "a.pt"),
    "a list of something else": ({"a.pt": [1, 2]}, [], "a.pt"),
    "graphs without targets": ({"a.pt": [data(y=None), data(y=None)]}, [], "target"),
    "an edge outside": (
        {"a.pt": [data(), data(edge_index=torch.tensor([[0], [5]]))]},
        [],
        "graph 1",
    ),
    "features of several widths": ({"a.pt": [data(), data(x=torch.rand(2, 3))]}, [], "graph 1"),
    "a value that is no number": (
        {"a.pt": [data(), data(x=torch.tensor([[1.0], [float("nan")]]))]},
        [],
        "x of graph 1 holds a number that is not finite",
    ),
}
EMPTY = GRAPHML[: GRAPHML.index("<node")] + "</graph></graphml>"
AGE = '<key id="k" for="node" attr.name="age" attr.type="int"/><graph '
SOME_AGES = GRAPHML.replace("<graph ", AGE).replace(
    '<node id="b"/>', '<node id="b"><data key="k">3</data></node>'
)
NODES = "graph,node,age\na,1,3\na,2,3\nb,1,2\nb,2,2\n"
STACKED = {"m": STACK, "y": [0, 1, 0, 1]}
TWO_SIZES = {"g/a.csv": "1,2\n2,1\n", "g/b.csv": "1,2,3\n2,1,3\n3,3,1\n"}
MORE_BROKEN: dict[str, tuple[Content, list[str], str]] = {
    # molecules
    "a mark of UTF-8 alone": (b"\xef\xbb\xbf", [], "is empty: its first line"),
    "cells parted by a bar": ("smiles|y\nC|1\nCC|0\n", [], "smiles=COLUMN"),
    "UTF-16": ("smiles,y\nC,1\nCC,0\n".encode("utf-16"), [], "save it as UTF-8"),
    "a workbook": ({"a.xlsx": b"PK"}, [], "no reader knows such files"),
    "a row with too few cells": (SMILES + "e,C\n", TARGET, "row 5 of .* has 2 cells"),
    "all of one class": (
        "name,smiles,active\n" + "".join(f"m{row},{'C' * row},0\n" for row in range(1, 13)),
        TARGET,
        "'active' is 0 in every row",
    ),
    "decimal commas": ("smiles;y\nC;1,5\nCC;2\nCCC;0,5\n", [], "such as '1,5': write decimal"),
    "an infinite value": ("smiles,y\nC,1.5\nCC,inf\nCCC,0.5\n", [], "'inf' in row 2"),
    "an empty cell for a molecule": (SMILES.replace("CCO", ""), TARGET, "row 1 ''"),
    "a metric of another task": (SMILES, [*TARGET, "--data", "metric=mae"], "metric must be one"),
    "a label of 2": (
        "smiles,a,b\nC,1,0\nCC,2,1\n",
        ["--data", "target=a,b", "--data", "task=labels"],
        "'2' in row 2 of column 'a'",
    ),
    "a target that is named twice": (SMILES, ["--data", "target=active,active"], "name it once"),
    "molecules for targets": (SMILES, ["--data", "target=smiles"], "is the column of molecules"),
    "an option without a value": (SMILES, ["--data", "target"], "name=value"),
    "no target at all": (
        "smiles,a,b\nC,,\nCC,,\n",
        ["--data", "target=a,b"],
        "no cell of 'a', 'b' holds a target",
    ),
    "names for classes": (
        "smiles,y\n" + "".join(f"{'C' * place},k{place}\n" for place in range(1, 13)),
        [],
        "too many for classes",
    ),
    "an empty parquet file": ({"a.parquet": b""}, TARGET, "cannot be read"),
    "edges for molecules": ({"a.csv": EDGES}, [], "put it into a folder as edges.csv"),
    "a gap among yes and no": (SMILES.replace("CCO,0", "CCO,"), TARGET, "say task=labels"),
    # GraphML
    "a graph without nodes": (TWO | LABELS | {"g/b.graphml": EMPTY}, [], "b.graphml has no nodes"),
    "a node that stands twice": (
        TWO | LABELS | {"g/b.graphml": GRAPHML.replace('id="a"', 'id="b"')},
        [],
        "'b' again: give every node",
    ),
    "a graph with two rows": (
        TWO | {"g/labels.csv": "file,kind\na,x\nb,y\na,y\n"},
        [],
        "rows 1 and 3",
    ),
    "a row without its graph": (
        TWO | {"g/labels.csv": "file,kind\na,x\nb,y\nc,y\n"},
        [],
        "row 3 of labels.csv names 'c'",
    ),
    "an attribute of some nodes": (
        TWO | LABELS | {"g/b.graphml": SOME_AGES},
        [],
        "'age' is missing at node 'a'",
    ),
    "one directed graph": (
        TWO | LABELS | {"g/b.graphml": GRAPHML.replace("undirected", "directed")},
        [],
        "directions=both",
    ),
    # edge lists
    "no column of graphs": (
        {"g/edges.csv": "source,target\n1,2\n"} | OF_GRAPHS,
        [],
        "has no column 'graph'",
    ),
    "an edge with one end": (
        {"g/edges.csv": "graph,source,target\na,1,2\nb,1,\n"} | OF_GRAPHS,
        [],
        "row 2 of edges.csv has nothing in column 'target'",
    ),
    "a node that no table has": (
        {"g/edges.csv": EDGES, "g/nodes.csv": NODES[: NODES.index("b,2")]} | OF_GRAPHS,
        [],
        "nodes.csv does not have in the graph 'b'",
    ),
    "an age that is missing": (
        {"g/edges.csv": EDGES, "g/nodes.csv": NODES.replace("a,2,3", "a,2,")} | OF_GRAPHS,
        [],
        "row 2 of nodes.csv has nothing in column 'age'",
    ),
    "two tables of edges": (
        {"g/edges.csv": EDGES, "g/edges.tsv": EDGES} | OF_GRAPHS,
        [],
        "say which to read by the option edges",
    ),
    "a folder with other names": ({"g/links.csv": EDGES}, [], "the folder holds links.csv"),
    # matrices
    "a single matrix": ({"a.npz": {"m": np.ones((3, 3)), "y": [0]}}, [], "one array of shape"),
    "two stacks": ({"a.npz": STACKED | {"n": STACK}}, [], "by the option array"),
    "two ways to leave edges out": (
        {"a.npz": STACKED},
        ["--data", "density=0.5", "--data", "threshold=1"],
        "threshold and density",
    ),
    "a share above one": ({"a.npz": STACKED}, ["--data", "density=2"], "density must be above 0"),
    "too few names of regions": (
        {"a.npz": STACKED | {"regions": np.array(["left"])}},
        [],
        "1 name of nodes are given for 3 nodes",
    ),
    "complex numbers": ({"a.npz": STACKED | {"m": STACK * 1j}}, [], "real numbers are needed"),
    "subjects of two sizes": (
        TWO_SIZES | {"g/labels.csv": "f,y\na,0\nb,1\n"},
        [],
        r"b.csv has the shape \[3, 3\]",
    ),
    # saved lists
    "an empty list": ({"a.pt": []}, [], "an empty list"),
    "a file of something else": ({"a.pt": b"hello"}, [], "it is no file of torch"),
    "a graph without its target": ({"a.pt": [data(), data(y=None)]}, [], "graph 1 has no y"),
    "codes for features": (
        {"a.pt": [data(x=torch.tensor([[1], [2]])), data(x=torch.tensor([[1], [2]]))]},
        [],
        "one-hot",
    ),
    "a folder of nothing": ({"g/notes.txt": "x"}, [], "the folder holds notes.txt"),
}
MOVED = {"a.npz": {"m": np.ones((3, 3, 4)), "y": [0, 1, 0, 1]}}
BOTH_WAYS = GRAPHML.replace("<edge ", '<edge directed="true" ')
NESTED = GRAPHML.replace('<node id="a"/>', '<node id="a"><graph edgedefault="undirected"/></node>')
IN_ROWS = "".join(f"{'C' * place},{place},\n" for place in range(1, 13))
STILL_MORE_BROKEN: dict[str, tuple[Content, list[str], str]] = {
    # molecules
    "a workbook that is called a.csv": ({"a.csv": b"PK\x03\x04\x14\0\xff"}, [], "as Excel files"),
    "an old workbook": ({"a.csv": b"\xd0\xcf\x11\xe0\xff"}, [], "an Excel file"),
    "gzipped without saying so": (gzip.compress(SMILES.encode()), TARGET, "end in .gz"),
    "not gzipped, and saying so": ({"a.csv.gz": SMILES}, TARGET, "a.csv.gz is not gzipped"),
    "points for thousands": ("smiles;y\nC;1.234,5\nCC;2\n", [], "such as '1.234,5'"),
    "reactions": ("smiles,y\nCC>>CO,1\nC>>N,0\n", [], "none of the 2 rows"),
    "InChI": ("smiles,y\nInChI=1S/CH4/h1H4,1\nInChI=1S/H2O/h1H2,0\n", [], "none of the 2 rows"),
    "no line of names": ("CC,1\nC,0\n", [], "smiles=COLUMN"),
    "names alone": ("smiles,y\n", [], "has no rows"),
    "a column without any target": (
        "smiles,a,y\n" + IN_ROWS,
        ["--data", "target=y"],
        "no cell of 'y' holds a target",
    ),
    "a last cell that is missing everywhere": (
        "smiles,y,z\nC,1\nCC,0\n",
        ["--data", "target=y"],
        "add those that are missing",
    ),
    # GraphML
    "a file without content": (TWO | LABELS | {"g/b.graphml": ""}, [], "b.graphml is no XML"),
    "another kind of XML": (TWO | LABELS | {"g/b.graphml": "<gexf/>"}, [], "begins with <gexf>"),
    "a directed edge among others": (
        TWO | LABELS | {"g/b.graphml": BOTH_WAYS},
        [],
        "a directed edge in an undirected graph",
    ),
    "a graph in a node": (TWO | LABELS | {"g/b.graphml": NESTED}, [], "a second graph"),
    "names in other letters": (
        TWO | {"g/labels.csv": "file,kind\na,x\nB,y\n"},
        [],
        "there it is 'B', so write both alike",
    ),
    # edge lists
    "a table for half of the graphs": (
        {"g/edges.csv": EDGES, "g/graphs.csv": "graph,label\na,x\n"},
        [],
        "add it there, or remove its rows here",
    ),
    "a blank behind a name": (
        {"g/edges.csv": EDGES, "g/graphs.csv": "graph,label\na,x\nb ,y\n"},
        [],
        "there it is 'b ', so write both alike",
    ),
    "numbers of nodes with a point": (
        {"g/edges.csv": EDGES.replace(",1,", ",1.0,"), "g/nodes.csv": NODES} | OF_GRAPHS,
        [],
        "there it is '1', so write both alike",
    ),
    "a graph of no node": (
        {"g/edges.csv": EDGES, "g/nodes.csv": NODES, "g/graphs.csv": "graph,l\na,x\nb,y\nc,y\n"},
        [],
        "has no node of the graph 'c'",
    ),
    "a weight of NaN": (
        {"g/edges.csv": "graph,source,target,weight\na,1,2,nan\nb,1,2,1\n"} | OF_GRAPHS,
        [],
        "'nan' in row 1 .* is no finite number",
    ),
    # matrices
    "a stack of NumPy without content": ({"a.npy": b""}, [], "a.npy is empty"),
    "several arrays without content": ({"a.npz": b""}, [], "a.npz is empty"),
    "matrices along the last axis": (MOVED, [], r"save np\.moveaxis"),
    "a threshold above all": ({"a.npz": STACKED}, ["--data", "threshold=9"], "leaves no edge"),
    "a stack in a stack": ({"a.npz": {"m": STACK[None], "y": [0]}}, [], "one array of shape"),
    "a gap in a matrix": (
        {"g/a.csv": "0,1\n1,0\n", "g/b.csv": "0,\n1,0\n", "g/labels.csv": "f,y\na,0\nb,1\n"},
        [],
        "'' in line 1, column 2 of b.csv is no number",
    ),
    # saved lists
    "a list without content": ({"a.pt": b""}, [], "a.pt is empty"),
    "one graph that lacks x": ({"a.pt": [data(), data(x=None)]}, [], "graph 1 has no x"),
    "one graph instead of a list": ({"a.pt": data()}, [], "a Data and no list"),
    "edges that lie the other way": (
        {"a.pt": [data(), data(edge_index=torch.tensor([[0, 1], [1, 0], [0, 1]]))]},
        [],
        r"int64 \[3, 2\]",
    ),
    "attributes of too many edges": (
        {"a.pt": [data(edge_attr=torch.rand(3, 1)), data(edge_attr=torch.rand(2, 1))]},
        [],
        "3 rows of edge_attr, and 2 edges",
    ),
    # TU
    "a TU set that is not imported": (dict(TU), [], "imported first: smixup data import ./g"),
}
OF_TU: dict[str, tuple[dict[str, str], str]] = {
    "no table of nodes": ({"g/OWN_graph_indicator.txt": ""}, "graph_indicator"),
    "a node of no graph": ({"g/OWN_A.txt": "1, 2\n2, 9\n"}, "OWN_A.txt"),
    "too few classes": ({"g/OWN_graph_labels.txt": "-1\n"}, "graph_labels"),
    "words for numbers": ({"g/OWN_graph_labels.txt": "ring\nstar\n"}, "graph_labels"),
}


def contents(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def refused(desk: Path, words: str, *typed: str) -> None:
    """Try a command, which must say one sentence and leave all as it was."""
    before = contents(desk.parent)
    result = smixup(*typed)
    lines = result.stderr.strip().splitlines()
    assert result.exit_code in (1, 2), result.stdout
    assert isinstance(result.exception, SystemExit)
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("smixup: ")
    assert lines[0].endswith((".", "?"))
    assert not lines[0].startswith("smixup: unexpected")
    assert re.search(words, lines[0]), lines[0]
    assert not result.stdout
    assert contents(desk.parent) == before, "nothing is left behind"


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_answered_by_one_sentence(case: str, desk: Path) -> None:
    content, options, words = BROKEN[case]
    source = written(desk, content, "molecules.csv") if content or content == "" else "nothing.csv"
    source = f"./{source}"
    for verb in (["data", "stats"], ["compare", "--seeds", "1"], ["train", "--out", "model"]):
        refused(desk, words, *verb, source, *options)


@pytest.mark.parametrize("case", MORE_BROKEN)
def test_more_broken_files_are_answered_by_one_sentence(case: str, desk: Path) -> None:
    content, options, words = MORE_BROKEN[case]
    source = f"./{written(desk, content, 'molecules.csv')}"
    for verb in (["data", "stats"], ["train", "--out", "model"]):
        refused(desk, words, *verb, source, *options)


@pytest.mark.parametrize("case", STILL_MORE_BROKEN)
def test_still_more_broken_files_are_answered_by_one_sentence(case: str, desk: Path) -> None:
    content, options, words = STILL_MORE_BROKEN[case]
    source = f"./{written(desk, content, 'molecules.csv')}"
    for verb in (["data", "stats"], ["train", "--out", "model"]):
        refused(desk, words, *verb, source, *options)


@pytest.mark.parametrize("case", OF_TU)
def test_broken_tu_sets_are_answered_by_one_sentence(case: str, desk: Path) -> None:
    changes, words = OF_TU[case]
    refused(desk, words, "data", "import", written(desk, dict(TU) | changes, ""))


def test_there_are_thirty_kinds_of_them() -> None:
    assert len(BROKEN) + len(OF_TU) >= 30
    assert len(MORE_BROKEN) >= 30
    assert len(STILL_MORE_BROKEN) >= 30
