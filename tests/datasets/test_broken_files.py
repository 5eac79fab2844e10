"""Files that are broken in every way that was met: never a traceback, one sentence, and the place.

Files of a case are written into a folder, and the folder is loaded, or a file in it if there is one
alone. The words are what the sentence must hold: where it is, not how it is said.
"""

from __future__ import annotations

import gzip
import io
import pickle
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData

from smixup.datasets import import_archive, load_dataset
from smixup.errors import SmixupError

Files = Mapping[str, str | bytes]
Case = tuple[str, Files, dict[str, Any]]

E = "graph,source,target,weight,bond\ng2,c,a,2.0,x\ng1,b,a,0.5,y\ng1,b,c,-1,x\ng2,a,d,1,x\n"
G = "graph,label,lab\ng1,ring,p\ng2,star,q\n"
N = "graph,node,size\ng2,d,1\ng1,b,5\ng1,a,2\ng2,a,3\ng1,c,4\ng2,c,9\n"


def tables(words: str, edges: str | bytes = E, graphs: str | None = G, **more: Any) -> Case:
    """Tables of edges, and options, of which the target is `label` unless others are given."""
    nodes = {"nodes.csv": more.pop("nodes")} if "nodes" in more else {}
    labels = {} if graphs is None else {"graphs.csv": graphs}
    return words, {"edges.csv": edges, **labels, **nodes}, more or {"target": "label"}


EDGE_LISTS = [
    tables("row 5 of edges.csv.*'g9'", E + "g9,a,b,1,x\n"),
    tables("column of edges.csv 'target'", "graph,source\ng1,a\n"),
    tables("'heavy' at row 2", E.replace("0.5", "heavy")),
    tables("'1e39' at row 2", E.replace("0.5", "1e39")),
    tables("rows 2 and 5 of edges.csv", E + "g1,b,a,1,x\n"),
    tables("edges.csv .* Row #5: Expected 5 columns, got 2", E + "g1,a\n"),
    tables("'size' is 'x' at row 3 of nodes.csv", nodes=N.replace("g1,a,2", "g1,a,x")),
    tables("'size' is missing at row 3 of nodes.csv", nodes=N.replace("g1,a,2", "g1,a,")),
    tables("row 3 of edges.csv.*'c'", nodes=N.replace("g1,c,4\n", "")),
    tables("rows 3 and 7 of nodes.csv", nodes=N + "g1,a,1\n"),
    tables("nodes.csv .* 'g3'", graphs=G + "g3,ring,p\n", nodes=N),
    tables("row 7 of nodes.csv", nodes=N + "g7,a,1\n"),
    tables("graphs.csv .* rows 1 and 3", graphs=G + "g1,ring,p\n"),
    tables("graphs.csv: row 2", graphs=G.replace("star", "")),
    tables("as edges.csv", graphs=None),
    tables("column of graphs.csv 'colour'. Known: lab, label", target="colour"),
    tables("ends must be two names", ends="source"),
    tables("no option 'densty'", densty=1),
    ("several kinds", {"edges.csv": E, "a.graphml": ""}, {}),
    ("graphs.csv and labels.csv", {"edges.csv": E, "graphs.csv": G, "labels.csv": G}, {}),
]

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="c" for="node" attr.name="colour" attr.type="string"><default>blue</default></key>
  <graph edgedefault="undirected">
"""
WHOLE = "</graph></graphml>"


def xml(words: str, text: str, whole: bool = True, type: str = "string") -> Case:
    head = HEAD.replace("string", type)
    head = head if type == "string" else head.replace("<default>blue</default>", "")
    return words, {"a.graphml": head + text + WHOLE if whole else text}, {}


def labelled(words: str, table: str | None) -> Case:
    files = dict.fromkeys(["a.graphml", "b.graphml"], HEAD + '<node id="a"/>' + WHOLE)
    return words, files if table is None else files | {"labels.csv": table}, {}


ELSEWHERE = '\n<!DOCTYPE x [<!ENTITY b SYSTEM "/etc/passwd">]><graphml/>'
TYPED = '<node id="%s"><data key="c">%s</data></node>'
GRAPHML = [
    xml("a.graphml cannot be read.*line 1", "<graphml", False),
    xml("no element found: line 5", HEAD, False),
    xml("a.graphml.*has a document type", ELSEWHERE, False),
    xml("holds 2 graphs", '<node id="a"/></graph><graph edgedefault="undirected">'),
    xml("a.graphml is empty", ""),
    xml("2 nodes with the id 'a'", '<node id="a"/><node id="a"/>'),
    xml("0 nodes with the id 'z'", '<node id="a"/><edge source="a" target="z"/>'),
    xml("hyperedge", "<hyperedge/>"),
    xml("float: 'wide'", TYPED % ("a", "wide"), type="double"),
    xml("'colour' is missing at node 'n7'", TYPED % ("n7", "nan"), type="double"),
    xml("'colour' is missing at node 'n'", '<node id="n"/>' + TYPED % ("b", "1"), type="double"),
    labelled("no row for 'b.graphml'", "file,y\na,0\n"),
    labelled("labels.csv names 'c'", "file,y\na,0\nb,1\nc,0\n"),
    labelled("'a' in rows 1 and 2", "file,y\na,0\na,1\n"),
    labelled("labels.csv: row 2", "file,y\na,0\nb,\n"),
    labelled("labels.csv has, besides .file., the columns none", "file\na\nb\n"),
    labelled("no targets: put a table labels.csv", None),
]


def npz(words: str, **changes: Any) -> Case:
    """A stack of matrices with changed arrays, and options."""
    options = {name: value for name, value in changes.items() if name in OPTIONS}
    stack = np.random.default_rng(0).normal(size=(2, 5, 5))
    arrays = {"a": stack + stack.transpose(0, 2, 1), "y": np.arange(2)} | changes
    kept = {name: own for name, own in arrays.items() if name not in OPTIONS and own is not None}
    stream = io.BytesIO()
    np.savez(stream, **kept)
    return words, {"a.npz": stream.getvalue()}, options


def texts(words: str, first: str, second: str = "") -> Case:
    return words, {"a.csv": first, "b.csv": second or first, "labels.csv": "file,y\na,0\nb,1\n"}, {}


OPTIONS = ("density", "threshold", "features", "sign")
NAN = np.where(np.arange(50).reshape(2, 5, 5) == 38, np.nan, 1.0)
MATRICES = [
    npz("matrix 1 .* not finite .*2, 3", a=NAN),
    npz(r"a \[2, 3, 4\], y \[2\]", a=np.ones((2, 3, 4))),
    npz("one array .graphs, nodes", b=np.ones((2, 5, 5))),
    npz("y has 3 targets, but there are 2 graphs", y=np.arange(3)),
    npz("names must be of 2 graphs, not 1", names=np.array(["a"])),
    npz("matrix 0 holds complex128", a=np.ones((2, 2, 2), complex)),
    npz("one graph at least", a=np.ones((0, 2, 2)), y=np.arange(0)),
    npz("kept by threshold or by density, not both", density=0.1, threshold=0.1),
    npz("features must be profile or region or none", features="row"),
    npz("needs an array x", features="given"),
    npz("threshold=70 leaves no edge", threshold=70),
    npz("no targets: put a table labels.csv", y=None),
    npz("a.npz .* Python objects", y=np.array([Path("x"), None], object)),
    ("a.npy .* Python objects", {"a.npy": pickle.dumps([1])}, {}),
    ("a.npy .*: No data left", {"a.npy": ""}, {}),
    ("a.npz cannot be read", {"a.npz": "PK.."}, {}),
    texts("b.csv .*: In column 2: Row #1", "0,1\n1,0\n", "0,\n1,0\n"),
    texts("a.csv .*column 1: Row #2: .* 'x'", "1,0.5\nx,1\n0,0\n"),
    texts("a.csv .* Row #2: Expected 3", "1,2,3\n1,2\n1,2,3\n"),
    texts("a.csv", "\n"),
    texts(r"a.csv .*\[3, 2\]", "1,2\n3,4\n5,6\n"),
    texts("b.csv names other columns", ",l,r\nl,1,2\nr,2,1\n", ",r,l\nr,1,2\nl,2,1\n"),
]

ENDS = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


class Planted:
    def __reduce__(self) -> Any:
        return exec, ("raise ZeroDivisionError",)


def data(**fields: Any) -> Data:
    fields = {"x": torch.rand(3, 2), "edge_index": ENDS, "y": torch.tensor([0])} | fields
    return Data(**{key: value for key, value in fields.items() if value is not None})


def saved(words: str, value: Any, length: int | None = None) -> Case:
    stream = io.BytesIO()
    torch.save(value, stream)
    return words, {"graphs.pt": stream.getvalue()[:length]}, {}


SAVED = [
    saved("a .*ict and no list", torch.nn.Linear(2, 2).state_dict()),
    saved("graph 1 is a int", [data(), 3]),
    saved("graphs.pt holds '.*Storage'", [HeteroData()]),
    saved("graphs.pt holds 'torch_geometric.data.ba", Batch.from_data_list([data()])),
    saved("no targets: give every Data", [data(y=None)]),
    saved("'x' holds integers from 5 to 7", [data(x=torch.tensor([[5], [7], [5]]))]),
    saved("have no edge_index", [data(edge_index=None)]),
    saved("graph 1 .*at another", [data(), data(edge_index=ENDS + 1)]),
    saved("edge_index must be whole", [data(), data(edge_index=ENDS.float())]),
    saved("x of graph 0 .*finite", [data(x=torch.ones(3, 2).double() * 1e39)]),
    saved("cannot be joined", [data(), data(x=torch.rand(3, 3))]),
    saved("edge_weight of graph 0 .*finite", [data(edge_weight=torch.full((4,), torch.inf))]),
    saved("edge_weight has the shape .3.", [data(edge_weight=torch.ones(3))]),
    saved("target of graph 0 is infinite", [data(y=torch.tensor([torch.inf]))]),
    saved("graphs.pt holds '.*exec'", [data(), Planted()]),
    saved("graphs.pt holds '.*exec'", [data(extra=Planted())]),
    saved("graphs.pt", [data()], 300),
    ("graphs.pt", {"graphs.pt": "no pickle"}, {}),
]


def table(words: str, text: str | bytes = "", **options: Any) -> Case:
    return words, {"m.csv": text or FULL}, options


FULL = "name,smiles,active,logp\nethanol,CCO,0,-0.31\nmethane,C,1,\nbenzene,c1ccccc1,1,2.13\n"
TABLES = [
    table("known to hold SMILES among a, b", "a,b\nC,1\n"),
    table("several columns that may hold SMILES", "smiles,mol,y\nC,C,1\n"),
    table("Did you mean 'smiles'", smiles="smile"),
    table("columns name, active, logp: say which"),
    table("Did you mean 'active'", target="act_ive"),
    table("column of m.csv 'smiles'", target="smiles"),
    table("the columns none: say which", "smiles\nC\n"),
    table("m.csv has no rows", "smiles,y\n"),
    table("2 of 3 rows .*row 2 'C1CC', row 3 ''", "smiles,y\nC,0\nC1CC,1\n,1\n"),
    table("row 2 of column 'y' has no class", "smiles,y\nC,a\nCC,\n"),
    table("'ethanol'", target="active,name"),
    table("'-0.31' in row 1", target="logp", task="labels"),
    table("unknown kind of target", target="active", task="klasses"),
    table("invalid must be refuse or", target="active", invalid="drop"),
    table("m.csv is empty", "\n"),
    table("m.csv .*Row #1: Expected 2", "smiles,y\nC,1,2\n"),
    table("row 2 ''", "smiles,y\nC,1\n\nC,2\n"),
    table("2 columns 'y'", "y,smiles,y\n1,C,2\n"),
    table("m.csv is not closed", 'smiles,y\nC,1\nC,"2\n'),
    table("m.csv is no text", b"PK\x03\x04\x14\x00\xff"),
    ("m.csv.gz .*: Not a gzipped", {"m.csv.gz": "smiles,y\nC,1\n"}, {}),
    ("m.csv.gz", {"m.csv.gz": gzip.compress(b"smiles,y\nC,1\n" * 99)[:40]}, {}),
    ("m.parquet cannot be read", {"m.parquet": "a,b\n1,2\n"}, {}),
]
KINDS = {
    "edge list": EDGE_LISTS,
    "graphml": GRAPHML,
    "matrices": MATRICES,
    "saved list": SAVED,
    "table": TABLES,
}


def refusal(call: Callable[[], object], words: str) -> str:
    """Return what is wrong with the answer to a broken file, nothing if it is one fine sentence."""
    try:
        call()
    except SmixupError as error:
        sentence = str(error)
        fine = re.search(words, sentence) and sentence.isprintable() and len(sentence) < 1500
        return "" if fine else f"{words!r} is not said: {sentence}"
    return f"{words!r} is not said: it is accepted"


@pytest.mark.parametrize("kind", KINDS)
def test_broken_files_are_refused_by_one_sentence_with_the_place(kind: str, tmp_path: Path) -> None:
    wrong = []
    for number, (words, files, options) in enumerate(KINDS[kind]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        path = folder / next(iter(files)) if len(files) == 1 else folder
        wrong.append(refusal(lambda path=path, own=options: load_dataset(path, **own), words))
        assert {each.name for each in folder.iterdir()} == {*files}, "something was left behind"
    assert not [told for told in wrong if told], "\n".join(wrong)


TU: dict[str, tuple[dict[str, str | None], str]] = {
    "graph_labels is missing": (
        {"graph_labels": None},
        "TINY_graph_labels.txt cannot",
    ),
    "graph_indicator is missing": (
        {"graph_indicator": None},
        "TINY_graph_indicator.txt cannot",
    ),
    "too few labels": ({"graph_labels": "1\n0\n"}, "TINY_graph_labels.txt has 2 lines .* 3"),
    "node labels": ({"node_labels": "1\n1\n"}, "TINY_node_labels.txt has 2 lines .* 6"),
    "node attributes": (
        {"node_labels": None, "node_attributes": "1.5\n" * 7},
        "TINY_node_attributes.txt has 7 lines",
    ),
    "graph attributes": (
        {"graph_labels": None, "graph_attributes": "0.5\n"},
        "TINY_graph_attributes.txt has 1 lines",
    ),
    "no target": ({"graph_labels": None, "graph_attributes": None}, "TINY_graph_labels.txt"),
    "node seven": ({"A": "1, 2\n1, 7\n", "edge_labels": None}, "outside 1 to 6 in line 2"),
    "crossing": ({"A": "1, 2\n1, 4\n", "edge_labels": None}, "two different graphs in line 2"),
    "words": ({"A": "1, 2\none, two\n"}, "TINY_A.txt .*column 1: Row #2"),
    "cut off": ({"A": "1, 2\n2\n"}, "TINY_A.txt .*Row #2"),
    "a gap": ({"graph_indicator": "1\n1\n1\n3\n3\n4\n"}, "without gaps"),
    "empty": ({"graph_indicator": ""}, "in order"),
    "beyond single": (
        {"node_labels": None, "node_attributes": "1e39\n" * 6},
        "finite in single precision in line 1",
    ),
    "real classes": ({"graph_labels": "1\n2.5\n1\n"}, "TINY_graph_labels.txt .*Row #2"),
    "one-hot of billions": ({"node_labels": "30000000000000\n6\n4\n4\n5\n6\n"}, "one-hot needs"),
}
OGB: dict[str, tuple[dict[str, str | None], str]] = {
    "a file is missing": ({"split/scaffold/test": None}, "test.csv.gz cannot be read: No such"),
    "another dataset": (
        {"mapping/mol": "p_np,smiles,mol_id\n"},
        "mol.csv.gz has 0 lines",
    ),
    "label values": ({"raw/graph-label": "0\n1\n2\n"}, "neither zero nor one in line 3"),
    "atoms": ({"raw/node-feat": "5,0,4,5,3,0,2,0,1\n"}, "node-feat.csv.gz has 1 lines"),
    "atom values": ({"raw/node-feat": "5,0,4,5,3,0,2,0,2\n" * 6}, "OGB does not define"),
    "bonds": ({"raw/edge": "0,1\n"}, "edge.csv.gz has 1 lines"),
    "bond values": (
        {"raw/edge-feat": "0,6,0\n" * 3},
        "edge-feat.csv.gz holds what OGB",
    ),
    "molecules": ({"mapping/mol": "HIV_active,smiles,mol_id\n0,C,\n"}, "mol.csv.gz has 1 lines"),
    "ends": (
        {"raw/edge": "0,1\n1,3\n0,1\n"},
        "edge.csv.gz holds what OGB .* in line 2",
    ),
    "split twice": ({"split/scaffold/test": "1\n0\n"}, "exactly once"),
}


@pytest.mark.parametrize(("publisher", "cases"), [("tu", TU), ("ogb", OGB)], ids=["tu", "ogb"])
def test_archives_that_do_not_go_together_are_not_imported(
    publisher: str,
    cases: dict[str, tuple[dict[str, str | None], str]],
    write_published: Callable[..., Path],
    tmp_path: Path,
) -> None:
    wrong, root = {}, tmp_path / "root"
    for number, (name, (changes, words)) in enumerate(cases.items()):
        folder = write_published(publisher, tmp_path / str(number) / "hiv", changes)
        words = f"was not imported: .*{words}"
        wrong[name] = refusal(lambda folder=folder: import_archive(folder, root), words)
        assert not root.exists(), "something was left behind"
    assert not {name: told for name, told in wrong.items() if told}, "\n".join(wrong.values())
