"""Molecules are described as OGB describes them: by hand, and against the files that OGB made."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rdkit", reason="RDKit comes with the extra 'chem'")

from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.bonds import BOND_VALUES
from smixup.datasets.readers.molecules import read_molecules, scaffolds_of
from smixup.datasets.readers.tables import read_table
from smixup.datasets.text_tables import read_integers
from smixup.errors import SmixupError


def test_a_chiral_atom_and_a_bond_with_sides() -> None:
    """OGB's own example, worked out in the comments of its vocabulary."""
    found = read_molecules(["Cl[C@H](/C=C/C)Br"])
    assert found.atoms[1].tolist() == [5, 2, 4, 5, 1, 0, 2, 0, 0]
    assert found.ends.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4], [1, 5]]
    assert found.bonds[2].tolist() == [1, 2, 0]


def test_what_is_in_no_list_is_the_last() -> None:
    found = read_molecules(["*C", "[Fe+6]", "[He]", "N->[Cu]"])
    assert found.atoms[0, 0] == 118, "no element"
    assert found.atoms[2, 3] == 11, "a charge beyond 5"
    assert found.atoms[3, [0, 2, 3, 4]].tolist() == [1, 0, 5, 0]
    assert found.bonds[1].tolist() == [4, 0, 0], "a dative bond"
    assert (found.atoms < ATOM_VALUES).all()
    assert (found.bonds < BOND_VALUES).all()


def test_an_aromatic_ring() -> None:
    found = read_molecules(["c1ccccc1"])
    assert (found.atoms == [5, 0, 3, 5, 1, 0, 1, 1, 1]).all()
    assert (found.bonds == [3, 0, 1]).all()
    assert sorted(map(tuple, found.ends.tolist())) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
        (5, 0),
    ]


def test_atoms_are_counted_through_and_what_is_no_molecule_is_named(
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = read_molecules(["CC", "", "C1CC", "  ", "O", "nonsense", "CO", "C(C)(C)(C)(C)C"])
    assert found.invalid == (1, 2, 3, 5, 7)
    assert found.sizes.tolist() == [2, 1, 2]
    assert found.ends.tolist() == [[0, 1], [3, 4]]
    assert capfd.readouterr() == ("", ""), "RDKit is silent"


def test_no_molecule_at_all() -> None:
    found = read_molecules(["", "x"])
    assert (found.sizes.shape, found.atoms.shape) == ((0,), (0, 9))
    assert (found.ends.shape, found.bonds.shape) == ((0, 2), (0, 3))


def test_scaffolds() -> None:
    found = scaffolds_of(["Cc1ccccc1", "c1ccccc1CCO", "CCO", " C1CC1CC1CC1 "])
    assert found == ("c1ccccc1", "c1ccccc1", "", "C1CC1CC1CC1")


def test_rdkit_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(SmixupError, match=r"needs rdkit.*pip install 'smixup\[chem\]'"):
        read_molecules(["C"])


@pytest.mark.slow
def test_real_molecules_are_as_ogb_has_them(archive: Callable[[str], Path], tmp_path: Path) -> None:
    """Another version of RDKit refuses few molecules and sees some metals and unusual rings in
    other ways; all else is equal to the bit.
    """
    from smixup.datasets.unpacking import unpack

    unpack(archive("hiv.zip"), tmp_path / "ogb")
    raw, number = tmp_path / "ogb" / "hiv" / "raw", 4000
    smiles = read_table(raw.parent / "mapping" / "mol.csv.gz", ["smiles"])["smiles"]
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
        theirs, graph = read_integers(raw / f"{file}.csv.gz")[rows], graph[rows]
        other = np.unique(graph[(theirs != ours).any(1)])
        assert len(other) < 0.01 * number
    first = np.cumsum(found.sizes) - found.sizes
    graph = np.repeat(np.arange(len(edges)), edges)
    theirs = read_integers(raw / "edge.csv.gz")[np.isin(graph, read)]
    theirs = theirs + np.repeat(first, edges[read])[:, None]
    assert (theirs != found.ends).any(1).mean() < 1e-3
