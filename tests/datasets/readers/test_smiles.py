"""A table of SMILES becomes graphs as OGB describes them, with a word on what was read as what."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rdkit", reason="RDKit comes with the extra 'chem'")

from smixup.datasets import load_dataset
from smixup.datasets.molecules import (
    ATOM_VALUES,
    BOND_VALUES,
    SYMBOLS,
    read_molecules,
    scaffolds_of,
)
from smixup.datasets.readers.smiles import read_smiles
from smixup.datasets.tables import read_integers, read_table
from smixup.errors import SmixupError
from smixup.graphs.pyg import to_pyg
from smixup.tasks import Classes, Labels, Values

TABLE = "name,smiles,active,logp\nethanol,CCO,0,-0.31\nmethane,C,1,\nbenzene,c1ccccc1,1,2.13\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(text: str = TABLE, name: str = "molecules.csv") -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


def test_graphs_bonds_and_table(write: Callable[..., Path]) -> None:
    dataset = load_dataset(write(), target="active")
    graphs = dataset.graphs
    assert dataset.name == "molecules"
    assert graphs.ptr.tolist() == [0, 3, 4, 10]
    assert graphs.x.shape == (10, 174) and (graphs.x.sum(1) == 9).all()
    assert graphs.x[:, 5].tolist() == [1, 1, 0, 1, 1, 1, 1, 1, 1, 1], "carbon, not the oxygen"
    expected = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert graphs.adj.to_dense()[:4, :4].tolist() == expected
    assert graphs.adj.symmetric
    single, aromatic = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1] + [0] * 6 + [1]
    assert to_pyg(graphs).edge_attr.tolist() == [single] * 4 + [aromatic] * 12
    assert dataset.table["name"] == ("ethanol", "methane", "benzene")
    assert dataset.table["scaffold"] == ("", "", "c1ccccc1")
    assert list(dataset.table) == ["name", "smiles", "active", "logp"]
    bare = read_smiles(write("smiles,y\nC,0\nO,1\n")).graphs
    assert to_pyg(bare).edge_attr.shape == (0, 13)


def test_what_targets_mean(write: Callable[..., Path]) -> None:
    active = read_smiles(write(), target="active")
    assert (active.task, active.metric) == (Classes((0, 1)), "accuracy")
    assert active.graphs.y.tolist() == [[1, 0], [0, 1], [0, 1]]
    assert active.notes == ("target 'active' was read as classes: 0 (1), 1 (2).",)
    logp = read_smiles(write(), target="logp")
    assert isinstance(logp.task, Values)
    assert (logp.metric, logp.graphs.has_classes) == ("mae", False)
    assert logp.graphs.y[:, 0].isnan().tolist() == [False, True, False]
    assert read_smiles(write(), target="active, logp").graphs.y.shape == (3, 2)
    labels = read_smiles(write(), target="active", task="labels")
    assert isinstance(labels.task, Labels) and labels.graphs.y.tolist() == [[0], [1], [1]]
    gaps = read_smiles(write("smiles,a,b\nC,1,\nCC,,0\n"), target="a,b")
    assert isinstance(gaps.task, Labels) and gaps.metric == "rocauc"
    assert gaps.graphs.y.isnan().tolist() == [[False, True], [True, False]]
    comma = write('smiles,"a,b",0\nC,1,5\nCC,0,6\n')
    assert read_smiles(comma, target="a,b").task == Classes((0, 1))
    assert read_smiles(comma, target=0).task == Classes((5, 6))  # type: ignore[arg-type]


def test_molecules_that_cannot_be_read(write: Callable[..., Path]) -> None:
    path = write("smiles,y\nC,0\nC1CC,1\n,1\nCC,1\nxx,0\nCCC,0\nyy,0\n")
    with pytest.raises(SmixupError, match=r"row 5 'xx', \.\.\.; .*invalid=skip"):
        read_smiles(path)
    found = load_dataset(path, invalid="skip")
    assert found.table["smiles"] == ("C", "CC", "CCC")
    assert found.graphs.labels.tolist() == [0, 1, 0]
    assert found.notes[1].startswith("4 of 7 rows of molecules.csv hold no molecule")
    assert list(found.table.left_out) == [1, 2, 4, 6]
    assert found.table.left_out[4] == {"smiles": "xx", "y": "0"}
    with pytest.raises(SmixupError, match=r"molecules\.csv: row 3 of column 'y' has no class"):
        read_smiles(write("smiles,y\nxx,0\nC,0\nCC,\n"), invalid="skip")


def test_new_molecules_are_read_alike(write: Callable[..., Path]) -> None:
    text = "id,Structure,y\n" + "".join(f"{i},{'C' * (i + 1)},{'abc'[i % 3]}\n" for i in range(6))
    first = read_smiles(write(text), smiles="Structure", target="y", invalid="skip")
    new = write("Structure,more,id\nCO,1,2\nxx,1,2\n", "new.csv")
    unknown = read_smiles(new, like=first.reading)
    assert unknown.task == first.task and unknown.graphs.y.shape == (1, 0)
    assert unknown.notes[0] == "the targets are not known."
    assert unknown.table["more"] == ("1",)
    again = read_smiles(write("Structure,y\nC,c\nCC,a\n", "n.csv"), like=first.reading)
    assert again.graphs.y.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert again.reading == first.reading
    with pytest.raises(SmixupError, match="'z' of graph 0 is none of the classes a, b, c"):
        read_smiles(write("Structure,y\nC,z\n", "n.csv"), like=first.reading)
    values = read_smiles(write("smiles,a,b\nC,0.5,1\nCC,0.25,2\n"), target="a,b")
    found = read_smiles(write("smiles,b\nC,3\n", "new.csv"), like=values.reading)
    assert found.graphs.y[0, 1] == 3 and found.graphs.y[0, 0].isnan()


def test_atoms_and_bonds_by_hand() -> None:
    """The first is OGB's own example, worked out in the comments of its vocabulary."""
    found = read_molecules(["Cl[C@H](/C=C/C)Br"])
    assert found.atoms[1].tolist() == [5, 2, 4, 5, 1, 0, 2, 0, 0]
    assert found.ends.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [1, 5]]
    assert found.bonds[2].tolist() == [1, 2, 0]
    odd = read_molecules(["*C", "[Fe+6]", "[He]", "N->[Cu]"])
    assert odd.atoms[0, 0] == 118, "no element"
    assert odd.atoms[2, 3] == 11, "a charge beyond 5"
    assert odd.atoms[3, [0, 2, 3, 4]].tolist() == [1, 0, 5, 0]
    assert odd.bonds[1].tolist() == [4, 0, 0], "a dative bond"
    assert (odd.atoms < ATOM_VALUES).all() and (odd.bonds < BOND_VALUES).all()
    ring = read_molecules(["c1ccccc1"])
    assert (ring.atoms == [5, 0, 3, 5, 1, 0, 1, 1, 1]).all() and (ring.bonds == [3, 0, 1]).all()
    assert len(set(SYMBOLS)) == len(SYMBOLS) == ATOM_VALUES[0]
    assert (SYMBOLS[5], SYMBOLS[78], SYMBOLS[-1]) == ("C", "Au", "?")


def test_atoms_are_counted_through_and_what_is_no_molecule_is_named(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_molecules(["CC", "", "C1CC", "  ", "O", "nonsense", "CO", "C(C)(C)(C)(C)C"])
    assert found.invalid == (1, 2, 3, 5, 7)
    assert found.sizes.tolist() == [2, 1, 2]
    assert found.ends.tolist() == [[0, 1], [3, 4]]
    assert capfd.readouterr() == ("", ""), "RDKit is silent"
    nothing = read_molecules(["", "x"])
    assert (nothing.atoms.shape, nothing.ends.shape) == ((0, 9), (0, 2))
    scaffolds = scaffolds_of(["Cc1ccccc1", "CCO", " C1CC1CC1CC1 "])
    assert scaffolds == ("c1ccccc1", "", "C1CC1CC1CC1")
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(SmixupError, match=r"needs rdkit.*pip install 'smixup\[chem\]'"):
        read_molecules(["C"])


def test_real_molecules_are_as_ogb_has_them(archive: Callable[[str], Path], tmp_path: Path) -> None:
    """Another version of RDKit refuses few molecules and sees some metals and unusual rings in
    other ways; all else is equal to the bit.
    """
    from smixup.datasets.sources import unpack

    unpack(archive("hiv.zip"), tmp_path / "ogb")
    raw, number = tmp_path / "ogb" / "hiv" / "raw", 1000
    smiles = read_table(raw.parent / "mapping" / "mol.csv.gz")["smiles"]
    found = read_molecules(smiles[:number])
    assert len(found.invalid) < 5
    read = np.setdiff1d(np.arange(number), found.invalid)
    nodes, edges = (
        read_integers(raw / f"num-{kind}-list.csv.gz")[:, 0] for kind in ("node", "edge")
    )
    assert np.array_equal(nodes[read], found.sizes)
    for file, counts, ours in (
        ("node-feat", nodes, found.atoms),
        ("edge-feat", edges, found.bonds),
    ):
        graph = np.repeat(np.arange(len(counts)), counts)
        rows = np.isin(graph, read)
        theirs = read_integers(raw / f"{file}.csv.gz")[rows]
        assert len(np.unique(graph[rows][(theirs != ours).any(1)])) < 0.01 * number
