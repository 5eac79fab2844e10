"""TU files become simple undirected graphs with one-hot node labels, as PyG reads them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Batch
from torch_geometric.datasets import TUDataset
from torch_geometric.utils import to_undirected

from smixup.datasets.sources import import_archive
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import to_pyg
from smixup.tasks import Values


@pytest.fixture
def imported(tiny: Path, root: Path) -> Path:
    import_archive(tiny, root)
    return root


def test_attributes_come_first_when_wanted(
    imported: Path, make_tu: Callable[..., Path], tmp_path: Path
) -> None:
    found = [tu_dataset("TINY", imported, attributes=each) for each in (None, False, True)]
    assert ["node attributes" in each.notes[0] for each in found] == [True, False, False]
    x = found[2].graphs.x
    assert x[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert torch.equal(x[:, 1:], found[0].graphs.x.float())
    import_archive(make_tu(node_labels=None), tmp_path / "alone")
    assert tu_dataset("TINY", tmp_path / "alone").graphs.x.flatten().tolist() == x[:, 0].tolist()
    assert tu_dataset("TINY", tmp_path / "alone", attributes=False).graphs.x.shape == (6, 0)
    shutil.rmtree(tmp_path / "published")
    import_archive(make_tu(node_attributes=None), tmp_path / "none")
    with pytest.raises(UsageError, match="TINY has no node_attributes: leave"):
        tu_dataset("TINY", tmp_path / "none", attributes=True)


def assert_same(a: Graphs, b: Graphs) -> None:
    assert a.fingerprint() == b.fingerprint()
    assert a.x.dtype == b.x.dtype and a.adj.symmetric == b.adj.symmetric


def test_numbers_to_predict_are_values(make_tu: Callable[..., Path], root: Path) -> None:
    import_archive(make_tu(graph_labels=None, graph_attributes="0.5, 1\n1.5, 2\n2.5, 3\n"), root)
    found = tu_dataset("TINY", root)
    assert found.task == Values(("attribute 1", "attribute 2"))
    assert found.graphs.y.tolist() == [[0.5, 1], [1.5, 2], [2.5, 3]]
    assert (found.metric, found.graphs.has_classes) == ("mae", False)
    import_archive(make_tu(graph_attributes="0.5\n1.5\n2.5\n"), root)
    classes = tu_dataset("TINY", root)
    assert classes.graphs.labels.tolist() == [1, 0, 1]
    assert classes.notes[-1].startswith("graph attributes are there and not used")


def features_by_edge(graphs: Graphs) -> dict[tuple[int, int], list[float]]:
    batch = to_pyg(graphs)
    pairs = zip(batch.edge_index.T.tolist(), batch.edge_attr.tolist(), strict=True)
    return {(source, target): row for (source, target), row in pairs}


def test_what_edges_have_is_read_when_it_is_wanted(
    make_tu: Callable[..., Path], root: Path
) -> None:
    numbers = "".join(f"{i}.5\n" for i in (0, 0, 1, 2, 2, 3, 3, 4))
    import_archive(make_tu(edge_labels="0\n0\n2\n2\n2\n0\n0\n1\n", edge_attributes=numbers), root)
    plain, found = tu_dataset("TINY", root), tu_dataset("TINY", root, edges=True)
    assert "--data edges=true" in plain.notes[1]
    assert (found.notes, plain.graphs.edge_attrs) == (plain.notes[:1], {})
    assert_same(found.graphs, plain.graphs)
    expected = {(0, 1): [0.5, 1, 0, 0], (1, 0): [0.5, 1, 0, 0], (1, 2): [1.5, 0, 0, 1]}
    expected |= {(2, 1): [2.5, 0, 0, 1], (3, 4): [3.5, 1, 0, 0], (4, 3): [3.5, 1, 0, 0]}
    assert features_by_edge(found.graphs) == expected
    import_archive(make_tu(edge_labels="0\n0\n1\n1\n2\n0\n0\n0\n"), root)
    with pytest.raises(SmixupError, match="edges list 3, 2 more than once, with other"):
        tu_dataset("TINY", root, edges=True)


def assert_as_pyg(name: str, root: Path, scratch: Path) -> None:
    """Compare with PyG's own reader, and the rules of this package written with PyG's functions.

    PyG hands out one graph less where the last ones have no edges; what it has read is whole.
    """
    shutil.copytree(root / name / "raw", scratch / name / "raw")
    source = TUDataset(str(scratch), name, use_node_attr=True)
    read, slices = source._data, source.slices
    sizes = slices["x"].diff() if "x" in slices else torch.tensor(read._num_nodes)
    n, ptr = int(sizes.sum()), torch.tensor([0, *sizes]).cumsum(0)
    counts = slices["edge_index"].diff()
    edges = read.edge_index + ptr[: counts.numel()].repeat_interleave(counts)
    edges = to_undirected(edges, num_nodes=n)
    adj = SparseOperator.from_edges(edges, torch.ones(edges.size(1)), n)
    x = torch.zeros(n, 0) if read.x is None else read.x
    theirs = Graphs(x, adj, torch.nn.functional.one_hot(read.y).float(), ptr)
    wanted = "node attributes" in " ".join(tu_dataset(name, root).notes) or None
    assert_same(tu_dataset(name, root, attributes=wanted).graphs.floating(), theirs)


@pytest.mark.filterwarnings("ignore")
def test_equal_to_pyg(make_tu: Callable[..., Path], root: Path, tmp_path: Path) -> None:
    cases = [
        {},
        {"node_labels": None},
        {"node_attributes": None, "node_labels": "4, 1\n6, 0\n4, 3\n4, 1\n5, 1\n6, -2\n"},
        {"A": "3, 1\n2, 1\n5, 4\n1, 1\n5, 4\n", "edge_labels": None},
        {"graph_labels": "7\n-3\n5\n"},
    ]
    for number, changes in enumerate(cases):
        published = make_tu(**changes)
        import_archive(published, root / str(number))
        shutil.rmtree(published)
        assert_as_pyg("TINY", root / str(number), tmp_path / str(number))


@pytest.mark.filterwarnings("ignore")
def test_a_real_set_equals_pygs(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    root = real_data("MUTAG.zip")
    assert_as_pyg("MUTAG", root, tmp_path / "nodes")
    shutil.copytree(root / "MUTAG" / "raw", tmp_path / "MUTAG" / "raw")
    theirs = Batch.from_data_list(list(TUDataset(str(tmp_path), "MUTAG", use_edge_attr=True)))
    pairs = zip(theirs.edge_index.T.tolist(), theirs.edge_attr.tolist(), strict=True)
    graphs = tu_dataset("MUTAG", root, edges=True).graphs
    assert features_by_edge(graphs) == {(i, j): row for (i, j), row in pairs}
