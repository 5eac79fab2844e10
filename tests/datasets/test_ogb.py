"""OGB's files become graphs with both directions of every bond, and the official split."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
import torch

from smixup.datasets import Dataset, import_archive, load_dataset
from smixup.datasets.ogb import ogb_dataset
from smixup.datasets.sources import MOLHIV, find_layout
from smixup.datasets.tables import read_numbers
from smixup.errors import SmixupError
from smixup.tasks import Classes, Labels, Values


@pytest.fixture
def imported(molecules: Path, root: Path) -> Path:
    import_archive(molecules, root)
    return root


def test_hand_made_molecules(imported: Path) -> None:
    dataset = ogb_dataset(MOLHIV, imported)
    graphs, split = dataset.graphs, dataset.split
    assert graphs.ptr.tolist() == [0, 3, 5, 6]
    assert graphs.labels.tolist() == [0, 1, 0] and dataset.metric == "rocauc"
    parts = [part.tolist() for part in (split.train, split.validation, split.test)]
    assert parts == [[2], [0], [1]]
    starts = np.array([0, 119, 124, 136, 148, 158, 164, 170, 172])
    assert graphs.x.shape == (6, 174) and graphs.x.dtype == torch.uint8
    values = [5, 0, 4, 5, 3, 0, 2, 0, 1]
    assert graphs.x[0].nonzero().squeeze(1).tolist() == (starts + values).tolist()
    assert graphs.x[4, 118] == 1


def test_bonds_are_one_hot_per_column_in_both_directions(imported: Path) -> None:
    graphs = ogb_dataset(MOLHIV, imported).graphs
    adj, features = graphs.edge_features()
    assert graphs.num_edge_features == features.size(1) == 13
    found = {
        (i, j): row.nonzero().squeeze(1).tolist()
        for i, j, row in zip(adj.row.tolist(), adj.column.tolist(), features, strict=True)
    }
    kinds = {(0, 1): [0, 5, 11], (1, 2): [1, 7, 12], (3, 4): [4, 10, 11]}
    assert found == kinds | {(j, i): kind for (i, j), kind in kinds.items()}


SMILES = ",smiles,mol_id\n"
SETS = {
    "clintox": {
        "raw/graph-label": "0,1\n,0\n1.0,\n",
        "mapping/mol": f"FDA_APPROVED,CT_TOX{SMILES}0,1,CNO,a\n,0,CC,b\n1,,C,c\n",
    },
    "esol": {
        "raw/graph-label": "-0.77\n1.5\n-3.3\n",
        "mapping/mol": f"measured log solubility{SMILES}-0.77,CNO,a\n1.5,CC,b\n-3.3,C,c\n",
    },
    "bbbp": {"mapping/mol": f"p_np{SMILES}0,CNO,a\n1,CC,b\n0,C,c\n"},
}


def test_labels_with_gaps_values_and_classes(
    make_molhiv: Callable[..., Path], root: Path, tmp_path: Path
) -> None:
    def load(archive: str, name: str) -> Dataset:
        copytree(make_molhiv(SETS[archive]), tmp_path / archive)
        import_archive(tmp_path / archive, root)
        return load_dataset(name, root)

    found = load("clintox", "molclintox")
    assert found.task == Labels(("FDA_APPROVED", "CT_TOX"))
    assert (found.name, found.metric) == ("ogbg-molclintox", "rocauc")
    y = [[None if math.isnan(cell) else cell for cell in row] for row in found.graphs.y.tolist()]
    assert y == [[0, 1], [None, 0], [1, None]]
    assert found.table["smiles"] == ("CNO", "CC", "C") and found.split.train.tolist() == [2]
    found = load("esol", "ogbg-molesol")
    assert (found.task, found.metric) == (Values(("measured log solubility",)), "rmse")
    torch.testing.assert_close(found.graphs.y, torch.tensor([[-0.77], [1.5], [-3.3]]))
    found = load("bbbp", "molbbbp")
    assert found.task == Classes((0, 1)) and found.graphs.y.tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("folder", ["tox21", "ogbg-moltox21", "ogbg_moltox21", "ogbg-molTox21"])
def test_sets_are_known_by_their_folder(molecules: Path, tmp_path: Path, folder: str) -> None:
    molecules.rename(tmp_path / folder)
    assert find_layout(tmp_path / folder).name == "ogbg-moltox21"
    (tmp_path / folder).rename(tmp_path / "mine")
    with pytest.raises(SmixupError, match="'mine', which does not tell the set"):
        find_layout(tmp_path / "mine")


def test_empty_cells_are_gaps_wherever_they_stand(tmp_path: Path) -> None:
    nan, path = np.nan, tmp_path / "y.csv.gz"
    for text, expected in {
        "1,,0\n,,\n,1,\n": [[1, nan, 0], [nan, nan, nan], [nan, 1, nan]],
        "1\n\n0\n": [[1], [nan], [0]],
        "1,\r\n,0.5\r\n": [[1, nan], [nan, 0.5]],
    }.items():
        path.write_bytes(gzip.compress(text.encode()))
        np.testing.assert_array_equal(read_numbers(path, gaps=True), expected)
