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
from own_files import GRAPHS, KINDS
from torch_geometric.data import Data
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app

TINY = ["--epochs", "1", "--set", "num_layers=1", "--set", "hidden_channels=4"]
COMPARED = [*TINY, "--method", "drop-edge", "--set", "num_folds=3", "--seeds", "2"]
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
    assert result.exit_code == 0, result.output
    return result


def source_of(kind: str, folder: Path, known: bool) -> str:
    """Return what to type for data of a kind; a TU set is imported first."""
    folder.mkdir()
    path = KINDS[kind](folder, known)
    if kind != "tu":
        return str(path)
    fine("data", "import", str(path))
    return "OWN"


NIGHTLY = [pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS if kind != "graphml"]


@pytest.mark.parametrize("kind", ["graphml", *NIGHTLY])
def test_from_files_to_verdict_model_and_predictions(kind: str, tmp_path: Path) -> None:
    source = source_of(kind, tmp_path / "known", True)
    options = ["--target", "kind"] if kind == "molecules" else []
    result = fine("compare", source, *options, *COMPARED, "--workers", "1", "--out", "compare.html")
    assert "drop-edge over vanilla: cannot tell yet; " in result.stdout
    assert f"{GRAPHS} graphs" in result.stdout
    page = Path("compare.html").read_text(encoding="utf-8")
    assert "<h1>Train without augmentation" in page and "--epochs 1" in page
    fine("train", source, *options, *TINY, "--out", "model")
    fine("explain", "model", "--shown", "1", "--out", "model.html")
    assert "Least sure: graph" in Path("model.html").read_text(encoding="utf-8")
    new = source if kind == "tu" else source_of(kind, tmp_path / "new", False)
    message = fine("predict", "model", new, "--out", "predictions.csv").stderr
    assert f"Predictions for {GRAPHS} graphs in predictions.csv" in message
    with Path("predictions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    classes = CLASSES.get(kind, ("ring", "star"))
    assert len(rows) == GRAPHS and {row["prediction"] for row in rows} <= set(classes)
    for row in rows:
        assert sum(float(row[f"p_{name}"]) for name in classes) == pytest.approx(1, abs=1e-4)
    if kind == "molecules":
        assert [row["name"] for row in rows] == [f"m{place}" for place in range(GRAPHS)]
    kept = {"compare.html", "model", "model.html", "predictions.csv", "runs"}
    assert {file.name for file in Path().iterdir()} == kept


def data(**fields: object) -> Data:
    usual = {"x": torch.rand(2, 1), "edge_index": torch.tensor([[0, 1], [1, 0]])}
    return Data(**(usual | {"y": torch.tensor([0])} | fields))


SMILES = "name,smiles,active\na,CCO,0\nb,C,1\nc,CC,0\nd,CCC,1\n"
HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
GRAPHML = HEAD + '<node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'
XML = {"g/a.graphml": GRAPHML, "g/b.graphml": GRAPHML, "g/labels.csv": "file,kind\na,x\nb,y\n"}
WEIGHED = "graph,source,target,weight\na,1,2,{}\nb,1,2,1\n"
LISTS = {"g/edges.csv": WEIGHED.format(1), "g/graphs.csv": "graph,label\na,x\nb,y\n"}
STACK = {"m": np.ones((4, 3, 3)), "y": [0, 1, 0, 1]}
TU = {
    "g/OWN_A.txt": "1, 2\n2, 1\n3, 4\n4, 3\n",
    "g/OWN_graph_indicator.txt": "1\n1\n2\n2\n",
    "g/OWN_graph_labels.txt": "-1\n1\n",
}
Files = dict[str, object] | str | bytes
BROKEN: list[tuple[Files, list[str], str]] = [
    ("", [], "is empty: its first line must name the columns"),
    (SMILES, [], "target=COLUMN"),
    (SMILES, ["target=actives"], "Did you mean 'active'?"),
    (SMILES.replace("CCO", "C1CC"), ["target=active"], "invalid=skip"),
    (SMILES + "e,C,1,2\n", ["target=active"], "Row #5: Expected 3 columns, got 4"),
    (SMILES, ["target=active", "size=3"], "has no option 'size'"),
    (b"smiles,y\nC\xff,1\n", [], "no text in UTF-8"),
    ("smiles;y\nC;1,5\nCC;2\nCCC;0,5\n", [], "'1,5'"),
    ({"a.csv.gz": gzip.compress(SMILES.encode())[:-12]}, ["target=active"], "cannot be read: "),
    ({"a.xlsx": b"PK"}, [], "no reader knows such files"),
    (XML | {"g/b.graphml": "<graphml>"}, [], "b.graphml"),
    (XML | {"g/labels.csv": "file,kind\na,x\n"}, [], "no row for"),
    (XML | {"g/edges.csv": LISTS["g/edges.csv"]}, [], "several kinds"),
    (LISTS | {"g/edges.csv": WEIGHED.format("heavy")}, [], "'heavy' at row 1"),
    ({"g/edges.csv": LISTS["g/edges.csv"]}, [], "graphs.csv"),
    ({"a.npz": STACK | {"m": np.full((4, 3, 3), np.nan)}}, [], "not finite"),
    ({"a.npz": STACK | {"y": np.array([{}, 1], dtype=object)}}, [], "objects are never read"),
    ({"a.pt": (Path("a"),)}, [], "a.pt"),
    ({"a.pt": [data(y=None), data(y=None)]}, [], "target"),
    ({"a.pt": [data(), data(x=torch.tensor([[1.0], [float("nan")]]))]}, [], "not finite"),
    (TU, [], "imported first: smixup data import"),
    (TU | {"g/OWN_A.txt": "1, 2\n2, 9\n"}, ["import"], "OWN_A.txt"),
    (TU | {"g/OWN_graph_labels.txt": "-1\n"}, ["import"], "graph_labels"),
]
"""More of them, without the command line: tests/datasets/test_broken_files.py."""


def written(folder: Path, content: Files) -> str:
    """Write a file, or files of a folder, and return what to type for it."""
    files = content if isinstance(content, dict) else {"molecules.csv": content}
    for name, inside in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(inside, dict):
            np.savez(path, **inside)
        elif isinstance(inside, str | bytes):
            path.write_bytes(inside if isinstance(inside, bytes) else inside.encode())
        else:
            torch.save(inside, path)
    return f"{folder}/{next(iter(files)).split('/')[0]}"


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() if file.is_file() else b"" for file in folder.rglob("*")}


def test_broken_files_are_answered_by_one_sentence(desk: Path) -> None:
    for place, (content, options, words) in enumerate(BROKEN):
        folder = Path(f"./{place}")
        source = f"./{written(folder, content)}"
        before = contents(desk.parent)
        verbs = [["data", "import"]]
        if options != ["import"]:
            settings = [word for option in options for word in ("--data", option)]
            verbs = [["data", "stats", *settings]]
            if place % 5 == 0:  # they are read in one way
                verbs += [["train", "--out", "model", *settings], ["compare", *settings]]
        for verb in verbs:
            result = smixup(*verb, source)
            assert result.exit_code in (1, 2), (content, result.output)
            (line,) = result.stderr.splitlines()
            assert line.startswith("smixup: ") and line.endswith((".", "?"))
            assert not line.startswith("smixup: unexpected") and not result.stdout
            assert re.search(words, line), line
        after = contents(desk.parent)
        assert after == before, "nothing is left behind"
