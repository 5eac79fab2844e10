"""Text files of the TU collection: imported, loaded, and loaded again from the packed copy."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from smixup.datasets.archives import import_archive
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError

from ..harness import Malformed, Subject
from ..mutators import Files
from ..plain_graphs import plain_graphs, single

PARTS = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n6, 6\n",
    "graph_indicator": "1\n1\n1\n2\n2\n3\n",
    "graph_labels": "1\n-1\n1\n",
    "node_labels": "4\n6\n4\n4\n5\n6\n",
}
MORE = {"node_attributes": "0.5, 1\n1.5, 2\n2.5, -3\n3.5, 4e-3\n4.5, 5\n5.5, 6\n"}
EDGES = {"edge_labels": "0\n0\n1\n1\n1\n1\n0\n", "edge_attributes": "1.5\n1.5\n2\n2\n3\n3\n0\n"}
VALUES = {"graph_attributes": "0.5, 1\n1.5, 2\n2.5, 3\n"}
WHOLE = re.compile(r"[+-]?[0-9]+")
INT64 = range(-(2**63), 2**63)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def good_sets() -> list[dict[str, str]]:
    without = {name: text for name, text in PARTS.items() if name != "graph_labels"}
    return [PARTS, PARTS | MORE, PARTS | EDGES, without | VALUES, PARTS | MORE | EDGES | VALUES]


class TUFiles(Subject):
    name = "TU text"

    def good(self) -> Sequence[Files]:
        return [
            {f"T_{part}.txt": text.encode() for part, text in each.items()} for each in good_sets()
        ]

    def watched(self, folder: Path) -> Sequence[Path]:
        root = self.work / "root"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        return [root]

    def read(self, folder: Path) -> Any:
        return imported(folder, self.work / "root")

    def plain(self, files: Files) -> Any:
        return plain_tu(files)


def imported(path: Path, root: Path) -> Any:
    """Import a set; load it from its text, and from the packed copy of that, with edges and
    without.
    """
    name = import_archive(path, root)
    found = []
    edged = any((root / name / "raw" / f"{name}_{part}.txt").exists() for part in EDGES)
    for edges in (False, True) if edged else (False,):
        for _ in range(2):  # the text, then the packed copy
            try:
                found.append(_plain(tu_dataset(name, root, edges=edges)))
            except SmixupError as reason:  # an edge that is listed twice, with two labels
                assert edges, "what was imported cannot be loaded"
                assert "or leave edges=true out" in str(reason), str(reason)
    assert all(each == found[0] for each in found), "two ways of loading differ"
    return found[0]


def _plain(dataset: Any) -> Any:
    return dataset.name, plain_graphs(dataset.graphs)


def plain_tu(files: Files) -> Any:
    """Read the files of a set line by line."""
    tables = {name.rpartition("/")[2]: content for name, content in files.items()}
    marks = [name for name in tables if name.endswith("_A.txt") and not name.startswith(".")]
    if len(marks) != 1:
        raise Malformed(f"{len(marks)} sets")
    prefix = marks[0].removesuffix("_A.txt")

    def table(part: str, pattern: re.Pattern[str]) -> list[list[str]] | None:
        content = tables.get(f"{prefix}_{part}.txt")
        return None if content is None else _cells(content, pattern)

    def single_column(part: str) -> list[int]:
        rows = table(part, WHOLE)
        if rows is None or any(len(row) != 1 for row in rows):
            raise Malformed(part)
        return [int(row[0]) for row in rows]

    graph_of = single_column("graph_indicator")
    number = graph_of[-1]
    values = table("graph_attributes", NUMBER)
    y = [[single(float(cell)) for cell in row] for row in values or ()]
    if f"{prefix}_graph_labels.txt" in tables:
        labels = single_column("graph_labels")
        classes = sorted(set(labels))
        y = [[float(label == each) for each in classes] for label in labels]
    if len(y) != number or sorted(set(graph_of)) != list(range(1, number + 1)):
        raise Malformed("graphs")
    ends = table("A", WHOLE) or []
    x = _features(table("node_labels", WHOLE), table("node_attributes", NUMBER), len(graph_of))
    return prefix, _graphs(graph_of, ends, x, y)


def _graphs(graph_of: list[int], ends: list[list[str]], x: list[list[float]], y: list[Any]) -> Any:
    pairs = [(int(a) - 1, int(b) - 1) for a, b in ends]
    if any(i < 0 or j < 0 or graph_of[i] != graph_of[j] for i, j in pairs):
        raise Malformed("edges")
    both = {pair for i, j in pairs if i != j for pair in ((i, j), (j, i))}
    found = []
    for graph, target in enumerate(y, 1):
        first = graph_of.index(graph)
        size = graph_of.count(graph)
        own = sorted((i - first, j - first, 1.0) for i, j in both if graph_of[i] == graph)
        found.append((size, own, x[first : first + size], target))
    return found


def _features(labels: Any, numbers: Any, nodes: int) -> list[list[float]]:
    if labels is None:
        found = [[single(float(cell)) for cell in row] for row in numbers or [[]] * nodes]
    else:
        columns = [[int(cell) for cell in column] for column in zip(*labels, strict=True)]
        spans = [range(min(column), max(column) + 1) for column in columns]
        found = [
            [
                float(int(cell) == value)
                for cell, span in zip(row, spans, strict=True)
                for value in span
            ]
            for row in labels
        ]
    if len(found) != nodes:
        raise Malformed("nodes")
    return found


def _cells(content: bytes, pattern: re.Pattern[str]) -> list[list[str]]:
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as reason:
        raise Malformed("no UTF-8") from reason
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line.strip()]
    if any(not pattern.fullmatch(cell) for row in rows for cell in row):
        raise Malformed("a cell")
    if pattern is WHOLE and any(int(cell) not in INT64 for row in rows for cell in row):
        raise Malformed("a number beyond 64 bits")
    if len({len(row) for row in rows}) > 1:
        raise Malformed("rows of several widths")
    return rows
