"""Molecules as RDKit reads them, described as OGB describes atoms and bonds (`allowable_features`
in `ogb/utils/features.py`).
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
"""How many values each column of an atom has: atomic number, chirality, degree with hydrogens,
formal charge, hydrogens, radical electrons, hybridization, is aromatic, is in a ring."""
BOND_VALUES = (5, 6, 2)
"""How many values each column of a bond has: type, stereo, is conjugated."""
PERIODS = """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br
    Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho
    Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es
    Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
SYMBOLS = (*PERIODS.split(), "?")
"""Of the elements by atomic number, from 1; the last value of the first column is any other."""
CHIRALITY = ("CHI_UNSPECIFIED", "CHI_TETRAHEDRAL_CW", "CHI_TETRAHEDRAL_CCW", "CHI_OTHER")
HYBRIDIZATION = ("SP", "SP2", "SP3", "SP3D", "SP3D2")
BOND_TYPE = ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC")
BOND_STEREO = ("STEREONONE", "STEREOZ", "STEREOE", "STEREOCIS", "STEREOTRANS")


@dataclass(frozen=True)
class Molecules:
    """Molecules in a row: n atoms, m bonds, G molecules; categories are columns."""

    sizes: NDArray[np.int64]  # [G], atoms of each
    atoms: NDArray[np.uint8]  # [n, 9]
    ends: NDArray[np.int64]  # [m, 2], the atoms that each bond joins, counted through all
    bonds: NDArray[np.uint8]  # [m, 3]
    invalid: tuple[int, ...]  # places of texts that are no molecule, which are left out


def read_molecules(smiles: Iterable[str]) -> Molecules:
    """Read molecules; an empty text is none."""
    chem = import_optional("rdkit.Chem", "rdkit", "chem")
    base = import_optional("rdkit.rdBase", "rdkit", "chem")
    chirality = _places(chem.ChiralType, CHIRALITY)
    hybridization = _places(chem.HybridizationType, HYBRIDIZATION)
    kinds, stereo = _places(chem.BondType, BOND_TYPE), _places(chem.BondStereo, BOND_STEREO)
    sizes: list[int] = []
    ends: list[int] = []
    atoms, bonds, invalid, first = bytearray(), bytearray(), [], 0
    silence = base.BlockLogs()  # until it is deleted
    for place, text in enumerate(smiles):
        molecule = chem.MolFromSmiles(text.strip()) if text.strip() else None
        if molecule is None or not molecule.GetNumAtoms():
            invalid.append(place)
            continue
        for atom in molecule.GetAtoms():
            atoms += bytes(
                (
                    _within(atom.GetAtomicNum() - 1, 118),
                    chirality.get(atom.GetChiralTag(), 4),
                    _within(atom.GetTotalDegree(), 11),
                    _within(atom.GetFormalCharge() + 5, 11),
                    _within(atom.GetTotalNumHs(), 9),
                    _within(atom.GetNumRadicalElectrons(), 5),
                    hybridization.get(atom.GetHybridization(), 5),
                    atom.GetIsAromatic(),
                    atom.IsInRing(),
                )
            )
        for bond in molecule.GetBonds():
            ends += first + bond.GetBeginAtomIdx(), first + bond.GetEndAtomIdx()
            bonds.append(kinds.get(bond.GetBondType(), 4))
            bonds.append(stereo.get(bond.GetStereo(), 5))
            bonds.append(bond.GetIsConjugated())
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


def _places(kind: Any, names: tuple[str, ...]) -> dict[Any, int]:
    return {getattr(kind, name): place for place, name in enumerate(names)}


def _within(value: int, number: int) -> int:
    return value if 0 <= value < number else number


def scaffolds_of(smiles: Iterable[str]) -> tuple[str, ...]:
    """Return the Bemis-Murcko scaffold of every molecule as SMILES without chirality: its rings and
    what joins them, an empty text where there is no ring. Molecules that share one are alike.
    """
    murcko = import_optional("rdkit.Chem.Scaffolds.MurckoScaffold", "rdkit", "chem")
    silence = import_optional("rdkit.rdBase", "rdkit", "chem").BlockLogs()
    scaffolds = tuple(murcko.MurckoScaffoldSmiles(text.strip()) for text in smiles)
    del silence
    return scaffolds


SCAFFOLD = "scaffold"


class MoleculeTable(dict[str, tuple[str, ...]]):
    """Columns by name, and the column `scaffold`, which is computed from `smiles` when it is asked
    for and no part of what one goes through; a table that has such a column keeps its own.
    `left_out` are the rows without a molecule, by their place in the file, counted from 0.
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
