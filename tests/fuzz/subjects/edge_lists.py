"""Tables of edges, graphs and nodes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from smixup.datasets.catalogue import load_dataset

from ..harness import Malformed, Subject
from ..mutators import Files
from ..plain_graphs import plain_graphs, single

EDGES = "graph,source,target,weight\na,1,2,0.5\na,2,3,1\nb,1,2,-2\nc,10,9,1e-3\n"
GRAPHS = "graph,label\na,yes\nb,no\nc,yes\n"
NODES = "graph,node,size\na,1,0.5\na,2,1\na,3,2\nb,2,1\nb,1,7\nc,9,1\nc,10,3\n"


class EdgeLists(Subject):
    name = "edge lists"

    def good(self) -> Sequence[Files]:
        tables = {"edges.csv": EDGES, "graphs.csv": GRAPHS}
        quoted = {"edges.csv": EDGES.replace("a,", '"a",')}
        semicolons = {name: text.replace(",", ";") for name, text in tables.items()}
        every = (tables, tables | {"nodes.csv": NODES}, tables | quoted, semicolons)
        made = [{name: text.encode() for name, text in each.items()} for each in every]
        return [*made, {"edges.parquet": _as_parquet(), "graphs.csv": GRAPHS.encode()}]

    def read(self, folder: Path) -> Any:
        dataset = load_dataset(folder, target="label", task="classes")
        classes = [dataset.task.names[each] for each in dataset.graphs.labels.tolist()]
        return [graph[:3] for graph in plain_graphs(dataset.graphs)], classes

    def plain(self, files: Files) -> Any:
        edges, graphs = (_table(files, name) for name in ("edges", "graphs"))
        nodes = _table(files, "nodes") if "nodes.csv" in files else None
        names = [row["graph"] for row in graphs]
        classes = [row["label"].strip() for row in graphs]
        if len(set(names)) != len(names) or any(row["graph"] not in names for row in edges):
            raise Malformed("graphs")
        return [_graph(name, edges, nodes) for name in names], classes


def _graph(name: str, edges: Any, nodes: Any) -> Any:
    own = [row for row in edges if row["graph"] == name]
    ends = {row[end] for row in own for end in ("source", "target")}
    if nodes is None:
        every = {row[end] for row in edges for end in ("source", "target")}
        whole = all(re.fullmatch("0|[1-9][0-9]{0,17}", each) for each in every)
        order = sorted(ends, key=int if whole else str.encode) or [""]  # type: ignore[arg-type]
        extra = [
            key
            for key in (edges[0] if edges else ())
            if key not in ("graph", "source", "target", "weight")
        ]
        x: list[list[float]] = [[] for _ in order]
    else:
        rows = [row for row in nodes if row["graph"] == name]
        order = [row["node"] for row in rows]
        extra = [key for key in nodes[0] if key not in ("graph", "node")]
        x = [_features(row, extra, nodes) for row in rows]
    if len(set(order)) != len(order) or not ends <= set(order):
        raise Malformed("nodes")
    place = {node: at for at, node in enumerate(order)}
    found: dict[tuple[int, int], float] = {}
    for row in own:
        i, j = place[row["source"]], place[row["target"]]
        weight = single(_number(row.get("weight", "1")))
        for pair in {(i, j), (j, i)}:
            if pair in found:
                raise Malformed("an edge again")
            found[pair] = weight
    return len(order), sorted((i, j, w) for (i, j), w in found.items()), x


def _features(row: dict[str, str], extra: list[str], nodes: list[dict[str, str]]) -> list[float]:
    found = []
    for key in extra:
        try:
            if any(not each[key].isascii() for each in nodes):
                raise ValueError
            _ = [_number(each[key]) for each in nodes]
            found.append(single(_number(row[key])))
        except ValueError:
            values = sorted({each[key] for each in nodes})
            found += [float(row[key] == value) for value in values] + [0.0]
    return found


def _number(text: str) -> float:
    """Return a number as everybody spells it: to Python alone, 1_0 is ten."""
    return float("x" if "_" in text else text)


def _as_parquet() -> bytes:
    stream = io.BytesIO()
    columns = {"graph": ["a", "a", "b", "c"], "source": [1, 2, 1, 10], "target": [2, 3, 2, 9]}
    pq.write_table(pa.table(columns | {"weight": [0.5, 1.0, -2.0, 1e-3]}), stream)
    return stream.getvalue()


def _of_parquet(content: bytes) -> list[dict[str, str]]:
    try:
        rows = pq.read_table(io.BytesIO(content)).to_pylist()
    except Exception as reason:
        raise Malformed("parquet") from reason
    return [{key: str(cell) for key, cell in row.items()} for row in rows]


def _table(files: Files, stem: str) -> list[dict[str, str]]:
    names = [name for name in files if name in (f"{stem}.csv", f"{stem}.tsv", f"{stem}.parquet")]
    if len(names) != 1:
        raise Malformed(f"tables {stem}")
    if names[0].endswith(".parquet"):
        return _of_parquet(files[names[0]])
    try:
        text = files[names[0]].decode("utf-8-sig")
        delimiter = max(",;\t", key=text.split("\n")[0].count)
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except (UnicodeDecodeError, csv.Error) as reason:
        raise Malformed(stem) from reason
    header = [cell.strip() for cell in rows[0]]
    body = [row for row in rows[1:] if len(row) > 1 or "".join(row).strip()]
    if any(len(row) != len(header) for row in body):
        raise Malformed("ragged")
    return [{key: cell.strip(" ") for key, cell in zip(header, row, strict=True)} for row in body]
