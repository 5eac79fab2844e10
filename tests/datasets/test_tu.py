"""TU files become simple undirected graphs with one-hot node labels."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Batch
from torch_geometric.datasets import TUDataset
from torch_geometric.utils import to_undirected

from smixup.datasets import tu
from smixup.datasets.archives import import_archive
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, SparseOperator, packed_writer
from smixup.graphs.packed_writer import PackedWriter
from smixup.graphs.pyg import to_pyg
from smixup.tasks import Classes, Values


@pytest.fixture
def imported(tiny: Path, root: Path) -> Path:
    import_archive(tiny, root)
    return root


def test_a_hand_made_set(imported: Path) -> None:
    dataset = tu_dataset("TINY", imported)
    graphs = dataset.graphs
    expected = torch.zeros(6, 6)
    for i, j in ((0, 1), (1, 2), (3, 4)):
        expected[i, j] = expected[j, i] = 1
    torch.testing.assert_close(
        graphs.adj.to_dense(), expected, msg="repeated edges and loops count for nothing"
    )
    assert graphs.ptr.tolist() == [0, 3, 5, 6]
    assert graphs.labels.tolist() == [1, 0, 1]
    assert graphs.x.tolist() == [[1, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert graphs.x.dtype == torch.uint8
    assert (dataset.metric, dataset.split) == ("accuracy", None)


def test_classes_keep_the_numbers_of_the_publisher(
    make_tu: Callable[..., Path], root: Path
) -> None:
    import_archive(make_tu(graph_labels="1\n-1\n7\n"), root)
    for _ in range(2):  # from the text, then from the packed copy
        dataset = tu_dataset("TINY", root)
        assert dataset.task == Classes((-1, 1, 7))
        assert torch.equal(dataset.graphs.y, Classes((-1, 1, 7)).encoded([1, -1, 7]))
        assert dataset.metric == "accuracy"


def test_attributes_come_first_when_wanted(imported: Path) -> None:
    x = tu_dataset("TINY", imported, attributes=True).graphs.x
    assert x.is_floating_point()
    assert x[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert torch.equal(x[:, 1:], tu_dataset("TINY", imported).graphs.x.float())


def test_attributes_alone(make_tu: Callable[..., Path], root: Path) -> None:
    import_archive(make_tu(node_labels=None), root)
    by_default, without = tu_dataset("TINY", root), tu_dataset("TINY", root, attributes=False)
    assert by_default.graphs.x.tolist() == [[0.5], [1.5], [2.5], [3.5], [4.5], [5.5]]
    assert tu_dataset("TINY", root, attributes=True).graphs.num_features == 1
    assert without.graphs.x.shape == (6, 0)
    assert (by_default.unused_attributes, without.unused_attributes) == (0, 1)


def test_attributes_that_are_not_used_are_counted(imported: Path) -> None:
    found = [tu_dataset("TINY", imported, attributes=each) for each in (None, False, True)]
    assert [each.unused_attributes for each in found] == [1, 1, 0]
    assert [each.graphs.num_features for each in found] == [3, 3, 4]


def test_attributes_that_are_not_there_are_refused(
    make_tu: Callable[..., Path], root: Path
) -> None:
    import_archive(make_tu(node_attributes=None), root)
    assert tu_dataset("TINY", root, attributes=False).graphs.num_features == 3
    with pytest.raises(UsageError, match="TINY has no node attributes"):
        tu_dataset("TINY", root, attributes=True)


def test_attributes_is_true_false_or_none(imported: Path) -> None:
    with pytest.raises(UsageError, match="attributes must be true, false or none, not yess"):
        tu_dataset("TINY", imported, attributes="yess")  # type: ignore[arg-type]


def test_no_features_at_all(make_tu: Callable[..., Path], root: Path) -> None:
    import_archive(make_tu(node_labels=None, node_attributes=None), root)
    graphs = tu_dataset("TINY", root).graphs
    assert graphs.x.shape == (6, 0)
    assert graphs.ptr.tolist() == [0, 3, 5, 6]


def test_an_edge_listed_once_counts_in_both_directions(
    make_tu: Callable[..., Path], root: Path
) -> None:
    import_archive(make_tu(A="1, 2\n2, 3\n4, 5\n", edge_labels=None), root)
    adj = tu_dataset("TINY", root).graphs.adj
    assert adj.symmetric
    assert adj.to_dense()[1].tolist() == [1, 0, 1, 0, 0, 0]


def packed_files(root: Path) -> dict[str, int]:
    """The inode of every file of the copy: another one if it was written anew."""
    return {path.name: path.stat().st_ino for path in (root / "TINY" / "packed").iterdir()}


def assert_same(a: Graphs, b: Graphs) -> None:
    assert a.fingerprint() == b.fingerprint()
    assert a.x.dtype == b.x.dtype
    assert a.adj.symmetric == b.adj.symmetric


def test_the_copy_is_used(imported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tu_dataset("TINY", imported).graphs
    monkeypatch.delattr(tu, "read_tu")
    assert_same(tu_dataset("TINY", imported).graphs, first)


@pytest.mark.parametrize("file", ["x.npy", "adj.column.npy", "packed.json", "y.npy"])
@pytest.mark.parametrize("damage", ["cut", "removed", "emptied"])
def test_a_damaged_copy_is_made_again(imported: Path, file: str, damage: str) -> None:
    before = tu_dataset("TINY", imported).graphs
    path, files = imported / "TINY" / "packed" / file, packed_files(imported)
    whole = path.read_bytes()
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"")
    assert_same(tu_dataset("TINY", imported).graphs, before)
    assert packed_files(imported).keys() == files.keys()
    assert path.read_bytes() == whole


def test_a_copy_of_other_files_is_made_again(imported: Path) -> None:
    tu_dataset("TINY", imported)
    edges = imported / "TINY" / "raw" / "TINY_A.txt"
    edges.write_text(edges.read_text() + "1, 3\n")
    assert tu_dataset("TINY", imported).graphs.adj.to_dense()[0].tolist() == [0, 1, 1, 0, 0, 0]
    (imported / "TINY" / "raw" / "TINY_node_labels.txt").unlink()
    assert tu_dataset("TINY", imported).graphs.x.shape == (6, 1)


def test_a_touched_file_is_read_again(imported: Path) -> None:
    """Its content may have changed at the same size."""
    tu_dataset("TINY", imported)
    labels = imported / "TINY" / "raw" / "TINY_graph_labels.txt"
    before, status = packed_files(imported), labels.stat()
    labels.write_text("1\n1\n-1\n")
    os.utime(labels, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert tu_dataset("TINY", imported).graphs.labels.tolist() == [1, 1, 0]
    assert packed_files(imported) != before


def test_a_copy_by_other_code_is_made_again(
    imported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tu_dataset("TINY", imported)
    before = packed_files(imported)
    monkeypatch.setattr(tu, "READING", tu.READING + 1)
    tu_dataset("TINY", imported)
    assert packed_files(imported) != before


def test_an_interrupt_leaves_no_half_copy(imported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: PackedWriter) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(PackedWriter, "close", interrupted)
        tu_dataset("TINY", imported)
    assert [path.name for path in imported.rglob("*") if path.is_dir()] == ["TINY", "raw"]
    assert len(tu_dataset("TINY", imported).graphs) == 3


def test_a_copy_made_meanwhile_by_another_process_is_taken(
    imported: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    close = PackedWriter.close

    def overtaken(self: PackedWriter) -> None:
        monkeypatch.setattr(PackedWriter, "close", close)
        tu_dataset("TINY", imported)
        monkeypatch.setattr(packed_writer, "swap_folder", in_use)
        close(self)

    def in_use(new: Path, target: Path) -> None:
        raise OSError(39, "Directory not empty")

    monkeypatch.setattr(PackedWriter, "close", overtaken)
    assert len(tu_dataset("TINY", imported).graphs) == 3
    assert not [each for each in recwarn if "read again" in str(each.message)]
    assert {path.name for path in (imported / "TINY").iterdir()} == {"raw", "packed"}


def test_without_room_for_a_copy_the_text_is_enough(
    imported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(new: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packed_writer, "swap_folder", full)
    with pytest.warns(UserWarning, match=r"read again the next time.*No space left"):
        assert len(tu_dataset("TINY", imported).graphs) == 3


def test_remains_of_something_else_are_replaced(imported: Path) -> None:
    (imported / "TINY" / "packed").mkdir()
    (imported / "TINY" / "packed" / "half.npy").write_bytes(b"")
    assert len(tu_dataset("TINY", imported).graphs) == 3
    assert "half.npy" not in packed_files(imported)


def test_files_spoilt_after_the_import(imported: Path) -> None:
    (imported / "TINY" / "raw" / "TINY_A.txt").write_text("1, two\n")
    expected = r"files of TINY .*TINY_A\.txt.* in line 1, column 2\); .* smixup data import"
    with pytest.raises(SmixupError, match=expected):
        tu_dataset("TINY", imported)
    (imported / "TINY" / "raw" / "TINY_A.txt").unlink()
    with pytest.raises(SmixupError, match=r"files of TINY .*TINY_A\.txt.* smixup data import"):
        tu_dataset("TINY", imported)


def test_numbers_to_predict_are_values(make_tu: Callable[..., Path], root: Path) -> None:
    import_archive(make_tu(graph_labels=None, graph_attributes="0.5, 1\n1.5, 2\n2.5, 3\n"), root)
    for _ in range(2):  # from text, then from the copy
        found = tu_dataset("TINY", root)
        assert found.task == Values(("attribute 1", "attribute 2"))
        assert found.graphs.y.tolist() == [[0.5, 1], [1.5, 2], [2.5, 3]]
        assert (found.metric, found.graphs.has_classes) == ("mae", False)
    with pytest.raises(UsageError, match=r"TINY has no classes of graphs .*target=attributes"):
        tu_dataset("TINY", root, target="classes")
    attributes = root / "TINY" / "raw" / "TINY_graph_attributes.txt"
    attributes.write_text("7\n8\n9\n")
    assert tu_dataset("TINY", root).graphs.y.tolist() == [[7], [8], [9]]


def test_classes_and_values(make_tu: Callable[..., Path], root: Path) -> None:
    import_archive(make_tu(graph_attributes="0.5\n1.5\n2.5\n"), root)
    classes, values = tu_dataset("TINY", root), tu_dataset("TINY", root, target="attributes")
    assert classes.graphs.labels.tolist() == [1, 0, 1]
    assert (classes.task, classes.metric) == (Classes((-1, 1)), "accuracy")
    assert classes.notes[-1] == "graph attributes are there and not used: --data target=attributes."
    assert values.graphs.y.tolist() == [[0.5], [1.5], [2.5]]
    assert values.task == Values(("attribute 1",))
    assert not any("graph attributes" in note for note in values.notes)
    with pytest.raises(UsageError, match="target must be classes or attributes, not label"):
        tu_dataset("TINY", root, target="label")


def test_no_values(imported: Path) -> None:
    with pytest.raises(UsageError, match=r"TINY has no attributes of graphs .*target=classes"):
        tu_dataset("TINY", imported, target="attributes")


def test_what_edges_have_is_read_when_it_is_wanted(
    make_tu: Callable[..., Path], root: Path
) -> None:
    numbers = "".join(f"{i}.5\n" for i in (0, 0, 1, 2, 2, 3, 3, 4))
    import_archive(make_tu(edge_labels="0\n0\n2\n2\n2\n0\n0\n1\n", edge_attributes=numbers), root)
    plain, found = tu_dataset("TINY", root), tu_dataset("TINY", root, edges=True)
    assert plain.notes == (
        "edge labels and edge attributes are there and not used: --data edges=true.",
    )
    assert (found.notes, plain.graphs.edge_attrs) == ((), {})
    assert_same(found.graphs, plain.graphs)
    expected = {
        (0, 1): [0.5, 1, 0, 0],
        (1, 0): [0.5, 1, 0, 0],
        (1, 2): [1.5, 0, 0, 1],
        (2, 1): [2.5, 0, 0, 1],
        (3, 4): [3.5, 1, 0, 0],
        (4, 3): [3.5, 1, 0, 0],
    }
    for graphs in (found.graphs, tu_dataset("TINY", root, edges=True).graphs):  # and from the copy
        assert features_by_edge(graphs) == expected
    assert {path.name for path in (root / "TINY").iterdir()} == {"raw", "packed", "packed-edges"}


def features_by_edge(graphs: Graphs) -> dict[tuple[int, int], list[float]]:
    """By source and target."""
    batch = to_pyg(graphs)
    pairs = zip(batch.edge_index.T.tolist(), batch.edge_attr.tolist(), strict=True)
    return {(source, target): row for (source, target), row in pairs}


def test_an_edge_listed_once_has_its_label_in_both_directions(
    make_tu: Callable[..., Path], root: Path
) -> None:
    import_archive(make_tu(A="1, 2\n3, 2\n4, 5\n", edge_labels="3\n4\n3\n"), root)
    found = features_by_edge(tu_dataset("TINY", root, edges=True).graphs)
    assert found == {
        **{ends: [1, 0] for ends in [(0, 1), (1, 0), (3, 4), (4, 3)]},
        **{ends: [0, 1] for ends in [(1, 2), (2, 1)]},
    }


def test_edges_that_contradict_themselves(make_tu: Callable[..., Path], root: Path) -> None:
    import_archive(make_tu(edge_labels="0\n0\n1\n1\n2\n0\n0\n0\n"), root)
    assert len(tu_dataset("TINY", root).graphs) == 3
    with pytest.raises(SmixupError, match="lines 4 and 5 of its edges list the same one"):
        tu_dataset("TINY", root, edges=True)


def test_edges_that_have_nothing(make_tu: Callable[..., Path], root: Path) -> None:
    import_archive(make_tu(edge_labels=None), root)
    assert tu_dataset("TINY", root).notes == ()
    with pytest.raises(UsageError, match="TINY has no labels or attributes of edges"):
        tu_dataset("TINY", root, edges=True)
    with pytest.raises(UsageError, match="edges must be true or false, not 3"):
        tu_dataset("TINY", root, edges=3)  # type: ignore[arg-type]


def test_a_copy_of_other_labels_of_edges_is_made_again(imported: Path) -> None:
    before = features_by_edge(tu_dataset("TINY", imported, edges=True).graphs)
    labels = imported / "TINY" / "raw" / "TINY_edge_labels.txt"
    labels.write_text("5\n" * 8)
    assert features_by_edge(tu_dataset("TINY", imported, edges=True).graphs) != before


@pytest.mark.filterwarnings("ignore")
def test_real_edge_labels_are_pygs(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    root = real_data("MUTAG.zip")
    shutil.copytree(root / "MUTAG" / "raw", tmp_path / "MUTAG" / "raw")
    theirs = Batch.from_data_list(list(TUDataset(str(tmp_path), "MUTAG", use_edge_attr=True)))
    pairs = zip(theirs.edge_index.T.tolist(), theirs.edge_attr.tolist(), strict=True)
    graphs = tu_dataset("MUTAG", root, edges=True).graphs
    assert features_by_edge(graphs) == {(i, j): row for (i, j), row in pairs}


def as_pyg_reads_it(name: str, root: Path, scratch: Path) -> Graphs:
    """PyG's own reader, and the rules of this package written with PyG's functions.

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
    return Graphs(x, adj, torch.nn.functional.one_hot(read.y).float(), ptr)


def assert_as_pyg(name: str, root: Path, scratch: Path) -> None:
    expected = as_pyg_reads_it(name, root, scratch)
    wanted = bool(tu_dataset(name, root).unused_attributes) or None
    found = tu_dataset(name, root, attributes=wanted).graphs.floating()
    assert_same(found, expected)


@pytest.mark.filterwarnings("ignore")
def test_equal_to_pyg(
    make_tu: Callable[..., Path], root: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cases = [
        {},
        {"node_labels": None},
        {"node_attributes": None},
        {"node_labels": "4, 1\n6, 0\n4, 3\n4, 1\n5, 1\n6, -2\n"},
        {"A": "3, 1\n2, 1\n5, 4\n1, 1\n5, 4\n", "edge_labels": None},
        {"graph_labels": "7\n-3\n5\n"},
    ]
    for number, changes in enumerate(cases):
        published = make_tu(**changes)
        import_archive(published, root / str(number))
        shutil.rmtree(published)
        assert_as_pyg("TINY", root / str(number), tmp_path / str(number))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["MUTAG", "ENZYMES"])
def test_real_sets_equal_pygs(real_data: Callable[[str], Path], name: str, tmp_path: Path) -> None:
    assert_as_pyg(name, real_data(f"{name}.zip"), tmp_path)


def test_nothing_on_stdout(imported: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tu_dataset("TINY", imported)
    assert capfd.readouterr().out == ""


def test_real_proteins_attributes(real_data: Callable[[str], Path]) -> None:
    x = tu_dataset("PROTEINS", real_data("PROTEINS.zip"), attributes=True).graphs.x
    assert x.shape == (43471, 4)
    assert (x[:, 1:].sum(1) == 1).all()


def test_real_isolated_nodes_are_kept(real_data: Callable[[str], Path]) -> None:
    graphs = tu_dataset("NCI1", real_data("NCI1.zip")).graphs
    assert (graphs.adj.row_sums() == 0).any()
    assert graphs.x.size(0) == 122747
