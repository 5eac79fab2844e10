"""ogbg-molhiv (Hu et al. 2020): molecules, whether they inhibit HIV, and an official split by
scaffold.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.base import Dataset, Split
from smixup.datasets.bonds import BOND_VALUES
from smixup.datasets.sources import MOLHIV
from smixup.datasets.text_tables import read_integers
from smixup.errors import SmixupError, require
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.edge_features import EDGE_ATTR
from smixup.graphs.ragged import offsets
from smixup.warning import warn_user

BONDS = "raw/edge-feat.csv.gz"


def molhiv_dataset(root: Path, bonds: bool | None = None) -> Dataset:
    """Read OGB's own files under `root`; no other package is needed.

    The nine atom columns become one-hot features over the values that OGB defines (174 in all), so
    that the encoding depends neither on the split nor on what happens to occur; the three bond
    columns likewise become 13 features of edges, for backbones that take them. Every bond counts in
    both directions. The split is the official one, by scaffold, and the metric ROC-AUC.

    Args:
        root: the data root.
        bonds: whether edges have features; by default if the file is there, which earlier versions
            did not import.
    """
    folder = root / MOLHIV
    bonds = _has_bonds(folder, bonds)
    sizes = _tensor(folder, "raw/num-node-list.csv.gz")
    ptr = offsets(sizes)
    edge_index = _edge_index(folder, ptr[:-1])
    adj, edge_attrs = _edges(folder, edge_index, int(ptr[-1]), bonds)
    y = F.one_hot(_tensor(folder, "raw/graph-label.csv.gz"), 2).float()
    files = (f"split/scaffold/{part}.csv.gz" for part in ("train", "valid", "test"))
    split = Split(*(_tensor(folder, file) for file in files))
    graphs = Graphs(_atoms(folder), adj, y, ptr, edge_attrs=edge_attrs)
    return Dataset(MOLHIV, graphs, "rocauc", split)


def _has_bonds(folder: Path, wanted: bool | None) -> bool:
    """Tell whether to read the features of bonds; say so where they are not there."""
    require(wanted in (None, True, False), "bonds", wanted, "true or false")
    if wanted is False or (folder / BONDS).is_file():
        return wanted is not False
    told = f"{BONDS} of {MOLHIV} was not imported, so that its bonds have no features"
    again = "import the archive again: smixup data import hiv.zip"
    if wanted:
        raise SmixupError(f"{told}; {again}.")
    warn_user(f"{told}; {again}, or leave them out: --data bonds=false.")
    return False


def _edges(
    folder: Path, edge_index: Tensor, num_nodes: int, bonds: bool
) -> tuple[SparseOperator, dict[str, tuple[SparseOperator]]]:
    """Return the adjacency, and the features of its edges at the same places, sorted together."""
    ones = torch.ones(edge_index.size(1))
    if not bonds:
        return SparseOperator.from_edges(edge_index, ones, num_nodes), {}
    entries = torch.cat([ones.unsqueeze(1), _bonds(folder).repeat(2, 1)], 1)
    joint = SparseOperator.from_edges(edge_index, entries, num_nodes)
    adj, features = joint.weight[:, 0].contiguous(), joint.weight[:, 1:].contiguous()
    return replace(joint, weight=adj), {EDGE_ATTR: (replace(joint, weight=features),)}


def _tensor(folder: Path, file: str) -> Tensor:
    return torch.from_numpy(read_integers(folder / file, 1)[:, 0].copy())


def _edge_index(folder: Path, first: Tensor) -> Tensor:
    """Return bonds in both directions, atoms counted through all molecules; OGB lists each bond
    once.
    """
    bonds = torch.from_numpy(read_integers(folder / "raw/edge.csv.gz", 2)).T
    bonds = bonds + first.repeat_interleave(_tensor(folder, "raw/num-edge-list.csv.gz"))
    return torch.cat([bonds, bonds.flip(0)], 1)


def _atoms(folder: Path) -> Tensor:
    """Return one-hot atom features `[n, 174]`, in bytes."""
    return _one_hot(folder / "raw/node-feat.csv.gz", ATOM_VALUES)


def _bonds(folder: Path) -> Tensor:
    """Return one-hot features of bonds `[m / 2, 13]`, each bond once as OGB lists them."""
    return _one_hot(folder / BONDS, BOND_VALUES).float()


def _one_hot(path: Path, numbers: tuple[int, ...]) -> Tensor:
    """Return the columns of a table one-hot beside each other, in bytes; `numbers` says how many
    values each may take.
    """
    values = read_integers(path, len(numbers))
    columns = torch.from_numpy(values + np.cumsum((0, *numbers[:-1])))
    return torch.zeros(len(values), sum(numbers), dtype=torch.uint8).scatter_(1, columns, 1)
