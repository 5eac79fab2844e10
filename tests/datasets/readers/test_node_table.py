"""Nodes are found in their table, or among the ends of edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from own_files import defaults_of

from smixup.datasets.readers.edge_list import read_edge_list
from smixup.datasets.readers.edge_table import EdgeTable
from smixup.datasets.readers.node_table import NodeTable, _numbered
from smixup.errors import SmixupError

OPTIONS = defaults_of(read_edge_list)


@pytest.fixture
def edges(tmp_path: Path) -> EdgeTable:
    (tmp_path / "edges.csv").write_text("graph,source,target\nh,c,a\ng,b,a\nh,a,d\n")
    return EdgeTable.read(tmp_path / "edges.csv", OPTIONS)


def test_nodes_that_edges_name(edges: EdgeTable) -> None:
    found = NodeTable.of(edges, None, ["g", "alone", "h"], OPTIONS)
    assert found.sizes.tolist() == [2, 1, 3] and found.alone == 1
    assert found.source.tolist() == [4, 1, 3] and found.target.tolist() == [3, 0, 5]
    assert found.names is not None
    assert [list(found.names.of(place)) for place in range(3)] == [["a", "b"], [""], list("acd")]
    assert found.where(2) == "node 2"


def test_nodes_of_a_table_keep_its_order(edges: EdgeTable, tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text("graph,node,size\nh,d,1\ng,b,2\nh,c,3\nh,a,4\ng,a,5\n")
    found = NodeTable.of(edges, path, ["g", "h"], OPTIONS)
    assert found.sizes.tolist() == [2, 3]
    assert found.order is not None and found.order.tolist() == [1, 4, 0, 2, 3]
    assert found.source.tolist() == [3, 0, 4] and found.target.tolist() == [4, 1, 2]
    assert found.columns["size"].numbers.tolist() == [1, 2, 3, 4, 5]
    assert found.where(2) == "row 3 of nodes.csv"


def test_a_graph_that_nobody_knows(edges: EdgeTable) -> None:
    with pytest.raises(SmixupError, match=r"row 1 of edges\.csv names the graph 'h' in column"):
        NodeTable.of(edges, None, ["g"], OPTIONS)


@pytest.mark.parametrize("limit", [60, 10**9])
def test_numbers_are_marked_or_sorted_to_the_same_end(limit: int) -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(0, 60, (2, 40))
    every, one, other = _numbered(first, second, limit)
    assert every.tolist() == sorted({*first.tolist(), *second.tolist()})
    assert (every[one] == first).all() and (every[other] == second).all()
