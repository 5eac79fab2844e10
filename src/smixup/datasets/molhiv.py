"""ogbg-molhiv (Hu et al. 2020): molecules, whether they inhibit HIV, and an official split by
scaffold.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.base import Dataset, Split
from smixup.datasets.sources import MOLHIV
from smixup.datasets.text_tables import read_integers
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets


def molhiv_dataset(root: Path) -> Dataset:
    """Read OGB's own files under `root`; no other package is needed.

    The nine atom columns become one-hot features over the values that OGB defines (174 in all), so
    that the encoding depends neither on the split nor on what happens to occur. Every bond counts
    in both directions. Bond types are not read: the classifiers of the paper weight edges, they do
    not type them. The split is the official one, by scaffold, and the metric ROC-AUC.
    """
    folder = root / MOLHIV
    sizes = _tensor(folder, "raw/num-node-list.csv.gz")
    ptr = offsets(sizes)
    edge_index = _edge_index(folder, ptr[:-1])
    adj = SparseOperator.from_edges(edge_index, torch.ones(edge_index.size(1)), int(ptr[-1]))
    y = F.one_hot(_tensor(folder, "raw/graph-label.csv.gz"), 2).float()
    files = (f"split/scaffold/{part}.csv.gz" for part in ("train", "valid", "test"))
    split = Split(*(_tensor(folder, file) for file in files))
    return Dataset(MOLHIV, Graphs(_atoms(folder), adj, y, ptr), "rocauc", split)


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
    values = read_integers(folder / "raw/node-feat.csv.gz", len(ATOM_VALUES))
    columns = torch.from_numpy(values + np.cumsum((0, *ATOM_VALUES[:-1])))
    return torch.zeros(len(values), sum(ATOM_VALUES), dtype=torch.uint8).scatter_(1, columns, 1)
