"""The sets ogbg-mol* (Hu et al. 2020), ogbg-molhiv of the paper among them: molecules, one target
or many, and a split by scaffold.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from smixup.datasets.base import Dataset, Split
from smixup.datasets.layouts import (
    BONDS,
    HIV_TARGET,
    MAPPING,
    MOLHIV,
    OGB_SETS,
    SMILES,
    OgbLayout,
)
from smixup.datasets.molecules import ATOM_VALUES, BOND_VALUES, MoleculeTable
from smixup.datasets.readers.assembly import graphs_of, one_hot_columns
from smixup.datasets.readers.tables import read_table
from smixup.datasets.text import read_integers, read_numbers
from smixup.datasets.tu import require_rows
from smixup.errors import SmixupError, require, warn_user
from smixup.graphs.ragged import offsets
from smixup.tasks import Classes, Labels, Task, Values

REGRESSION = "rmse"
"""The metric of sets whose targets are values; those of the others are 0, 1 or not known."""
LABELS = "raw/graph-label.csv.gz"
PARTS = tuple(f"split/scaffold/{part}.csv.gz" for part in ("train", "valid", "test"))
MOST = 2**31 - 1  # nodes or edges of a graph


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
    first = ptr[:-1].repeat_interleave(_column(folder, "raw/num-edge-list.csv.gz"))
    ends = torch.from_numpy(read_integers(folder / "raw/edge.csv.gz", 2)).T + first
    graphs = graphs_of(
        ptr,
        _one_hot(folder / "raw/node-feat.csv.gz", ATOM_VALUES),
        torch.cat([ends, ends.flip(0)], 1),  # OGB lists each bond once
        edge_attr=_one_hot(folder / BONDS, BOND_VALUES).repeat(2, 1) if with_bonds else None,
    )
    task, y = _targets(name, folder)
    return Dataset(
        name,
        graphs.replace(y=y, has_classes=isinstance(task, Classes)),
        OGB_SETS[name].metric,
        Split(*(_column(folder, part) for part in PARTS)),
        task=task,
        table=MoleculeTable(read_table(folder / MAPPING, [SMILES]), SMILES),
    )


def _targets(name: str, folder: Path) -> tuple[Task, Tensor]:
    names = OgbLayout(folder).targets()
    y = torch.from_numpy(read_numbers(folder / LABELS, gaps=True)).float()
    if OGB_SETS[name].metric == REGRESSION:
        return Values(names), y
    if len(names) > 1 or bool(y.isnan().any()):
        return Labels(names), y
    return Classes.numbered(2), F.one_hot(y[:, 0].long(), 2).float()


def _column(folder: Path, file: str) -> Tensor:
    return torch.from_numpy(read_integers(folder / file, 1)[:, 0].copy())


def _one_hot(path: Path, widths: tuple[int, ...]) -> Tensor:
    return one_hot_columns(read_integers(path, len(widths)), widths)


def _has_bonds(name: str, folder: Path, wanted: bool | None) -> bool:
    """Tell whether to read the features of bonds; say so where they are not there."""
    require(wanted in (None, True, False), "bonds", wanted, "true or false")
    if wanted is False or (folder / BONDS).is_file():
        return wanted is not False
    missing = f"{BONDS} of {name} was not imported, so that its bonds have no features"
    again = "import the archive again: smixup data import PATH"
    if wanted:
        raise SmixupError(f"{missing}; {again}.")
    warn_user(f"{missing}; {again}, or leave them out: --data bonds=false.")
    return False


# --- checks of files before they are kept


def check_ogb(name: str, root: Path) -> None:
    """Refuse files that do not go together, or hold what OGB does not define; make graphs of them
    once.
    """
    folder, published = root / name, OGB_SETS[name]
    names = OgbLayout(folder).targets()
    if name == MOLHIV and names != (HIV_TARGET,):
        raise SmixupError(
            f"this is another OGB dataset than {MOLHIV}: {MAPPING} has no column {HIV_TARGET}."
        )
    if len(names) != published.targets:
        raise SmixupError(
            f"this is another OGB dataset than {name}: {MAPPING} has {len(names)} targets where it "
            f"should have {published.targets}."
        )
    nodes = _counts(folder / "raw/num-node-list.csv.gz", 1)
    edges = _counts(folder / "raw/num-edge-list.csv.gz", 0)
    graphs, bonds = nodes.size, folder / BONDS
    require_rows(folder / "raw/num-edge-list.csv.gz", edges.size, graphs)
    require_rows(folder / MAPPING, len(read_table(folder / MAPPING, [SMILES])[SMILES]), graphs)
    _check_labels(folder / LABELS, graphs, len(names), published.metric)
    what = "{} value that OGB does not define"
    _check_below(folder / "raw/node-feat.csv.gz", ATOM_VALUES, nodes.sum(), what.format("an atom"))
    own = np.repeat(nodes, edges)[:, None].repeat(2, 1)
    _check_below(folder / "raw/edge.csv.gz", own, edges.sum(), "a node outside of its graph")
    if bonds.is_file():
        _check_below(bonds, BOND_VALUES, edges.sum(), what.format("a bond"))
    parts = np.concatenate([read_integers(folder / part, 1) for part in PARTS])
    if not np.array_equal(np.sort(parts[:, 0]), np.arange(graphs)):
        raise SmixupError(f"split/scaffold must hold each of the {graphs} graphs exactly once.")
    ogb_dataset(name, root, bonds=bonds.is_file())


def _counts(path: Path, least: int) -> NDArray[np.int64]:
    """Return how many nodes or edges each graph has."""
    counts = read_integers(path, 1)[:, 0]
    if not counts.size or counts.min() < least or counts.max() > MOST:
        raise SmixupError(
            f"{path.name} must hold numbers from {least} to {MOST:,}, for each graph."
        )
    return counts


def _check_labels(path: Path, graphs: int, targets: int, metric: str) -> None:
    labels = read_numbers(path, gaps=True)
    require_rows(path, len(labels), graphs)
    if labels.shape[1] != targets:
        raise SmixupError(f"{path.name} has {labels.shape[1]} columns, expected {targets}.")
    if metric != REGRESSION and not np.isin(labels[~np.isnan(labels)], (0, 1)).all():
        raise SmixupError(f"{path.name} must hold zeros and ones only.")


def _check_below(path: Path, limits: Any, rows: int, what: str) -> None:
    """Refuse values that are not from 0 to below the limits, as `what` there is."""
    values = read_integers(path, np.shape(limits)[-1])
    require_rows(path, len(values), rows)
    odd = ((values < 0) | (values >= limits)).any(1)
    if odd.any():
        raise SmixupError(f"line {int(odd.argmax()) + 1} of {path.name} holds {what}.")
