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
Case = tuple[Files, dict[str, Any], str]

EDGES = "graph,source,target,weight,bond\ng2,c,a,2.0,x\ng1,b,a,0.5,y\ng1,b,c,-1,x\ng2,a,d,1,x\n"
GRAPHS = "graph,label,lab\ng1,ring,p\ng2,star,q\n"
NODES = "graph,node,size\ng2,d,1\ng1,b,5\ng1,a,2\ng2,a,3\ng1,c,4\ng2,c,9\n"


def edge_list(**changes: str | bytes | None) -> Files:
    tables = {"edges": EDGES, "graphs": GRAPHS} | changes
    return {f"{stem}.csv": text for stem, text in tables.items() if text is not None}


LABEL = {"target": "label"}
EDGE_LISTS: dict[str, Case] = {
    "an unknown graph": (
        edge_list(edges=EDGES + "g9,a,b,1,x\n"),
        LABEL,
        "row 5 of edges.csv.*'g9'",
    ),
    "no column": (edge_list(edges="graph,source\ng1,a\n"), LABEL, "edges.csv .* column 'target'"),
    "a weight that is none": (
        edge_list(edges=EDGES.replace("0.5", "heavy")),
        LABEL,
        "'heavy' at row 2",
    ),
    "ten as Python spells it": (
        edge_list(edges=EDGES.replace("0.5", "1_0")),
        LABEL,
        "'1_0' at row 2",
    ),
    "a weight of zero": (edge_list(edges=EDGES.replace("0.5", "0")), LABEL, "row 2 .* zero"),
    "a weight beyond single precision": (
        edge_list(edges=EDGES.replace("0.5", "1e39")),
        LABEL,
        "row 2",
    ),
    "an edge twice": (edge_list(edges=EDGES + "g1,b,a,1,x\n"), LABEL, "rows 2 and 5 of edges.csv"),
    "an edge and back": (edge_list(edges=EDGES + "g1,a,b,1,x\n"), LABEL, "rows 2 and 5.*directed"),
    "a short row": (edge_list(edges=EDGES + "g1,a\n"), LABEL, "edges.csv has 2 cells in row 5"),
    "an open quote": (edge_list(edges=EDGES + 'g1,"a,b,1,x\n'), LABEL, "edges.csv"),
    "an empty row": (edge_list(edges=EDGES.replace("g1,b,c", "\ng1,b,c")), LABEL, "row 3 of edges"),
    "a CR inside": (
        edge_list(edges=EDGES.replace("g1,b,c", "g1,b\r,c")),
        LABEL,
        "row 3",
    ),
    "no text": (edge_list(edges=EDGES + "g1,\0,b,1,x\n"), LABEL, "edges.csv is no text"),
    "no UTF-8": (
        edge_list(edges=EDGES.encode() + b"g1,\xff,b,1,x\n"),
        LABEL,
        "edges.csv is no text in UTF-8 in line 6",
    ),
    "a number among words": (
        edge_list(nodes=NODES.replace("g1,a,2", "g1,a,x")),
        LABEL,
        "'size' is 'x' at row 3 of nodes.csv",
    ),
    "a gap among numbers": (edge_list(nodes=NODES.replace("g1,a,2", "g1,a,")), LABEL, "nodes.csv"),
    "an unknown node": (
        edge_list(nodes=NODES.replace("g1,c,4\n", "")),
        LABEL,
        "row 3.*'c'",
    ),
    "a node that is nearly there": (
        edge_list(nodes=NODES.replace("g2,d", "g2,D")),
        LABEL,
        "in the graph 'g2'. Did you mean 'D'",
    ),
    "a node twice": (edge_list(nodes=NODES + "g1,a,1\n"), LABEL, "rows 3 and 7 of nodes.csv"),
    "a graph without nodes": (
        edge_list(graphs=GRAPHS + "g3,ring,p\n", nodes=NODES),
        LABEL,
        "nodes.csv .* 'g3'",
    ),
    "a node of an unknown graph": (
        edge_list(nodes=NODES + "g7,a,1\n"),
        LABEL,
        "row 7 of nodes.csv",
    ),
    "a graph twice": (
        edge_list(graphs=GRAPHS + "g1,ring,p\n"),
        LABEL,
        "graphs.csv .* rows 1 and 3",
    ),
    "no class": (edge_list(graphs=GRAPHS.replace("star", "")), LABEL, "graphs.csv: row 2"),
    "two tables of targets": (edge_list(labels=GRAPHS), LABEL, "graphs.csv and labels.csv"),
    "no table of targets": (edge_list(graphs=None), LABEL, "table graphs.csv"),
    "two names nearly alike": (
        edge_list(graphs=GRAPHS.replace("g2,", "g2 ,")),
        LABEL,
        "Did you mean 'g2 '",
    ),
    "no such target": (edge_list(), {"target": "colour"}, "no column 'colour'.* label, lab"),
    "one end": (edge_list(), {"ends": "source"}, "ends must be two names"),
    "neither true nor false": (edge_list(), {"directed": "yes"}, "directed must be true or false"),
    "an unknown option": (edge_list(), {"densty": 1}, "no option 'densty'"),
    "several kinds": (edge_list() | {"a.graphml": ""}, {}, "several kinds"),
}

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="c" for="node" attr.name="colour" attr.type="string"><default>blue</default></key>
  <graph edgedefault="undirected">
"""
NUMBERS = HEAD.replace('"string"><default>blue</default>', '"double">')
TAIL = "\n  </graph>\n</graphml>\n"
XML: dict[str, tuple[str, str]] = {
    "no xml": ("<graphml", "a.graphml cannot be read.*line 1"),
    "cut off": (HEAD, "no element found: line 5"),
    "an entity bomb": ('<!DOCTYPE l [<!ENTITY a "aaa">]>\n<graphml>&a;</graphml>', "document type"),
    "a file from elsewhere": (
        '\n<!DOCTYPE x [<!ENTITY b SYSTEM "/etc/passwd">]><graphml/>',
        "document type",
    ),
    "no graph": ('<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>', "holds 0 graphs"),
    "two graphs": (
        HEAD + '<node id="a"/></graph>\n<graph edgedefault="undirected">' + TAIL,
        "holds 2 graphs",
    ),
    "no nodes": (HEAD + TAIL, "no nodes"),
    "a node twice": (HEAD + '<node id="a"/>\n<node id="a"/>' + TAIL, "the id 'a' of another"),
    "an edge to nowhere": (
        HEAD + '<node id="a"/>\n<edge source="a" target="z"/>' + TAIL,
        "an edge has the end 'z', which is no node",
    ),
    "an edge with one end": (
        HEAD + '<edge source="a"/>' + TAIL,
        "the end 'a', which is no node",
    ),
    "a hyperedge": (HEAD + "<hyperedge/>" + TAIL, "hyperedge"),
    "an unknown key": (HEAD + '<node id="a"><data key="zz">1</data></node>' + TAIL, "key zz"),
    "a word": (
        NUMBERS + '<node id="a"><data key="c">wide</data></node>' + TAIL,
        "in a, 'wide' is no number",
    ),
    "1_0": (
        NUMBERS + '\n<node id="b"><data key="c">1_0</data></node>' + TAIL,
        "in b, '1_0' is no number",
    ),
    "no end": (NUMBERS + '<node id="n7"><data key="c">nan</data></node>' + TAIL, "node 'n7'"),
    "a gap": (
        HEAD.replace("<default>blue</default>", "")
        + '<node id="n7"/><node id="b"><data key="c">red</data></node>'
        + TAIL,
        "'colour' is missing at node 'n7'",
    ),
}
WHOLE = HEAD + '<node id="a"/>' + TAIL
FOLDER = {"a.graphml": WHOLE, "b.graphml": WHOLE}
LABELS: dict[str, tuple[str, str]] = {
    "a file without row": ("file,y\na,0\n", "no row for 'b.graphml'"),
    "a row without file": ("file,y\na,0\nb,1\nc,0\n", "row 3 of labels.csv names 'c'"),
    "a row twice": ("file,y\na,0\na,1\n", "'a' in rows 1 and 2"),
    "no class in a row": ("file,y\na,0\nb,\n", "labels.csv: row 2"),
    "no targets at all": ("file\na\nb\n", "labels.csv has no column"),
}
GRAPHML: dict[str, Case] = {
    **{name: ({"a.graphml": text}, {}, words) for name, (text, words) in XML.items()},
    **{name: (FOLDER | {"labels.csv": text}, {}, words) for name, (text, words) in LABELS.items()},
    "no table": (FOLDER, {}, "no targets: put a table labels.csv"),
}


def npz(**arrays: Any) -> Files:
    stream = io.BytesIO()
    stack = np.random.default_rng(0).normal(size=(2, 5, 5))
    arrays = {"a": stack + stack.transpose(0, 2, 1), "y": np.arange(2)} | arrays
    np.savez(stream, **{name: array for name, array in arrays.items() if array is not None})
    return {"a.npz": stream.getvalue()}


def with_nan() -> np.ndarray:
    stack = np.ones((2, 5, 5))
    stack[1, 2, 3] = np.nan
    return stack


def texts(text: str) -> Files:
    return {"a.csv": text, "b.csv": text, "labels.csv": "file,y\na,0\nb,1\n"}


MATRICES: dict[str, Case] = {
    "a number that is none": (npz(a=with_nan()), {}, "matrix 1 holds nan in row 3, column 4"),
    "not square": (npz(a=np.ones((2, 3, 4))), {}, r"a \[2, 3, 4\], y \[2\]"),
    "no stack": (npz(a=np.ones((3, 3))), {}, r"a \[3, 3\], y \[2\]"),
    "several stacks": (npz(b=np.ones((2, 5, 5))), {}, "by the option array"),
    "along the last axis": (npz(a=np.ones((5, 5, 2))), {}, r"np\.moveaxis\(a, -1, 0\)"),
    "an array that is not there": (npz(), {"array": "z"}, "no array 'z'; it has a, y"),
    "too few targets": (npz(y=np.arange(3)), {}, r"'y' of a.npz .*\[3\]"),
    "complex numbers": (npz(a=np.ones((2, 2, 2), complex)), {}, "matrix 0 holds complex128 of"),
    "no graphs": (npz(a=np.ones((0, 2, 2)), y=np.arange(0)), {}, "one graph at least"),
    "both rules": (npz(), {"density": 0.1, "threshold": 0.1}, "threshold and density both"),
    "a density of percents": (npz(), {"density": 10}, "density must be above 0 and at most 1"),
    "unknown features": (npz(), {"features": "row"}, "features must be profile, region, none or"),
    "features that are missing": (npz(), {"features": "given"}, "needs an array x"),
    "unknown sign": (npz(), {"sign": "both"}, "sign must be keep, absolute or positive"),
    "nothing is left": (npz(), {"threshold": 70}, "threshold=70 leaves no edge"),
    "no targets": (npz(y=None), {}, "no targets: put a table labels.csv"),
    "names of other nodes": (npz(regions=["l", "r"]), {}, "2 names of nodes, but 5 nodes"),
    "objects": (npz(y=np.array([Path("x"), None], object)), {}, "a.npz .* holds Python objects"),
    "a pickle": ({"a.npy": pickle.dumps([1])}, {}, "a.npy .* holds Python objects"),
    "nothing in it": ({"a.npy": ""}, {}, "a.npy .* it is empty"),
    "a damaged zip": ({"a.npz": "PK.."}, {}, "a.npz cannot be read"),
    "a gap in the first line": (
        texts("0,1\n1,0\n") | {"b.csv": "0,\n1,0\n"},
        {},
        "b.csv has '' in line 1, column 2",
    ),
    "a word": (texts("1,0.5\nx,1\n0,0\n"), {}, "a.csv has 'x' in line 2, column 1"),
    "ten as Python writes it": (texts("1,0.5\n1_0,1\n"), {}, "'1_0' in line 2, column 1"),
    "a short line": (texts("1,2,3\n1,2\n1,2,3\n"), {}, "a.csv has 2 cells in line 2"),
    "an empty text": (texts("\n"), {}, "a.csv"),
    "a text that is not square": (texts("1,2\n3,4\n5,6\n"), {}, r"a.csv .*\[3, 2\]"),
    "several sizes": (
        texts("0,1\n1,0\n") | {"b.csv": "1\n"},
        {},
        r"b.csv holds .*\[1, 1\]",
    ),
    "other names": (
        {"a.csv": ",l,r\nl,1,2\nr,2,1\n", "b.csv": ",r,l\nr,1,2\nl,2,1\n"}
        | {"labels.csv": "file,y\na,0\nb,1\n"},
        {},
        "b.csv names other columns than a.csv",
    ),
}

ENDS = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def data(**fields: Any) -> Data:
    fields = {"x": torch.rand(3, 2), "edge_index": ENDS, "y": torch.tensor([0])} | fields
    return Data(**{key: value for key, value in fields.items() if value is not None})


def saved(value: Any) -> Files:
    stream = io.BytesIO()
    torch.save(value, stream)
    return {"graphs.pt": stream.getvalue()}


def planted() -> Any:
    class Planted:
        def __reduce__(self) -> Any:
            return exec, ("raise ZeroDivisionError",)

    return Planted()


HUGE = torch.tensor([[1e39, 1.0]] * 3, dtype=torch.float64)
LISTS: dict[str, tuple[Callable[[], Any], str]] = {
    "weights of a model": (
        lambda: torch.nn.Linear(2, 2).state_dict(),
        "a .*ict and no list",
    ),
    "nothing": (list, "a list and no list"),
    "a tensor": (lambda: torch.ones(2), "a Tensor and no list"),
    "one graph": (data, "a Data and no list"),
    "a number among graphs": (lambda: [data(), 3], "number 1 of the list .*int"),
    "several kinds of nodes": (lambda: [HeteroData()], "HeteroData'"),
    "a batch": (lambda: Batch.from_data_list([data()]), "graphs.pt holds 'torch_geometric.data.ba"),
    "no targets": (lambda: [data(y=None)], "no targets: give every Data"),
    "codes": (lambda: [data(x=torch.tensor([[5], [7], [5]]))], "'x' holds integers from 5 to 7"),
    "no edges": (lambda: [data(edge_index=None)], "have no edge_index"),
    "an end that is not there": (
        lambda: [data(), data(edge_index=ENDS + 1)],
        "graph 1 .*at another",
    ),
    "ends that are no integers": (
        lambda: [data(), data(edge_index=ENDS.float())],
        "edge_index must be whole",
    ),
    "no end": (lambda: [data(x=HUGE)], "x of graph 0 .*finite .*row 0"),
    "complex": (lambda: [data(x=torch.ones(3, 2) * 1j)], "x of graph 0 .* complex"),
    "another width": (lambda: [data(), data(x=torch.rand(3, 3))], "cannot be joined"),
    "an endless weight": (
        lambda: [data(edge_weight=torch.tensor([1.0, 1, torch.inf, 1]))],
        "edge_weight of graph 0 .*row 2",
    ),
    "too few weights": (lambda: [data(edge_weight=torch.ones(3))], "3 rows of edge_weight"),
    "half a node": (lambda: [data(num_nodes=2.5)], "has 2.5 nodes"),
    "an infinite target": (lambda: [data(y=torch.tensor([torch.inf]))], "y of graph 0"),
    "code in the list": (lambda: [data(), planted()], "graphs.pt holds '.*exec'"),
    "code in a graph": (lambda: [data(extra=planted())], "graphs.pt holds '.*exec'"),
    "another class": (lambda: [Path("x")], "neither a tensor nor a graph"),
}
SAVED: dict[str, Case] = {name: (saved(make()), {}, words) for name, (make, words) in LISTS.items()}
SAVED |= {
    "no file of torch": ({"graphs.pt": "no pickle"}, {}, "graphs.pt"),
    "cut": ({"graphs.pt": saved([data()])["graphs.pt"][:300]}, {}, "graphs.pt"),
    "a plain pickle": ({"graphs.pt": pickle.dumps([1])}, {}, "graphs.pt"),
}

TABLE = "name,smiles,active,logp\nethanol,CCO,0,-0.31\nmethane,C,1,\nbenzene,c1ccccc1,1,2.13\n"
TEXTS: dict[str, tuple[str | bytes, dict[str, Any], str]] = {
    "no SMILES": ("a,b\nC,1\n", {}, "known to hold SMILES among a, b"),
    "two SMILES": ("smiles,mol,y\nC,C,1\n", {}, "several columns that may hold SMILES"),
    "another column": (TABLE, {"smiles": "smile"}, "Did you mean 'smiles'"),
    "which target": (TABLE, {}, "columns name, active, logp: say which"),
    "no such target": (TABLE, {"target": "act_ive"}, "Did you mean 'active'"),
    "the molecules": (TABLE, {"target": "smiles"}, "no column 'smiles'"),
    "one target twice": (TABLE, {"target": "active,active"}, "'active' is named twice"),
    "no target": ("smiles\nC\n", {}, "a target is needed"),
    "no rows": ("smiles,y\n", {}, "m.csv has no rows"),
    "no molecule": ("smiles,y\nx1,1\nx2,2\n", {}, "2 of 2 rows"),
    "some molecules": ("smiles,y\nC,0\nC1CC,1\n,1\n", {}, "2 of 3 rows .*row 2 'C1CC', row 3 ''"),
    "a class is missing": ("smiles,y\nC,a\nCC,\n", {}, "row 2 of column 'y' has no class"),
    "classes in columns": (TABLE, {"target": "active,name"}, "'ethanol'"),
    "words for values": (TABLE, {"target": "name", "task": "values"}, "'ethanol' in row 1"),
    "values for labels": (TABLE, {"target": "logp", "task": "labels"}, "'-0.31' in row 1"),
    "no such task": (TABLE, {"target": "active", "task": "klasses"}, "unknown kind of target"),
    "no such metric": (TABLE, {"target": "active", "metric": "mae"}, "metric must be one of acc"),
    "invalid": (TABLE, {"target": "active", "invalid": "drop"}, "invalid must be refuse, list"),
    "names for classes": (
        "smiles,id\n" + "".join(f"C,M{i}\n" for i in range(12)),
        {},
        "12 different entries in 12 rows",
    ),
    "empty": ("", {}, "m.csv is empty"),
    "too many cells": ("smiles,y\nC,1,2\n", {}, "m.csv has 3 cells in row 1"),
    "an empty line": ("smiles,y\nC,1\n\nC,2\n", {}, "row 2 ''"),
    "one name twice": ("y,smiles,y\n1,C,2\n", {}, "2 columns 'y'"),
    "an open quote": ('smiles,y\nC,1\n"C,2\n', {}, "m.csv has 1 cells in row 2"),
    "latin-1": (
        "smiles,y\nC,2\nä,2\n".encode("latin-1"),
        {},
        "m.csv is no text .* in line 3",
    ),
    "utf-16": ("smiles,y\nC,2\n".encode("utf-16"), {}, "m.csv is no text"),
    "a workbook": (b"PK\x03\x04\x14\x00\xff", {}, "m.csv is no text"),
    "gzipped": (gzip.compress(b"a,b\n1,2\n"), {}, "m.csv is no text"),
    "parquet": (b"PAR1\0\xff", {}, "m.csv is no text"),
}
TABLES: dict[str, Case] = {
    **{name: ({"m.csv": text}, options, words) for name, (text, options, words) in TEXTS.items()},
    "no archive": (
        {"m.csv.gz": "smiles,y\nC,1\n"},
        {},
        "m.csv.gz .*: Not a gzipped",
    ),
    "a cut archive": ({"m.csv.gz": gzip.compress(b"smiles,y\nC,1\n" * 99)[:40]}, {}, "m.csv.gz"),
    "no parquet": ({"m.parquet": "a,b\n1,2\n"}, {}, "m.parquet cannot be read"),
}
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
    return "it is accepted"


@pytest.mark.parametrize("kind", KINDS)
def test_broken_files_are_refused_by_one_sentence_with_the_place(kind: str, tmp_path: Path) -> None:
    wrong = {}
    for number, (name, (files, options, words)) in enumerate(KINDS[kind].items()):
        folder = tmp_path / str(number)
        write(folder, files)
        before = sorted(folder.rglob("*"))
        path = folder / next(iter(files)) if len(files) == 1 else folder
        wrong[name] = refusal(
            lambda path=path, options=options: load_dataset(path, **options), words
        )
        assert sorted(folder.rglob("*")) == before, "something was left behind"
    assert not {name: told for name, told in wrong.items() if told}


def write(folder: Path, files: Files) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


TU: dict[str, tuple[dict[str, str | None], str]] = {
    "graph_labels is missing": ({"graph_labels": None}, "missing: TINY_graph_labels.txt"),
    "graph_indicator is missing": ({"graph_indicator": None}, "missing: TINY_graph_indicator.txt"),
    "too few labels": ({"graph_labels": "1\n0\n"}, "TINY_graph_labels.txt has 2 lines .* 3"),
    "node labels": ({"node_labels": "1\n1\n"}, "TINY_node_labels.txt has 2 lines .* 6"),
    "node attributes": ({"node_attributes": "1.5\n" * 7}, "TINY_node_attributes.txt has 7 lines"),
    "edge labels": ({"edge_labels": "1\n"}, "TINY_edge_labels.txt has 1 lines .* 8"),
    "edge labels that are none": ({"edge_labels": "a\n" * 8}, "TINY_edge_labels.txt"),
    "beyond counting": ({"edge_labels": "0\n" * 7 + "123456789\n"}, "0 to 123456789"),
    "edge attributes": ({"edge_attributes": "0.5\n"}, "TINY_edge_attributes.txt has 1 lines"),
    "graph attributes": ({"graph_attributes": "0.5\n"}, "TINY_graph_attributes.txt has 1 lines"),
    "no target": ({"graph_labels": None, "graph_attributes": None}, "TINY_graph_labels.txt"),
    "node zero": ({"A": "0, 1\n", "edge_labels": None}, "a node outside 1 to 6 in line 1"),
    "node seven": ({"A": "1, 2\n1, 7\n", "edge_labels": None}, "outside 1 to 6 in line 2"),
    "crossing": ({"A": "1, 2\n1, 4\n", "edge_labels": None}, "two different graphs in line 2"),
    "words": ({"A": "1, 2\none, two\n"}, "TINY_A.txt .*line 2, column 1"),
    "three columns": ({"A": "1, 2, 3\n"}, "TINY_A.txt has 3 columns"),
    "cut off": ({"A": "1, 2\n2\n"}, "TINY_A.txt .*line 2"),
    "a gap": ({"graph_indicator": "1\n1\n1\n3\n3\n4\n"}, "without gaps"),
    "an order": ({"graph_indicator": "1\n2\n1\n2\n2\n3\n"}, "in order"),
    "empty": ({"graph_indicator": ""}, "in order"),
    "infinite": ({"node_attributes": "1\n2\n3\n4\n5\ninf\n"}, "not finite"),
    "beyond single": ({"node_attributes": "1e39\n" * 6}, "finite in single precision.*row 1"),
    "real classes": ({"graph_labels": "1\n2.5\n1\n"}, "TINY_graph_labels.txt .*line 2"),
    "one-hot of millions": ({"node_labels": "300000000\n6\n4\n4\n5\n6\n"}, "299,999,997 places"),
    "beyond 64 bits": ({"node_labels": f"{2**64}\n6\n4\n4\n5\n6\n"}, "TINY_node_labels.txt"),
}
OGB: dict[str, tuple[dict[str, str | None], str]] = {
    "a file is missing": ({"split/scaffold/test": None}, "missing: test.csv.gz"),
    "another dataset": (
        {"mapping/mol": "p_np,smiles,mol_id\n"},
        "(another OGB dataset|not tell the set)",
    ),
    "labels": ({"raw/graph-label": "0\n1\n"}, "graph-label.csv.gz has 2 lines .* 3"),
    "label values": ({"raw/graph-label": "0\n1\n2\n"}, "zeros and ones"),
    "edge counts": ({"raw/num-edge-list": "2\n1\n"}, "num-edge-list.csv.gz has 2 lines"),
    "atoms": ({"raw/node-feat": "5,0,4,5,3,0,2,0,1\n"}, "node-feat.csv.gz has 1 lines"),
    "atom columns": ({"raw/node-feat": "5,0\n" * 6}, "node-feat.csv.gz has 2 columns"),
    "atom values": ({"raw/node-feat": "5,0,4,5,3,0,2,0,2\n" * 6}, "OGB does not define"),
    "bonds": ({"raw/edge": "0,1\n"}, "edge.csv.gz has 1 lines"),
    "bond columns": ({"raw/edge-feat": "0\n" * 3}, "edge-feat.csv.gz has 1 columns"),
    "bond values": ({"raw/edge-feat": "0,6,0\n" * 3}, "a bond value that OGB does not define"),
    "words for labels": ({"raw/graph-label": "0\n1_0\n1\n"}, "graph-label.csv.gz .*line 2"),
    "infinite": ({"raw/graph-label": "0\n1\ninf\n"}, "graph-label.csv.gz .* not finite"),
    "molecules": ({"mapping/mol": "HIV_active,smiles,mol_id\n0,C,\n"}, "mol.csv.gz has 1 lines"),
    "ends": ({"raw/edge": "0,1\n1,3\n0,1\n"}, "a node outside of its graph"),
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
        folder = write_published(publisher, tmp_path / str(number), changes)
        words = f"was not imported: .*{words}"
        wrong[name] = refusal(lambda folder=folder: import_archive(folder, root), words)
        assert not root.exists(), "something was left behind"
    assert not {name: told for name, told in wrong.items() if told}
