"""The sets ogbg-mol* (Hu et al. 2020), ogbg-molhiv of the paper among them: molecules, one target
or many, and a split by scaffold.
"""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.base import Dataset, Split
from smixup.datasets.molecules import ATOM_VALUES, BOND_VALUES, MoleculeTable
from smixup.datasets.ogb_files import BONDS, MAPPING, OGB_SETS, REGRESSION, SMILES, target_names
from smixup.datasets.readers.assembly import graphs_of, one_hot_columns
from smixup.datasets.readers.tables import read_table
from smixup.datasets.text import read_integers, read_numbers
from smixup.errors import SmixupError, require
from smixup.graphs.ragged import offsets
from smixup.tasks import Classes, Labels, Task, Values
from smixup.warning import warn_user


def ogb_dataset(name: str, root: Path, bonds: bool | None = None) -> Dataset:
    """Read the files of a set ogbg-mol* under `root`; no other package is needed.

    Atoms are one-hot by OGB's vocabulary (174 features), bonds likewise (13 features of edges,
    counted in both directions). One binary target is two classes; several are labels, with gaps
    where OGB has none; targets of regression are values. Split and metric are OGB's. SMILES, and
    scaffolds on demand, are in the table.

    Args:
        name: such as `ogbg-moltox21`.
        root: the data root.
        bonds: whether edges have features; by default if the file is there, which earlier versions
            did not import.
    """
    folder = root / name
    with_bonds = _has_bonds(name, folder, bonds)
    ptr = offsets(_column(folder, "raw/num-node-list.csv.gz"))
    ends = _ends(folder, ptr[:-1])
    atoms = _one_hot(folder / "raw/node-feat.csv.gz", ATOM_VALUES)
    bonds = _one_hot(folder / BONDS, BOND_VALUES).repeat(2, 1) if with_bonds else None
    task, y = _targets(name, folder)
    graphs = graphs_of(ptr, atoms, ends, edge_attr=bonds)
    graphs = graphs.replace(y=y, has_classes=isinstance(task, Classes))
    files = (f"split/scaffold/{part}.csv.gz" for part in ("train", "valid", "test"))
    split = Split(*(_column(folder, file) for file in files))
    return Dataset(
        name,
        graphs,
        OGB_SETS[name].metric,
        split,
        task=task,
        table=MoleculeTable(read_table(folder / MAPPING, [SMILES]), SMILES),
    )


def _targets(name: str, folder: Path) -> tuple[Task, Tensor]:
    names = target_names(folder)
    y = torch.from_numpy(read_numbers(folder / "raw/graph-label.csv.gz", gaps=True)).float()
    if OGB_SETS[name].metric == REGRESSION:
        return Values(names), y
    if len(names) > 1 or bool(y.isnan().any()):
        return Labels(names), y
    return Classes.numbered(2), F.one_hot(y[:, 0].long(), 2).float()


def _column(folder: Path, file: str) -> Tensor:
    return torch.from_numpy(read_integers(folder / file, 1)[:, 0].copy())


def _ends(folder: Path, first: Tensor) -> Tensor:
    """Return bonds in both directions `[2, m]`, atoms counted through all molecules; OGB lists each
    bond once.
    """
    bonds = torch.from_numpy(read_integers(folder / "raw/edge.csv.gz", 2)).T
    bonds = bonds + first.repeat_interleave(_column(folder, "raw/num-edge-list.csv.gz"))
    return torch.cat([bonds, bonds.flip(0)], 1)


def _has_bonds(name: str, folder: Path, wanted: bool | None) -> bool:
    """Tell whether to read the features of bonds; say so where they are not there."""
    require(wanted in (None, True, False), "bonds", wanted, "true or false")
    if wanted is False or (folder / BONDS).is_file():
        return wanted is not False
    told = f"{BONDS} of {name} was not imported, so that its bonds have no features"
    again = "import the archive again: smixup data import PATH"
    if wanted:
        raise SmixupError(f"{told}; {again}.")
    warn_user(f"{told}; {again}, or leave them out: --data bonds=false.")
    return False


def _one_hot(path: Path, widths: tuple[int, ...]) -> Tensor:
    return one_hot_columns(read_integers(path, len(widths)), widths)
