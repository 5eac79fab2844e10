"""Graphs are put together from tables, the quick way or by conversion, and look the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from own_files import defaults_of

from smixup.datasets.readers.attribute_columns import learn
from smixup.datasets.readers.edge_assembly import assembled
from smixup.datasets.readers.edge_list import read_edge_list
from smixup.datasets.readers.edge_table import EdgeTable
from smixup.datasets.readers.node_table import NodeTable
from smixup.errors import SmixupError
from smixup.graphs import Graphs

OPTIONS = defaults_of(read_edge_list)


def made(folder: Path, text: str, **changes: Any) -> tuple[Graphs, list[str]]:
    options = OPTIONS | changes
    (folder / "edges.csv").write_text(text)
    table = EdgeTable.read(folder / "edges.csv", options)
    nodes = NodeTable.of(table, None, ["g"], options)
    return assembled(table, nodes, {"nodes": {}, "edges": learn(table.columns)}, options)


def dense(graphs: Graphs) -> list[list[float]]:
    return (graphs.adj @ torch.eye(graphs.num_nodes)).tolist()


def test_both_ways_give_the_same_adjacency(tmp_path: Path) -> None:
    quick, notes = made(tmp_path, "graph,source,target,weight\ng,a,b,2\ng,b,c,3\ng,c,c,1\n")
    other, _ = made(tmp_path, "graph,source,target,weight,kind\ng,a,b,2,x\ng,b,c,3,y\ng,c,c,1,x\n")
    assert dense(quick) == dense(other) == [[0, 2, 0], [2, 0, 3], [0, 3, 1]]
    assert quick.adj.to_sparse().symmetric
    assert notes == []


def test_directed_edges_run_one_way(tmp_path: Path) -> None:
    graphs, notes = made(tmp_path, "graph,source,target\ng,a,b\n", directed=True)
    assert sum(map(sum, dense(graphs))) == 1
    assert notes == ["edges are read as directed, from their first end to the second."]


def test_edges_that_are_there_twice(tmp_path: Path) -> None:
    twice = "graph,source,target,weight\ng,a,b,1\ng,a,b,2\n"
    with pytest.raises(SmixupError, match=r"rows 1 and 2 .* remove one, or let the weights"):
        made(tmp_path, twice)
    graphs, notes = made(tmp_path, twice, duplicates="sum")
    assert dense(graphs) == [[0, 3], [3, 0]]
    assert notes == ["1 edge was there before: weights are summed."]
    with pytest.raises(SmixupError, match=r"and back: .* say directed=true"):
        made(tmp_path, "graph,source,target\ng,a,b\ng,b,a\n")
