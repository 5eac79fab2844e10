"""Molecules as RDKit reads them, described as OGB describes atoms and bonds.

| of an atom | values |
|---|---|
| atomic number | 1 to 118, other |
| chirality | unspecified, clockwise, counter-clockwise, other, rest |
| degree with hydrogens | 0 to 10, more |
| formal charge | -5 to 5, other |
| hydrogens | 0 to 8, more |
| radical electrons | 0 to 4, more |
| hybridization | SP, SP2, SP3, SP3D, SP3D2, other |
| is aromatic, is in a ring | no, yes |

| of a bond | values |
|---|---|
| type | single, double, triple, aromatic, other |
| stereo | none, Z, E, cis, trans, any other |
| is conjugated | no, yes |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.errors import import_optional

ATOM_VALUES = (119, 5, 12, 12, 10, 6, 6, 2, 2)
"""How many values OGB defines for each atom column: atomic number, chirality, degree, formal
charge, number of H, number of radical electrons, hybridization, is aromatic, is in a ring."""

# fmt: off
SYMBOLS = (
    "H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne", "Na", "Mg", "Al", "Si", "P", "S", "Cl",
    "Ar", "K", "Ca", "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As",
    "Se", "Br", "Kr", "Rb", "Sr", "Y", "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In",
    "Sn", "Sb", "Te", "I", "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb",
    "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W", "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl",
    "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U", "Np", "Pu", "Am", "Cm", "Bk",
    "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn",
    "Nh", "Fl", "Mc", "Lv", "Ts", "Og", "?",
)
# fmt: on
"""Of the elements by atomic number, from 1; the last value of the first column is any other."""

BOND_VALUES = (5, 6, 2)
"""How many values OGB defines for each bond column (`ogb/utils/features.py`, `allowable_features`):
type (single, double, triple, aromatic, any other), stereo (none, Z, E, cis, trans, any), and
whether it is conjugated (no, yes)."""

CHIRALITY = ("CHI_UNSPECIFIED", "CHI_TETRAHEDRAL_CW", "CHI_TETRAHEDRAL_CCW", "CHI_OTHER")
HYBRIDIZATION = ("SP", "SP2", "SP3", "SP3D", "SP3D2")
BOND_TYPE = ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC")
BOND_STEREO = ("STEREONONE", "STEREOZ", "STEREOE", "STEREOCIS", "STEREOTRANS")


@dataclass(frozen=True)
class Molecules:
    """Molecules in a row: n atoms, m bonds, G molecules.

    Attributes:
        sizes: atoms of each molecule `[G]`.
        atoms: `[n, 9]`, a category per column, see above.
        ends: `[m, 2]`, the atoms that each bond joins, counted through all molecules.
        bonds: `[m, 3]`, a category per column.
        invalid: places of texts that are no molecule; they are left out of the others.
    """

    sizes: NDArray[np.int64]
    atoms: NDArray[np.uint8]
    ends: NDArray[np.int64]
    bonds: NDArray[np.uint8]
    invalid: tuple[int, ...]


def read_molecules(smiles: Iterable[str]) -> Molecules:
    """Read molecules; an empty text is none."""
    chem = import_optional("rdkit.Chem", "rdkit", "chem")
    base = import_optional("rdkit.rdBase", "rdkit", "chem")
    sizes: list[int] = []
    ends: list[int] = []
    atoms, bonds, invalid = bytearray(), bytearray(), []
    codes, first = _Codes(chem), 0
    silence = base.BlockLogs()  # until it is deleted
    for place, text in enumerate(smiles):
        molecule = chem.MolFromSmiles(text.strip()) if text.strip() else None
        if molecule is None or not molecule.GetNumAtoms():
            invalid.append(place)
            continue
        for atom in molecule.GetAtoms():
            atoms.extend(codes.of_atom(atom))
        for bond in molecule.GetBonds():
            ends += first + bond.GetBeginAtomIdx(), first + bond.GetEndAtomIdx()
            bonds.extend(codes.of_bond(bond))
        sizes.append(molecule.GetNumAtoms())
        first += sizes[-1]
    del silence
    return Molecules(
        np.array(sizes, np.int64),
        np.frombuffer(atoms, np.uint8).reshape(-1, len(ATOM_VALUES)),
        np.array(ends, np.int64).reshape(-1, 2),
        np.frombuffer(bonds, np.uint8).reshape(-1, len(BOND_VALUES)),
        tuple(invalid),
    )


def scaffolds_of(smiles: Iterable[str]) -> tuple[str, ...]:
    """Return the Bemis-Murcko scaffold of every molecule as SMILES without chirality: its rings and
    what joins them, an empty text where there is no ring. Molecules that share one are alike.
    """
    murcko = import_optional("rdkit.Chem.Scaffolds.MurckoScaffold", "rdkit", "chem")
    silence = import_optional("rdkit.rdBase", "rdkit", "chem").BlockLogs()
    found = tuple(murcko.MurckoScaffoldSmiles(text.strip()) for text in smiles)
    del silence
    return found


class _Codes:
    """The categories of atoms and bonds; what is in no list is the last."""

    def __init__(self, chem: Any) -> None:
        self._chirality = _places(chem.ChiralType, CHIRALITY)
        self._hybridization = _places(chem.HybridizationType, HYBRIDIZATION)
        self._type = _places(chem.BondType, BOND_TYPE)
        self._stereo = _places(chem.BondStereo, BOND_STEREO)

    def of_atom(self, atom: Any) -> tuple[int, ...]:
        return (
            _within(atom.GetAtomicNum() - 1, 118),
            self._chirality.get(atom.GetChiralTag(), 4),
            _within(atom.GetTotalDegree(), 11),
            _within(atom.GetFormalCharge() + 5, 11),
            _within(atom.GetTotalNumHs(), 9),
            _within(atom.GetNumRadicalElectrons(), 5),
            self._hybridization.get(atom.GetHybridization(), 5),
            atom.GetIsAromatic(),
            atom.IsInRing(),
        )

    def of_bond(self, bond: Any) -> tuple[int, ...]:
        return (
            self._type.get(bond.GetBondType(), 4),
            self._stereo.get(bond.GetStereo(), 5),
            bond.GetIsConjugated(),
        )


def _places(kind: Any, names: tuple[str, ...]) -> dict[Any, int]:
    return {getattr(kind, name): place for place, name in enumerate(names)}


def _within(value: int, number: int) -> int:
    return value if 0 <= value < number else number


SCAFFOLD = "scaffold"


class MoleculeTable(dict[str, tuple[str, ...]]):
    """Columns by name; Bemis-Murcko scaffolds are computed when somebody asks for the column
    `scaffold`. A table that has a column of this name keeps its own. Whoever goes through the table
    finds the columns that were given, and no more.

    Args:
        columns: of the rows that hold molecules.
        smiles: the name of the one with SMILES.
        left_out: of the other rows, their cells by the names of columns, by the place of the row in
            the file, counted from 0: so that a table can be written as it was.
    """

    def __init__(
        self,
        columns: Mapping[str, tuple[str, ...]],
        smiles: str,
        left_out: Mapping[int, Mapping[str, str]] | None = None,
    ) -> None:
        super().__init__(columns)
        self.smiles, self.left_out = smiles, dict(left_out or {})

    def __contains__(self, name: object) -> bool:
        return name == SCAFFOLD or super().__contains__(name)

    def __missing__(self, name: str) -> tuple[str, ...]:
        if name != SCAFFOLD:
            raise KeyError(name)
        return self._scaffolds

    @cached_property
    def _scaffolds(self) -> tuple[str, ...]:
        return scaffolds_of(self[self.smiles])
