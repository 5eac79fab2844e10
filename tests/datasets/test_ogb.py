"""Sets of OGB's layout are read by one function: labels with gaps, values, classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
import torch

from smixup.app.runs.config import configure
from smixup.datasets import Dataset, import_archive, load_dataset
from smixup.datasets.ogb import ogb_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs.pyg import to_pyg
from smixup.tasks import Classes, Labels, Values

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

Load = Callable[..., Dataset]


@pytest.fixture
def load(make_molhiv: Callable[..., Path], root: Path, tmp_path: Path) -> Load:
    """Import a set that is called like an archive of OGB, and load it."""

    def loaded(archive: str, name: str, **options: object) -> Dataset:
        folder = tmp_path / archive
        if not folder.exists():
            copytree(make_molhiv(SETS[archive]), folder)
            import_archive(folder, root)
        return load_dataset(name, root, **options)

    return loaded


def test_labels_with_gaps(load: Load) -> None:
    found = load("clintox", "molclintox")
    assert found.name == "ogbg-molclintox"
    assert found.task == Labels(("FDA_APPROVED", "CT_TOX"))
    assert (found.metric, found.graphs.has_classes) == ("rocauc", False)
    y = found.graphs.y.tolist()
    assert [[None if math.isnan(cell) else cell for cell in row] for row in y] == [
        [0, 1],
        [None, 0],
        [1, None],
    ]
    assert found.table["smiles"] == ("CNO", "CC", "C")
    assert found.split is not None
    assert found.split.train.tolist() == [2]


def test_scaffolds(load: Load) -> None:
    pytest.importorskip("rdkit", reason="RDKit comes with the extra 'chem'")
    assert load("clintox", "molclintox").table["scaffold"] == ("", "", "")


def test_values(load: Load) -> None:
    found = load("esol", "ogbg-molesol")
    assert found.task == Values(("measured log solubility",))
    assert found.metric == "rmse"
    torch.testing.assert_close(found.graphs.y, torch.tensor([[-0.77], [1.5], [-3.3]]))


def test_one_binary_target_is_two_classes(load: Load) -> None:
    found = load("bbbp", "molbbbp")
    assert found.task == Classes((0, 1))
    assert found.graphs.y.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_bonds(load: Load, root: Path) -> None:
    found = to_pyg(load("bbbp", "molbbbp").graphs)
    kinds = {(0, 1): [0, 5, 11], (1, 2): [1, 7, 12], (3, 4): [4, 10, 11]}
    pairs = zip(found.edge_index.T.tolist(), found.edge_attr, strict=True)
    places = {(i, j): row.nonzero().squeeze(1).tolist() for (i, j), row in pairs}
    assert places == kinds | {(j, i): kind for (i, j), kind in kinds.items()}
    without = load("bbbp", "molbbbp", bonds=False).graphs
    assert without.edge_attrs == {}
    assert without.fingerprint() == load("bbbp", "molbbbp").graphs.fingerprint()
    with pytest.raises(UsageError, match="bonds must be true or false, not perhaps"):
        load("bbbp", "molbbbp", bonds="perhaps")
    (root / "ogbg-molbbbp" / "raw" / "edge-feat.csv.gz").unlink()
    with pytest.raises(SmixupError, match=r"edge-feat\.csv\.gz of ogbg-molbbbp was not imported"):
        load("bbbp", "molbbbp", bonds=True)


def test_a_run_takes_the_official_split() -> None:
    assert configure("ogbg-molesol").split == "official"


def test_the_real_set_has_its_smiles(real_data: Callable[[str], Path]) -> None:
    root = real_data("hiv.zip")
    assert len(ogb_dataset("ogbg-molhiv", root).table["smiles"]) == 41127
