"""GraphML files become graphs, and what cannot be read is told with its place."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest
import torch

from smixup import to_pyg
from smixup.datasets.readers import graphml
from smixup.datasets.readers.graphml import read_graphml
from smixup.errors import SmixupError

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="c" for="node" attr.name="colour" attr.type="string"><default>blue</default></key>
  <graph edgedefault="undirected">
"""
TAIL = "\n  </graph>\n</graphml>\n"


def ring(size: int, **attributes: object) -> nx.Graph:
    graph = nx.cycle_graph(size, create_using=nx.Graph)
    for node, data in graph.nodes(data=True):
        data |= {"size": node / 2, "colour": "red" if node else "blue"}
    for u, v, data in graph.edges(data=True):
        data |= {"weight": float(u + v), "bond": "single" if u else "double", "length": 0.5}
    graph.graph |= attributes
    return graph


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "rings"
    path.mkdir()
    for size in (3, 4, 5):
        nx.write_graphml(ring(size), path / f"ring{size}.graphml")
    (path / "labels.csv").write_text(
        "file,kind,lab\nring5,odd,b\nring3.graphml,odd,a\nring4,even,a\n"
    )
    return path


def test_nodes_edges_weights_and_categories_are_read(folder: Path) -> None:
    found = read_graphml(folder, target="kind")
    graphs = found.graphs
    assert graphs.sizes.tolist() == [3, 4, 5]
    assert graphs.num_features == 3 + 1  # blue, red, other; size
    first = graphs[[0]]
    assert first.x.tolist() == [[1, 0, 0, 0.0], [0, 1, 0, 0.5], [0, 1, 0, 1.0]]
    dense = first.adj @ torch.eye(3)
    assert torch.equal(dense, torch.tensor([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]]))
    batch = to_pyg(first)
    expected = [[1, 1, 1, 0, 1, 0], [0, 0, 0, 1, 0, 1], [0] * 6, [0.5] * 6]  # double, single, other
    assert batch.edge_index[0].tolist() == [1, 2, 0, 2, 0, 1]
    assert torch.allclose(batch.edge_attr, torch.tensor(expected).T)


def test_the_table_gives_targets_and_the_rest_is_kept(folder: Path) -> None:
    found = read_graphml(folder, target="kind")
    assert found.task is not None and found.task.to_dict()["names"] == ("even", "odd")
    assert found.graphs.labels.tolist() == [1, 0, 1]
    assert found.table == {
        "file": ("ring3.graphml", "ring4", "ring5"),
        "kind": ("odd", "even", "odd"),
        "lab": ("a", "a", "b"),
    }
    assert found.notes == ("target 'kind' was read as classes even, odd (2 of 3 are odd).",)
    with pytest.raises(
        SmixupError, match=r"labels.csv has the columns kind, lab: say which to predict"
    ):
        read_graphml(folder)


def test_an_attribute_of_the_graph_is_a_target_too(tmp_path: Path) -> None:
    for size in (3, 4):
        nx.write_graphml(ring(size, energy=size / 2, lab="x"), tmp_path / f"{size}.graphml")
    found = read_graphml(tmp_path, target="energy")
    assert found.graphs.y.tolist() == [[1.5], [2.0]]
    assert not found.graphs.has_classes and found.metric == "mae"
    assert found.table["lab"] == ("x", "x")


def test_new_files_are_read_alike(folder: Path, tmp_path: Path) -> None:
    before = read_graphml(folder, target="kind").reading
    assert before is not None
    new = tmp_path / "new"
    new.mkdir()
    graph = ring(6)
    graph.nodes[2]["colour"] = "green"
    for _, data in graph.nodes(data=True):
        data["extra"] = 1.0
    nx.write_graphml(graph, new / "a.graphml")
    found = read_graphml(new, like=before)
    assert found.graphs.x[:3, :3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert found.graphs.num_classes == 0 and found.task is not None
    assert "1 of the nodes has a 'colour'" in found.notes[2]
    assert "'extra' of nodes is left out" in found.notes[1]
    (new / "labels.csv").write_text("file,kind\na,even\n")
    assert read_graphml(new, like=before).graphs.y.tolist() == [[1.0, 0.0]]
    (new / "labels.csv").write_text("file,kind\na,strange\n")
    with pytest.raises(
        SmixupError, match=r"labels.csv: 'strange' of graph 0 is none of the classes"
    ):
        read_graphml(new, like=before)


def test_directed_graphs_stay_so_unless_asked(tmp_path: Path) -> None:
    nx.write_graphml(nx.DiGraph([("a", "b")], y=0), tmp_path / "a.graphml")
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "a")], y=1), tmp_path / "b.graphml")
    kept = read_graphml(tmp_path)
    assert [
        graph.adj.to_sparse().column.numel() for graph in (kept.graphs[[0]], kept.graphs[[1]])
    ] == [1, 2]
    edge_index, _ = kept.graphs[[0]].adj.to_sparse().edges()
    assert edge_index.tolist() == [[0], [1]]
    assert "directed and are read so" in kept.notes[1]
    both = read_graphml(tmp_path, directions="both")
    assert torch.equal(both.graphs[[0]].adj @ torch.eye(2), torch.tensor([[0.0, 1], [1, 0]]))
    nx.write_graphml(nx.Graph([("a", "b")], y=1), tmp_path / "c.graphml")
    with pytest.raises(SmixupError, match=r"a.graphml is directed, but c.graphml is not"):
        read_graphml(tmp_path)


def test_defaults_of_a_file_are_filled_in_and_parallel_edges_told(tmp_path: Path) -> None:
    body = '<data key="c">0</data><node id="a"/><node id="b"><data key="c">red</data></node>'
    head = HEAD.replace("<graph ", '<key id="y" for="graph" attr.name="y" attr.type="int"/><graph ')
    body = body.replace('"c">0', '"y">0') + '<edge source="a" target="b"/>' * 2
    (tmp_path / "a.graphml").write_text(head + body + TAIL)
    found = read_graphml(tmp_path)
    assert found.graphs.x.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert found.graphs.adj.to_sparse().weight.tolist() == [2.0, 2.0]
    assert "1 edge stands beside another" in found.notes[1]


def test_numbers_may_be_categories_and_attributes_left_out(folder: Path) -> None:
    found = read_graphml(folder, target="kind", categories="size", ignore="colour,bond")
    assert found.reading is not None
    assert found.reading.vocabulary["nodes"] == {"size": ["0", "0.5", "1", "1.5", "2"]}
    assert found.reading.vocabulary["edges"] == {"length": None}
    assert found.graphs.x.dtype == torch.uint8


BROKEN = {
    "no xml": ("<graphml", "a.graphml is no XML: unclosed token in line 1"),
    "cut off": (HEAD, "a.graphml is no XML: no element found in line 5"),
    "an entity bomb": (
        '<?xml version="1.0"?>\n<!DOCTYPE l [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]>\n<graphml/>',
        "line 2 of a.graphml declares a document type",
    ),
    "a file from elsewhere": (
        '<!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/passwd">]>\n<graphml>&b;</graphml>',
        "line 1 of a.graphml declares a document type",
    ),
    "no graph": ('<graphml xmlns="http://graphml.graphdrawing.org/xmlns"/>', "holds no graph"),
    "two graphs": (
        HEAD + '<node id="a"/></graph>\n<graph edgedefault="undirected">' + TAIL,
        "line 6 of a.graphml begins a second graph",
    ),
    "no nodes": (HEAD + TAIL, "a.graphml has no nodes"),
    "a node twice": (
        HEAD + '<node id="a"/>\n<node id="a"/>' + TAIL,
        "line 6 .* has a node 'a' again",
    ),
    "an edge to nowhere": (
        HEAD + '<node id="a"/>\n<edge source="a" target="z"/>' + TAIL,
        "line 6 of a.graphml has an edge at node 'z', which the file does not have",
    ),
    "an edge with one end": (
        HEAD + '<edge source="a"/>' + TAIL,
        "line 5 .* has an edge without target",
    ),
    "a hyperedge": (HEAD + "<hyperedge/>" + TAIL, "line 5 of a.graphml has a hyperedge"),
    "an unknown key": (
        HEAD + '<node id="a"><data key="zz">1</data></node>' + TAIL,
        "a.graphml cannot be read as GraphML: Bad GraphML data: no key zz",
    ),
    "a number that is none": (
        HEAD.replace('"string"><default>blue</default>', '"double">')
        + '<node id="a"><data key="c">wide</data></node>'
        + TAIL,
        "line 5 of a.graphml has 'wide' as attribute 'colour', where a number is needed",
    ),
    "ten as Python writes it": (
        HEAD.replace('"string"><default>blue</default>', '"double">')
        + '<node id="a"><data key="c">10</data></node>\n'
        + '<node id="b"><data key="c">1_0</data></node>'
        + TAIL,
        "line 6 of a.graphml has '1_0' as attribute 'colour', where a number is needed",
    ),
    "digits of another script": (
        HEAD.replace('"string"><default>blue</default>', '"int">')
        + '<node id="a"><data key="c">\uff11\uff10</data></node>'
        + TAIL,
        "line 5 of a.graphml has '\uff11\uff10' as attribute 'colour', where a whole number",
    ),
    "a default that is no whole number": (
        HEAD.replace('"string"><default>blue</default>', '"long"><default>1.5</default>')
        + '<node id="a"/>'
        + TAIL,
        "line 3 of a.graphml has '1.5' as attribute 'colour', where a whole number is needed",
    ),
    "a type that stands behind": (
        HEAD.replace('id="c"', 'id="d"')
        + '<node id="a"><data key="c">1_0</data></node></graph>'
        + '<key id="c" for="node" attr.name="size" attr.type="int"/></graphml>',
        "line 5 of a.graphml has '1_0' as attribute 'size', where a whole number is needed",
    ),
    "a number without end": (
        HEAD.replace('"string"><default>blue</default>', '"double">')
        + '<node id="n7"><data key="c">nan</data></node>'
        + TAIL,
        "'colour' is nan at node 'n7' of a.graphml, where a finite number",
    ),
    "an attribute that some have": (
        HEAD.replace("<default>blue</default>", "")
        + '<node id="n7"/><node id="b"><data key="c">red</data></node>'
        + TAIL,
        "'colour' is missing at node 'n7' of a.graphml: give it to all, or name it",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused_by_one_sentence(case: str, tmp_path: Path) -> None:
    text, told = BROKEN[case]
    (tmp_path / "a.graphml").write_text(text, encoding="utf-8")
    with pytest.raises(SmixupError, match=told):
        read_graphml(tmp_path)


TABLES = {
    "a file without row": ("file,y\nring3,0\nring4,1\n", "no row for the file 'ring5.graphml'"),
    "a row without file": (
        "file,y\nring3,0\nring4,1\nring5,1\nring9,0\n",
        "row 4 of labels.csv names 'ring9' in column 'file', but there is no such file",
    ),
    "a row twice": ("file,y\nring3,0\nring3,1\n", "names 'ring3' in rows 1 and 2 of column 'file'"),
    "no class": (
        "file,y\nring5,0\nring3,\nring4,1\n",
        "labels.csv: row 2 has no class in column 'y'",
    ),
    "no target": ("file\nring3\nring4\nring5\n", "labels.csv has no column with targets"),
}


@pytest.mark.parametrize("case", TABLES)
def test_broken_tables_are_refused_by_one_sentence(case: str, folder: Path) -> None:
    text, told = TABLES[case]
    (folder / "labels.csv").write_text(text)
    with pytest.raises(SmixupError, match=told):
        read_graphml(folder)


def test_two_tables_no_targets_and_large_files_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "labels.tsv").write_text("file\ty\n")
    with pytest.raises(SmixupError, match=r"holds labels.csv and labels.tsv: say which"):
        read_graphml(folder)
    for ending in ("csv", "tsv"):
        (folder / f"labels.{ending}").unlink()
    with pytest.raises(SmixupError, match=r"there are no targets: put a table labels.csv beside"):
        read_graphml(folder)
    with pytest.raises(SmixupError, match="there is no table"):
        read_graphml(folder, labels="other.csv")
    monkeypatch.setattr(graphml, "TIMES", 1e12)
    with pytest.raises(SmixupError, match=r"ring3.graphml needs about .* write an edge list"):
        read_graphml(folder, target="size")
