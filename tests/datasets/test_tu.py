"""TU files become simple undirected graphs with one-hot node labels."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch_geometric.datasets import TUDataset

from smixup.datasets.archives import import_archive
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError, UsageError


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


def test_the_processed_copy_is_used_and_mended(imported: Path) -> None:
    before = tu_dataset("TINY", imported).graphs
    copy = imported / "TINY" / "processed" / "data.pt"
    whole = copy.read_bytes()
    copy.write_bytes(whole[: len(whole) // 2])
    again = tu_dataset("TINY", imported).graphs
    assert torch.equal(before.adj.column, again.adj.column)
    assert len(copy.read_bytes()) > len(whole) // 2


def test_an_interrupt_leaves_no_half_copy(imported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: TUDataset) -> None:
        Path(self.processed_paths[0]).write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(TUDataset, "process", interrupted)
        tu_dataset("TINY", imported)
    assert [path.name for path in imported.rglob("*") if path.is_dir()] == ["TINY", "raw"]
    assert len(tu_dataset("TINY", imported).graphs) == 3


def test_a_copy_made_meanwhile_by_another_process_is_taken(
    imported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = TUDataset.process

    def overtaken(self: TUDataset) -> None:
        process(self)
        shutil.copytree(self.processed_dir, imported / "TINY" / "processed")

    monkeypatch.setattr(TUDataset, "process", overtaken)
    assert len(tu_dataset("TINY", imported).graphs) == 3


def test_remains_of_an_interrupted_reader_are_replaced(imported: Path) -> None:
    (imported / "TINY" / "processed").mkdir()
    (imported / "TINY" / "processed" / "pre_filter.pt").write_bytes(b"")
    assert len(tu_dataset("TINY", imported).graphs) == 3


def test_files_spoilt_after_the_import(imported: Path) -> None:
    (imported / "TINY" / "raw" / "TINY_A.txt").write_text("1, two\n")
    with pytest.raises(SmixupError, match=r"files of TINY .* smixup data import"):
        tu_dataset("TINY", imported)


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
