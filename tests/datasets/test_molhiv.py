"""OGB's files become graphs with both directions of every bond, one-hot atoms, and the official
split.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from smixup.datasets.archives import import_archive
from smixup.datasets.ogb import ogb_dataset
from smixup.datasets.sources import MOLHIV
from smixup.datasets.statistics import statistics
from smixup.errors import SmixupError, UsageError


def test_hand_made_molecules(molecules: Path, root: Path) -> None:
    import_archive(molecules, root)
    dataset = ogb_dataset(MOLHIV, root)
    graphs, split = dataset.graphs, dataset.split
    expected = torch.zeros(6, 6)
    for i, j in ((0, 1), (1, 2), (3, 4)):
        expected[i, j] = expected[j, i] = 1
    torch.testing.assert_close(graphs.adj.to_dense(), expected)
    assert graphs.ptr.tolist() == [0, 3, 5, 6]
    assert graphs.labels.tolist() == [0, 1, 0]
    assert graphs.num_classes == 2
    assert dataset.metric == "rocauc"
    assert split is not None
    assert [part.tolist() for part in (split.train, split.validation, split.test)] == [
        [2],
        [0],
        [1],
    ]


def test_atoms_are_one_hot_per_column(molecules: Path, root: Path) -> None:
    import_archive(molecules, root)
    x = ogb_dataset(MOLHIV, root).graphs.x
    assert x.shape == (6, 174)
    assert x.dtype == torch.uint8
    starts = [0, 119, 124, 136, 148, 158, 164, 170, 172]
    values = [5, 0, 4, 5, 3, 0, 2, 0, 1]
    assert x[0].nonzero().squeeze(1).tolist() == [
        start + value for start, value in zip(starts, values, strict=True)
    ]
    assert x[4, 118] == 1


def test_bonds_are_one_hot_per_column_in_both_directions(molecules: Path, root: Path) -> None:
    import_archive(molecules, root)
    graphs = ogb_dataset(MOLHIV, root).graphs
    adj, features = graphs.edge_features()
    assert graphs.num_edge_features == features.size(1) == 13
    found = {
        (i, j): row.nonzero().squeeze(1).tolist()
        for i, j, row in zip(adj.row.tolist(), adj.column.tolist(), features, strict=True)
    }
    kinds = {(0, 1): [0, 5, 11], (1, 2): [1, 7, 12], (3, 4): [4, 10, 11]}
    assert found == kinds | {(j, i): kind for (i, j), kind in kinds.items()}
    assert set(features.flatten().tolist()) == {0.0, 1.0}


def test_without_bonds_the_rest_is_the_same_to_the_bit(molecules: Path, root: Path) -> None:
    import_archive(molecules, root)
    without, with_bonds = (ogb_dataset(MOLHIV, root, bonds=each).graphs for each in (False, True))
    assert not without.edge_attrs
    assert without.fingerprint() == with_bonds.fingerprint()
    assert with_bonds.without_edge_attributes().adj.to_sparse().symmetric


def test_bonds_that_were_not_imported_are_missed(
    make_molhiv: Callable[..., Path], root: Path
) -> None:
    import_archive(make_molhiv({"raw/edge-feat": None}), root)
    again = r"raw/edge-feat\.csv\.gz of ogbg-molhiv was not imported.* import the archive again"
    with pytest.warns(UserWarning, match=f"{again}.*--data bonds=false"):
        assert not ogb_dataset(MOLHIV, root).graphs.edge_attrs
    with pytest.raises(SmixupError, match=again):
        ogb_dataset(MOLHIV, root, bonds=True)
    assert not ogb_dataset(MOLHIV, root, bonds=False).graphs.edge_attrs  # and nothing is said
    with pytest.raises(UsageError, match="bonds must be true or false, not maybe"):
        ogb_dataset(MOLHIV, root, bonds="maybe")  # type: ignore[arg-type]


def test_the_real_bonds(real_data: Callable[[str], Path]) -> None:
    graphs = ogb_dataset(MOLHIV, real_data("hiv.zip")).graphs
    adj, features = graphs.edge_features()
    assert adj.has_entries_of(graphs.adj.to_sparse())
    assert (features.sum(1) == 3).all()
    single, double, triple, aromatic, _ = (features[:, :5].sum(0) / len(features)).tolist()
    assert aromatic > 0.4
    assert single > double > triple > 0
    assert all(
        torch.equal(each.to_dense(), each.to_dense().T)
        for each in graphs[:50].edge_attrs["edge_attr"][0].unbind()
    )


def test_the_real_set(real_data: Callable[[str], Path]) -> None:
    dataset = ogb_dataset(MOLHIV, real_data("hiv.zip"))
    figures, split, graphs = statistics(dataset), dataset.split, dataset.graphs
    assert (figures.graphs, figures.classes) == (41127, 2)
    assert (round(figures.average_nodes, 1), round(figures.average_edges, 1)) == (25.5, 27.5)
    assert split is not None
    assert [part.numel() for part in (split.train, split.validation, split.test)] == [
        32901,
        4113,
        4113,
    ]
    assert (
        torch.cat([split.train, split.validation, split.test])
        .sort()
        .values.equal(torch.arange(41127))
    )
    assert (graphs.adj.weight == 1).all()
    assert graphs.adj.symmetric
    assert int(graphs.labels.sum()) == 1443
    assert (graphs.x[:1000].sum(1) == 9).all()
