"""Tables of edges become graphs, whatever nodes and graphs are called."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from smixup import to_pyg
from smixup.datasets.readers.edge_list import read_edge_list
from smixup.errors import SmixupError

EDGES = "graph,source,target,weight,bond\ng2,c,a,2.0,x\ng1,b,a,0.5,y\ng1,b,c,-1,x\ng2,a,d,1,x\n"
GRAPHS = "graph,label,lab\ng1,ring,p\ng2,star,q\n"
NODES = (
    "graph,node,size,colour\ng2,d,1,red\ng1,b,5,red\ng1,a,2,blue\ng2,a,3,red\ng1,c,4,blue\n"
    "g2,c,9,red\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "graphs.csv").write_text(GRAPHS)
    return tmp_path


def dense(graphs: object, place: int) -> list[list[float]]:
    one = graphs[[place]]  # type: ignore[index]
    return (one.adj @ torch.eye(one.num_nodes)).tolist()


def test_nodes_that_edges_name_are_in_order(folder: Path) -> None:
    found = read_edge_list(folder, ignore="bond")
    assert found.graphs.sizes.tolist() == [3, 3]
    assert dense(found.graphs, 0) == [[0, 0.5, 0], [0.5, 0, -1], [0, -1, 0]]
    assert dense(found.graphs, 1) == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert found.graphs.adj.to_sparse().symmetric
    assert found.task is not None and found.task.to_dict()["names"] == ("ring", "star")
    assert found.graphs.labels.tolist() == [0, 1]
    assert found.table["graph"] == ("g1", "g2") and found.table["lab"] == ("p", "q")


def test_a_table_of_nodes_gives_order_and_features(folder: Path) -> None:
    (folder / "nodes.csv").write_text(NODES)
    graphs = read_edge_list(folder, target="label").graphs
    assert graphs[[0]].x.tolist() == [[0, 1, 0, 5], [1, 0, 0, 2], [1, 0, 0, 4]]  # b, a, c
    assert dense(graphs, 0) == [[0, 0.5, -1], [0.5, 0, 0], [-1, 0, 0]]
    assert to_pyg(graphs[[0]]).edge_attr[:, :2].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert to_pyg(graphs[[1]]).edge_attr.tolist() == [[1, 0, 0]] * 4  # x, y, other


def test_both_ways_of_assembly_agree(folder: Path) -> None:
    """The fast one, for edges without attributes, and the one by way of PyG."""
    random, edges = np.random.default_rng(0), []
    for graph in range(30):
        for u, v in nx.gnp_random_graph(12, 0.3, seed=graph, directed=False).edges():
            edges.append(f"{graph},n{u},n{v},{random.normal():.3f},1")
    random.shuffle(edges)
    (folder / "edges.csv").write_text("graph,source,target,weight,one\n" + "\n".join(edges))
    (folder / "graphs.csv").write_text("graph,y\n" + "".join(f"{g},{g % 3}\n" for g in range(30)))
    fast, other = read_edge_list(folder, ignore="one").graphs, read_edge_list(folder).graphs
    assert fast.fingerprint() == other.fingerprint()
    assert not fast.edge_attrs and "edge_attr" in other.edge_attrs


def test_it_is_what_networkx_finds(folder: Path) -> None:
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 0.5), ("b", "c", -1.0)])
    order = sorted(graph)
    expected = nx.to_numpy_array(graph, nodelist=order)
    assert dense(read_edge_list(folder, ignore="bond").graphs, 0) == expected.tolist()


def test_directed_edges_run_one_way(folder: Path) -> None:
    (folder / "edges.csv").write_text("graph,source,target\ng1,a,b\ng1,b,a\ng2,a,b\n")
    found = read_edge_list(folder, directed=True, target="label")
    assert dense(found.graphs, 0) == [[0, 1], [1, 0]]
    edge_index, _ = found.graphs[[1]].adj.to_sparse().edges()
    assert edge_index.tolist() == [[0], [1]] and "directed" in found.notes[1]


def test_edges_that_are_there_twice_are_refused_or_summed(folder: Path) -> None:
    (folder / "edges.csv").write_text("graph,source,target,weight\ng1,a,b,1\ng2,a,b,1\ng1,a,b,2\n")
    with pytest.raises(
        SmixupError,
        match=r"rows 1 and 3 of edges.csv are the same edge of the graph 'g1', from 'a' to 'b'",
    ):
        read_edge_list(folder, target="label")
    summed = read_edge_list(folder, target="label", duplicates="sum")
    assert dense(summed.graphs, 0) == [[0, 3], [3, 0]]
    assert "1 edge was there before: weights are summed." in summed.notes
    (folder / "edges.csv").write_text("graph,source,target\ng1,a,b\ng2,a,b\ng1,b,a\n")
    with pytest.raises(SmixupError, match=r"rows 1 and 3 .* and back: .* say directed=true"):
        read_edge_list(folder, target="label")
    assert len(read_edge_list(folder, target="label", directed=True).graphs) == 2


def test_graphs_without_edges_and_loops(folder: Path) -> None:
    (folder / "edges.csv").write_text("graph,source,target\ng2,7,7\ng2,7,10\n")
    found = read_edge_list(folder, target="label")
    assert found.graphs.sizes.tolist() == [1, 2]
    assert dense(found.graphs, 1) == [[1, 1], [1, 0]]
    assert "1 graph has no edges" in found.notes[1]
    (folder / "nodes.csv").write_text("graph,node\ng1,1\ng1,2\ng2,10\ng2,7\n")
    found = read_edge_list(folder, target="label")
    assert found.graphs.sizes.tolist() == [2, 2] and dense(found.graphs, 1) == [[0, 1], [1, 1]]
    (folder / "edges.csv").write_text("graph,source,target\n")
    assert read_edge_list(folder, target="label").graphs.adj.to_sparse().column.numel() == 0


def test_files_and_columns_may_have_other_names(folder: Path) -> None:
    (folder / "edges.csv").rename(folder / "links.tsv")
    (folder / "links.tsv").write_text("mol\tfrom\tto\tw\n1\t0\t1\t2.5\n")
    (folder / "graphs.csv").write_text("y,mol\n0.25,1\n")
    found = read_edge_list(folder, edges="links.tsv", graph="mol", ends="from,to", weight="w")
    assert dense(found.graphs, 0) == [[0, 2.5], [2.5, 0]]
    assert found.graphs.y.tolist() == [[0.25]]


def test_parquet_beside_csv(folder: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {
        "graph": [1, 1, 2],
        "source": [0, 1, 0],
        "target": [1, 2, 1],
        "weight": [1.0, 2.0, 3.0],
    }
    (folder / "edges.csv").unlink()
    parquet.write_table(arrow.table(columns), folder / "edges.parquet")
    (folder / "graphs.csv").write_text("graph,y\n2,a\n1,b\n")
    found = read_edge_list(folder)
    assert found.graphs.sizes.tolist() == [2, 3]
    assert dense(found.graphs, 1) == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]


def test_new_tables_are_read_alike(folder: Path, tmp_path: Path) -> None:
    (folder / "nodes.csv").write_text(NODES)
    before = read_edge_list(folder, target="label").reading
    new = tmp_path / "new"
    new.mkdir()
    (new / "edges.csv").write_text("graph,source,target,weight,bond\nn,a,b,1,z\n")
    (new / "nodes.csv").write_text("graph,node,size,colour\nn,a,1,green\nn,b,2,red\n")
    found = read_edge_list(new, like=before)
    assert found.graphs.x.tolist() == [[0, 0, 1, 1], [0, 1, 0, 2]]
    assert found.table == {"graph": ("n",)} and found.graphs.num_classes == 0
    assert "1 of the nodes has a 'colour'" in found.notes[1]
    (new / "nodes.csv").write_text("graph,node,colour\nn,a,green\nn,b,red\n")
    with pytest.raises(SmixupError, match="the attribute 'size' is missing, which the files read"):
        read_edge_list(new, like=before)


BROKEN = {
    "an unknown graph": (
        {"edges": EDGES + "g9,a,b,1,x\n"},
        "row 5 of edges.csv names the graph 'g9' in column 'graph', which the table of graphs does",
    ),
    "no column": ({"edges": "graph,source,weight\ng1,a,1\n"}, "edges.csv has no column 'target'"),
    "a weight that is none": (
        {"edges": EDGES.replace("0.5", "heavy")},
        "'heavy' in row 2 of edges.csv, column 'weight', is no finite number",
    ),
    "a weight of zero": ({"edges": EDGES.replace("0.5", "0")}, "row 2 .* has a weight of zero"),
    "an unknown node": (
        {"nodes": NODES.replace("g1,c,4,blue\n", "")},
        "row 3 of edges.csv names 'c' in column 'target', which nodes.csv does not have in",
    ),
    "a node twice": (
        {"nodes": NODES + "g1,a,1,red\n"},
        "rows 3 and 7 of nodes.csv are the same node 'a'",
    ),
    "a graph without nodes": (
        {"graphs": GRAPHS + "g3,ring,p\n", "nodes": NODES},
        "nodes.csv has no node of the graph 'g3'",
    ),
    "a node of an unknown graph": (
        {"nodes": NODES + "g7,a,1,red\n"},
        "row 7 of nodes.csv names the graph 'g7'",
    ),
    "a graph twice": ({"graphs": GRAPHS + "g1,ring,p\n"}, "graphs.csv names 'g1' in rows 1 and 3"),
    "no class": (
        {"graphs": GRAPHS.replace("star", "")},
        "graphs.csv: row 2 has no class in column",
    ),
    "two tables": ({"labels": GRAPHS}, "holds graphs.csv and labels.csv: say which"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_tables_are_refused_by_one_sentence(case: str, folder: Path) -> None:
    files, told = BROKEN[case]
    for stem, text in files.items():
        (folder / f"{stem}.csv").write_text(text)
    with pytest.raises(SmixupError, match=told):
        read_edge_list(folder, target="label")


def test_missing_tables_and_wrong_options_are_told(folder: Path) -> None:
    for options, told in (
        ({"ends": "source"}, "ends must be two names of columns, not source"),
        ({"directed": "yes"}, "directed must be true or false, not yes"),
        ({"duplicates": "drop"}, "duplicates must be refuse or sum, not drop"),
        ({"target": "colour"}, "graphs.csv has no target 'colour'; it has label, lab"),
    ):
        with pytest.raises(SmixupError, match=told):
            read_edge_list(folder, **options)
    (folder / "graphs.csv").unlink()
    with pytest.raises(SmixupError, match=r"holds no table graphs.csv with the targets"):
        read_edge_list(folder)
    (folder / "edges.csv").unlink()
    with pytest.raises(SmixupError, match=r"holds no table edges.csv, edges.tsv or edges.parquet"):
        read_edge_list(folder)


def test_an_index_beside_the_columns_changes_nothing(folder: Path) -> None:
    """A row's number would tell the graph, and with it the class."""
    (folder / "nodes.csv").write_text(NODES)
    plain = read_edge_list(folder, target="label")
    for name in ("edges", "nodes", "graphs"):
        path = folder / f"{name}.csv"
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


def test_names_that_are_nearly_alike_are_told(folder: Path) -> None:
    (folder / "graphs.csv").write_text(GRAPHS.replace("g2,", "g2 ,"))
    with pytest.raises(SmixupError, match=r"does not have: there it is 'g2 ', so write both alike"):
        read_edge_list(folder, target="label")
    (folder / "graphs.csv").write_text("graph,label\ng2,star\n")
    with pytest.raises(
        SmixupError, match=r"'g1' .* does not have: add it there, or remove its rows"
    ):
        read_edge_list(folder)
    (folder / "graphs.csv").write_text(GRAPHS)
    (folder / "nodes.csv").write_text(NODES.replace("g2,d", "g2,D"))
    with pytest.raises(SmixupError, match=r"in the graph 'g2': there it is 'D'"):
        read_edge_list(folder, target="label")
