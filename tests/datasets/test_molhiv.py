"""OGB's files become graphs with both directions of every bond, one-hot atoms, and the official
split.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from smixup.datasets.archives import import_archive
from smixup.datasets.molhiv import molhiv_dataset
from smixup.datasets.statistics import statistics


def test_hand_made_molecules(molecules: Path, root: Path) -> None:
    import_archive(molecules, root)
    dataset = molhiv_dataset(root)
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
    x = molhiv_dataset(root).graphs.x
    assert x.shape == (6, 174)
    assert x.dtype == torch.uint8
    starts = [0, 119, 124, 136, 148, 158, 164, 170, 172]
    values = [5, 0, 4, 5, 3, 0, 2, 0, 1]
    assert x[0].nonzero().squeeze(1).tolist() == [
        start + value for start, value in zip(starts, values, strict=True)
    ]
    assert x[4, 118] == 1


def test_the_real_set(real_data: Callable[[str], Path]) -> None:
    dataset = molhiv_dataset(real_data("hiv.zip"))
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
