"""The sets ogbg-mol* (Hu et al. 2020), ogbg-molhiv of the paper among them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from smixup.datasets.base import Dataset, Split
from smixup.datasets.molecules import ATOM_VALUES, BOND_VALUES, MoleculeTable
from smixup.datasets.readers.assembly import graphs_of, one_hot_columns
from smixup.datasets.sources import OGB_SETS, Layout, ogb_layout
from smixup.datasets.tables import (
    read_arrays,
    read_integers,
    read_numbers,
    require_column,
    require_none,
    texts_of,
)
from smixup.errors import SmixupError
from smixup.graphs.ragged import offsets
from smixup.tasks import Classes, Labels, Task, Values

REGRESSION = "rmse"
"""The metric of sets whose targets are values; those of the others are 0, 1 or not known."""
MOLECULES, SMILES = "mapping/mol", "smiles"
MOST = 2**31  # nodes or edges of a graph


def ogb_dataset(name: str, root: Path) -> Dataset:
    """A set ogbg-mol* as OGB publishes it: smixup data import PATH.

    No other package is needed. Files that do not go together, or hold what OGB does not define, are
    refused.

    Atoms are one-hot by OGB's vocabulary (174 features), bonds likewise (13 features of edges,
    counted in both directions). One binary target is two classes; several are labels, with gaps
    where OGB has none; targets of regression are values. Split and metric are OGB's. SMILES, and
    scaffolds on demand, are in the table.

    Args:
        name: such as `ogbg-moltox21`.
        root: the data root.
    """
    files = ogb_layout(root / name, name)
    nodes = _below(files, "raw/num-node-list", (MOST,))[:, 0]
    edges = _below(files, "raw/num-edge-list", (MOST,), len(nodes))[:, 0]
    molecules, path = read_arrays(files.path(MOLECULES)), files.path(MOLECULES)
    require_column(path.name, SMILES, molecules)
    smiles = texts_of(path, molecules[SMILES])
    if len(smiles) != len(nodes):
        raise SmixupError(f"{path.name} has {len(smiles)} lines for {len(nodes)} graphs.")
    task, y = _targets(files, len(nodes), tuple(molecules), OGB_SETS[name].metric)
    own = np.repeat(nodes, edges)[:, None].repeat(2, 1)
    ends = torch.from_numpy(_below(files, "raw/edge", own, edges.sum()))
    ptr = offsets(torch.from_numpy(nodes))
    atoms = _below(files, "raw/node-feat", ATOM_VALUES, nodes.sum())
    bonds = _below(files, "raw/edge-feat", BOND_VALUES, edges.sum())
    graphs = graphs_of(
        ptr,
        one_hot_columns(atoms, ATOM_VALUES),
        ends.T + ptr[:-1].repeat_interleave(torch.from_numpy(edges)),
        edge_attr=one_hot_columns(bonds, BOND_VALUES),
        both_ways=True,  # OGB lists each bond once
    )
    return Dataset(
        name,
        graphs.replace(y=y, has_classes=isinstance(task, Classes)),
        OGB_SETS[name].metric,
        _split(files, len(y)),
        task=task,
        table=MoleculeTable({SMILES: smiles}, SMILES),
    )


def _targets(
    files: Layout, graphs: int, molecules: Sequence[str], metric: str
) -> tuple[Task, Tensor]:
    """Return the targets of all graphs, which are called as columns of the table of molecules."""
    path = files.path("raw/graph-label")
    names = tuple(name for name in molecules if name not in (SMILES, "mol_id"))
    y = read_numbers(path, graphs, gaps=True)
    if y.shape[1] != len(names):
        raise SmixupError(f"{path.name} has {y.shape[1]} columns, and names are {len(names)}.")
    targets = torch.from_numpy(y).float()
    if metric == REGRESSION:
        return Values(names), targets
    require_none(~np.isin(y, (0, 1)) & ~np.isnan(y), path, "holds neither zero nor one")
    if len(names) > 1 or np.isnan(y).any():
        return Labels(names), targets
    return Classes.numbered(2), F.one_hot(targets[:, 0].long(), 2).float()


def _split(files: Layout, graphs: int) -> Split:
    parts = [
        torch.from_numpy(read_integers(files.path(f"split/scaffold/{part}"), 1)[:, 0].copy())
        for part in ("train", "valid", "test")
    ]
    if not torch.equal(torch.cat(parts).sort().values, torch.arange(graphs)):
        raise SmixupError(f"split/scaffold must hold each of the {graphs} graphs exactly once.")
    return Split(*parts)


def _below(files: Layout, part: str, limits: Any, rows: int | None = None) -> NDArray[np.int64]:
    """Read whole numbers from 0 to below the limits, `[rows, k]`."""
    path = files.path(part)
    values = read_integers(path, np.shape(limits)[-1], rows)
    require_none((values < 0) | (values >= limits), path, "holds what OGB does not define")
    return values
