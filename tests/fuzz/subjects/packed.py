"""Folders of packed graphs: what is accepted is what their columns say."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from smixup.datasets.motif import motif_dataset
from smixup.datasets.packed_set import open_packed_dataset, pack_dataset
from smixup.graphs import Graphs

from ..harness import Malformed, Subject
from ..mutators import Files
from ..plain_graphs import plain_graphs


class PackedFolders(Subject):
    name = "packed folders"

    def good(self) -> Sequence[Files]:
        made = []
        dataset = motif_dataset(num_graphs=5)
        weighted = dataset.graphs
        adj = weighted.adj.to_sparse()
        soft = torch.linspace(0, 1, len(weighted) * 2).view(-1, 2)
        odd = weighted.replace(
            adj=type(adj)(adj.row_ptr, adj.column, adj.weight * 1.5, adj.num_columns), y=soft
        )
        for place, graphs in enumerate((dataset.graphs, odd)):
            folder = self.work / f"packed{place}"
            pack_dataset(_with(dataset, graphs), folder)
            made.append({each.name: each.read_bytes() for each in folder.iterdir()})
        return made

    def read(self, folder: Path) -> Any:
        opened = open_packed_dataset(folder)
        some = opened.graphs[torch.arange(len(opened.graphs)).flip(0)]
        every = plain_graphs(opened.graphs[:])
        assert repr(plain_graphs(some)) == repr(every[::-1]), "two ways of reading differ"
        return opened.name, opened.metric, every

    def plain(self, files: Files) -> Any:
        try:
            told = json.loads(files["packed.json"])
            return (
                str(told["notes"].get("name", "input")),
                str(told["notes"].get("metric", "accuracy")),
                _graphs(told, _Columns(files)),
            )
        except Malformed:
            raise
        except Exception as reason:
            raise Malformed(repr(reason)) from reason


class _Columns:
    """The columns of a set; one that `packed.json` does not name is never read, and may be
    anything.
    """

    def __init__(self, files: Files) -> None:
        self._files = files

    def __getitem__(self, name: str) -> Any:
        return np.load(io.BytesIO(self._files[f"{name}.npy"]), allow_pickle=False)


def _with(dataset: Any, graphs: Graphs) -> Any:
    from dataclasses import replace

    return replace(dataset, graphs=graphs)


def _graphs(told: Any, columns: Any) -> list[Any]:
    pattern, weight = told["adj"]["pattern"], told["adj"]["weight"]
    ptr, begin = columns["ptr"].tolist(), columns[f"{pattern}.ptr"].tolist()
    found = []
    for graph in range(told["graphs"]):
        first, end = ptr[graph], ptr[graph + 1]
        counts = columns[f"{pattern}.count"][first:end].tolist()
        entries = slice(begin[graph], begin[graph + 1])
        column = columns[f"{pattern}.column"][entries].tolist()
        weights = columns[f"{weight}.weight"][entries].tolist() if weight else [1.0] * len(column)
        rows = [row for row, count in enumerate(counts) for _ in range(count)]
        if len(rows) != len(column) or any(not 0 <= each < end - first for each in column):
            raise Malformed("edges")
        y = columns["y"][graph]
        target = (
            y.tolist() if y.ndim else [float(int(y) == each) for each in range(told["classes"])]
        )
        x = [list(map(float, row)) for row in columns["x"][first:end].tolist()]
        found.append((end - first, sorted(zip(rows, column, weights, strict=True)), x, target))
    return found
