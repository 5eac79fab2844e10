"""GraphML files with a table of targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from smixup.datasets.catalogue import load_dataset

from ..harness import Malformed, Subject
from ..mutators import Files
from ..plain_graphs import plain_graphs, single
from .smiles_tables import _text

BEGIN = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="size" attr.type="double"/>
<key id="d1" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected">
"""
ONE = (
    BEGIN
    + """<node id="a"><data key="d0">0.5</data></node>
<node id="b"><data key="d0">1.5</data></node>
<node id="c"><data key="d0">-2</data></node>
<edge source="a" target="b"><data key="d1">1.5</data></edge>
<edge source="b" target="c"><data key="d1">2</data></edge>
</graph></graphml>
"""
)
TWO = (
    BEGIN
    + """<node id="1"><data key="d0">3</data></node>
<node id="2"><data key="d0">4</data></node>
<edge source="1" target="2"><data key="d1">0.25</data></edge>
</graph></graphml>
"""
)
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
SPACE = "{http://graphml.graphdrawing.org/xmlns}"


class GraphMLFiles(Subject):
    name = "GraphML"

    def good(self) -> Sequence[Files]:
        table = {"labels.csv": b"file,kind\none,x\ntwo.graphml,y\nthree,x\n"}
        files = {"one.graphml": ONE, "two.graphml": TWO, "three.graphml": ONE.replace("0.5", "7")}
        plain = {name: text.encode() for name, text in files.items()} | table
        bomb = ONE.replace("<graphml", BOMB + "<graphml", 1).encode()
        return [plain, plain, plain, plain, plain | {"one.graphml": bomb}]

    def read(self, folder: Path) -> Any:
        dataset = load_dataset(folder, target="kind", task="classes")
        classes = [dataset.task.names[each] for each in dataset.graphs.labels.tolist()]
        return [graph[:3] for graph in plain_graphs(dataset.graphs)], classes

    def plain(self, files: Files) -> Any:
        names = sorted(name for name in files if name.endswith(".graphml"))
        if "labels.csv" not in files:
            raise Malformed("no labels")
        rows = dict(_rows(files["labels.csv"]))
        kinds = [rows.get(name, rows.get(name.removesuffix(".graphml"))) for name in names]
        return [_graph(files[name]) for name in names], kinds


def _rows(content: bytes) -> list[tuple[str, str]]:
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").replace(",,", ",")
    first, _, rest = text.partition("\n")
    delimiter = max(",;\t", key=first.count)
    names = [name.strip() for name in first.strip("\r").split(delimiter)]
    table = f"smiles,active\n{rest}".replace(delimiter, ",")
    if len(names) != 2 or names[1] != "kind":
        raise Malformed("other columns")
    return [(a, b.strip()) for a, b in _text("labels.csv", table.encode())]


def _graph(content: bytes) -> Any:
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as reason:
        raise Malformed("no XML") from reason
    keys = {
        each.get("id"): (each.get("attr.name"), each.get("attr.type"))
        for each in root.iter(f"{SPACE}key")
    }
    graph = root.find(f"{SPACE}graph")
    if graph is None or b"<!DOCTYPE" in content:
        raise Malformed("no graph")
    place: dict[str, int] = {}
    x = []
    for node in graph.findall(f"{SPACE}node"):
        place[str(node.get("id"))] = len(place)
        x.append([_value(each, keys, "size") for each in node.findall(f"{SPACE}data")])
    edges: dict[tuple[int, int], float] = {}
    for edge in graph.findall(f"{SPACE}edge"):
        i, j = (place[str(edge.get(end))] for end in ("source", "target"))
        values = [_value(each, keys, "weight") for each in edge.findall(f"{SPACE}data")]
        for pair in {(i, j), (j, i)}:
            edges[pair] = edges.get(pair, 0.0) + (values[0] if values else 1.0)
    return len(place), sorted((i, j, w) for (i, j), w in edges.items()), x


def _value(data: Any, keys: Any, name: str) -> float:
    if keys.get(data.get("key")) != (name, "double"):
        raise Malformed("another attribute")
    return single(float(data.text or ""))
