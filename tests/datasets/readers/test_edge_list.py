"""Tables of edges become graphs, whatever nodes and graphs are called."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
import torch
from pyarrow.parquet import write_table

from smixup import to_pyg
from smixup.datasets.readers.edge_list import read_edge_list
from smixup.errors import SmixupError
from smixup.graphs import Graphs

EDGES = "graph,source,target,weight,bond\ng2,c,a,2.0,x\ng1,b,a,0.5,y\ng1,b,c,-1,x\ng2,a,d,1,x\n"
GRAPHS = "graph,label,lab\ng1,ring,p\ng2,star,q\n"
NODES = (
    "graph,node,size,colour\ng2,d,1,red\ng1,b,5,red\ng1,a,2,blue\ng2,a,3,red\ng1,c,4,blue\n"
    "g2,c,9,red\n"
)


def write(folder: Path, **tables: str) -> Path:
    for stem, text in tables.items():
        (folder / f"{stem}.csv").write_text(text)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, edges=EDGES, graphs=GRAPHS)


def dense(graphs: Graphs, place: int) -> list[list[float]]:
    return graphs[[place]].adj.to_dense().tolist()


def test_nodes_that_edges_name_are_in_order(folder: Path) -> None:
    found = read_edge_list(folder, ignore="bond")
    assert found.graphs.sizes.tolist() == [3, 3]
    assert dense(found.graphs, 0) == [[0, 0.5, 0], [0.5, 0, -1], [0, -1, 0]]
    assert dense(found.graphs, 1) == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert found.graphs.adj.symmetric
    assert found.task.to_dict()["names"] == ("ring", "star")
    assert found.graphs.labels.tolist() == [0, 1]
    assert found.table["graph"] == ("g1", "g2") and found.table["lab"] == ("p", "q")


def test_a_table_of_nodes_gives_order_features_and_names(folder: Path) -> None:
    found = read_edge_list(write(folder, nodes=NODES), target="label")
    graphs = found.graphs
    assert graphs[[0]].x.tolist() == [[0, 1, 0, 5], [1, 0, 0, 2], [1, 0, 0, 4]]  # b, a, c
    assert dense(graphs, 0) == [[0, 0.5, -1], [0.5, 0, 0], [-1, 0, 0]]
    assert to_pyg(graphs[[0]]).edge_attr[:, :2].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert to_pyg(graphs[[1]]).edge_attr.tolist() == [[1, 0, 0]] * 4  # x, y, other
    assert found.node_names == [("b", "a", "c"), ("d", "a", "c")]


def test_edges_are_those_of_networkx(folder: Path) -> None:
    random, edges = np.random.default_rng(0), []
    drawn = [nx.gnp_random_graph(12, 0.3, seed=graph) for graph in range(30)]
    for place, graph in enumerate(drawn):
        for u, v in graph.edges():
            graph.edges[u, v]["weight"] = round(random.normal(), 3)
            edges.append(f"{place},{u},{v},{graph.edges[u, v]['weight']}\n")
    random.shuffle(edges)
    labels = "".join(f"{place},{place % 3}\n" for place in range(30))
    table = "graph,source,target,weight\n" + "".join(edges)
    found = read_edge_list(write(folder, edges=table, graphs=f"graph,y\n{labels}")).graphs
    for place, graph in enumerate(drawn):
        nodes = sorted(node for node in graph if graph.degree(node))
        expected = nx.to_numpy_array(graph, nodelist=nodes)
        assert np.allclose(dense(found, place), expected, atol=1e-6)


def test_directed_edges_run_one_way(folder: Path) -> None:
    write(folder, edges="graph,source,target\ng1,a,b\ng1,b,a\ng2,a,b\n")
    found = read_edge_list(folder, directed=True, target="label")
    assert dense(found.graphs, 0) == [[0, 1], [1, 0]]
    assert found.graphs[[1]].adj.edges()[0].tolist() == [[0], [1]]
    assert "directed" in found.notes[1]


def test_edges_that_are_there_twice_may_be_summed(folder: Path) -> None:
    write(folder, edges="graph,source,target,weight\ng1,a,b,1\ng2,a,b,1\ng1,a,b,2\n")
    summed = read_edge_list(folder, target="label", duplicates="sum")
    assert dense(summed.graphs, 0) == [[0, 3], [3, 0]]
    assert "weights are summed" in summed.notes[-1]


def test_graphs_without_edges_and_loops(folder: Path) -> None:
    write(folder, edges="graph,source,target\ng2,7,7\ng2,7,10\n")
    with pytest.raises(SmixupError, match=r"edges.csv has no node of the graph 'g1': leave"):
        read_edge_list(folder, target="label")
    write(folder, nodes="graph,node\ng1,1\ng1,2\ng2,10\ng2,7\n")
    found = read_edge_list(folder, target="label")
    assert found.graphs.sizes.tolist() == [2, 2] and dense(found.graphs, 1) == [[0, 1], [1, 1]]
    assert found.node_names == [("1", "2"), ("10", "7")]
    write(folder, edges="graph,source,target\n")
    assert read_edge_list(folder, target="label").graphs.adj.column.numel() == 0


def test_parquet_beside_csv(folder: Path) -> None:
    columns = {"graph": [1, 1, 2], "source": [0, 1, 0], "target": [1, 2, 1], "weight": [1.0, 2, 3]}
    (folder / "edges.csv").unlink()
    write_table(pa.table(columns), folder / "edges.parquet")
    found = read_edge_list(write(folder, graphs="graph,y\n2,a\n1,b\n"))
    assert found.graphs.sizes.tolist() == [2, 3]
    assert dense(found.graphs, 1) == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]


def test_new_tables_are_read_alike(folder: Path) -> None:
    before = read_edge_list(write(folder, nodes=NODES), target="label").reading
    new = folder / "new"
    new.mkdir()
    write(new, edges="graph,source,target,weight,bond\nn,a,b,1,z\n")
    write(new, nodes="graph,node,size,colour\nn,a,1,green\nn,b,2,red\n")
    found = read_edge_list(new, like=before)
    assert found.graphs.x.tolist() == [[0, 0, 1, 1], [0, 1, 0, 2]]
    assert found.table == {"graph": ("n",)} and found.graphs.num_classes == 0
    assert "1 of the nodes have a 'colour'" in found.notes[1]
    write(new, nodes="graph,node,colour\nn,a,green\nn,b,red\n")
    with pytest.raises(SmixupError, match="the attribute 'size' of the files read before"):
        read_edge_list(new, like=before)


def test_an_index_beside_the_columns_changes_nothing(folder: Path) -> None:
    """A row's number would tell the graph, and with it the class."""
    plain = read_edge_list(write(folder, nodes=NODES), target="label")
    for path in folder.glob("*.csv"):
        first, *rows = path.read_text().splitlines()
        indexed = [f",{first}", *(f"{place},{row}" for place, row in enumerate(rows))]
        path.write_text("\n".join(indexed) + "\n")
    found = read_edge_list(folder, target="label")
    assert torch.equal(found.graphs.x, plain.graphs.x)
    assert torch.equal(to_pyg(found.graphs).edge_attr, to_pyg(plain.graphs).edge_attr)
    assert [note.split(" looks")[0] for note in found.notes[1:]] == [
        "'column 1' of edges.csv",
        "'column 1' of nodes.csv",
    ]
