"""The sets of molecules that OGB publishes (Hu et al. 2020), ogbg-mol*: names, files, and checks of
them before they are kept. No torch is needed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.layout import Layout, is_plain, require_files
from smixup.datasets.molecules import ATOM_VALUES, BOND_VALUES
from smixup.datasets.readers.tables import column_names, read_table
from smixup.datasets.text import read_integers, read_numbers
from smixup.datasets.tu_files import require_rows
from smixup.errors import SmixupError
from smixup.shown import shown

MAPPING, BONDS = "mapping/mol.csv.gz", "raw/edge-feat.csv.gz"
"""Molecules with their targets, and features of bonds, which earlier versions did not import."""
SMILES, OWN_NUMBER = "smiles", "mol_id"
MOLHIV, HIV_TARGET = "ogbg-molhiv", "HIV_active"
MOST = 2**31 - 1  # nodes or edges of a graph
OGB_DOWNLOADS = "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download"

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class OgbSet:
    """What OGB says of a set.

    Attributes:
        archive: the name of its archive, and of the folder in it.
        targets: how many columns of targets it has.
        metric: what is reported, by its name in `training.metrics`.
    """

    archive: str
    targets: int
    metric: str

    @property
    def url(self) -> str:
        """Where OGB keeps it."""
        return f"{OGB_DOWNLOADS}/{self.archive}.zip"


OGB_SETS = {
    "ogbg-molbace": OgbSet("bace", 1, "rocauc"),
    "ogbg-molbbbp": OgbSet("bbbp", 1, "rocauc"),
    "ogbg-molchembl": OgbSet("chembl", 1310, "rocauc"),
    "ogbg-molclintox": OgbSet("clintox", 2, "rocauc"),
    "ogbg-molesol": OgbSet("esol", 1, "rmse"),
    "ogbg-molfreesolv": OgbSet("freesolv", 1, "rmse"),
    "ogbg-molhiv": OgbSet("hiv", 1, "rocauc"),
    "ogbg-mollipo": OgbSet("lipophilicity", 1, "rmse"),
    "ogbg-molmuv": OgbSet("muv", 17, "ap"),
    "ogbg-molpcba": OgbSet("pcba", 128, "ap"),
    "ogbg-molsider": OgbSet("sider", 27, "rocauc"),
    "ogbg-moltox21": OgbSet("tox21", 12, "rocauc"),
    "ogbg-moltoxcast": OgbSet("toxcast", 617, "rocauc"),
}
REGRESSION = "rmse"
"""The metric of sets whose targets are values; those of the others are 0, 1 or not known."""


def set_of_folder(folder: str) -> str | None:
    """Return the name of the set whose archive, or whose folder as OGB's own package leaves it, has
    this name.

    >>> set_of_folder("lipophilicity"), set_of_folder("ogbg_molhiv"), set_of_folder("photos")
    ('ogbg-mollipo', 'ogbg-molhiv', None)
    """
    wanted = folder.lower().replace("_", "-")
    names = {each.archive: name for name, each in OGB_SETS.items()} | {
        name: name for name in OGB_SETS
    }
    return names.get(wanted)


def target_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the targets, which stand before the SMILES of every molecule."""
    names = column_names(folder / MAPPING)
    return tuple(name for name in names if name not in (SMILES, OWN_NUMBER))


@dataclass(frozen=True)
class OgbLayout(Layout):
    """OGB's `raw/`, `split/scaffold/` and `mapping/` of a set ogbg-mol*."""

    folder: Path

    files_required = (
        "raw/edge.csv.gz",
        "raw/graph-label.csv.gz",
        "raw/node-feat.csv.gz",
        "raw/num-edge-list.csv.gz",
        "raw/num-node-list.csv.gz",
        "split/scaffold/train.csv.gz",
        "split/scaffold/valid.csv.gz",
        "split/scaffold/test.csv.gz",
        MAPPING,
    )

    @classmethod
    def find(cls, top: Path) -> list[Layout]:
        """Return every folder with OGB's `raw/` among a folder, its children and grandchildren."""
        found = [
            path
            for depth in ("", "*/", "*/*/")
            for path in top.glob(f"{depth}raw/num-node-list.csv.gz")
        ]
        return [cls(path.parents[1]) for path in sorted(found) if is_plain(path, top)]

    @property
    def name(self) -> str:
        """The set that the folder is called by, or ogbg-molhiv, which its target tells."""
        found = set_of_folder(self.folder.name)
        if found is None and self._targets() == (HIV_TARGET,):
            return MOLHIV
        if found is None:
            raise SmixupError(
                f"it holds OGB's files in a folder '{shown(self.folder.name)}', which does not "
                "tell the set: call the folder by the name of a set, such as ogbg-moltox21 or "
                "tox21."
            )
        return found

    def files(self) -> dict[Path, Path]:
        files = [*self.files_required, *([BONDS] if self._has_bonds() else [])]
        return {self.folder / file: Path(self.name, *file.split("/")) for file in files}

    def _has_bonds(self) -> bool:
        return (self.folder / BONDS).is_file()

    def _targets(self) -> tuple[str, ...]:
        """Return the names of the targets, if they are there."""
        return target_names(self.folder) if (self.folder / MAPPING).is_file() else ()

    def read(self, file: str, columns: int = 1) -> Integers:
        """Return the integers of one of the files, `[rows, columns]`."""
        return read_integers(self.folder / file, columns)

    def require(self) -> None:
        require_files([self.folder / file for file in self.files_required])

    def under(self, root: Path) -> OgbLayout:
        return OgbLayout(root / self.name)

    def load(self) -> None:
        self.check()
        from smixup.datasets.ogb import ogb_dataset  # takes torch

        ogb_dataset(self.name, self.folder.parent, bonds=self._has_bonds())

    def check(self) -> None:
        self.require()
        expected, found = OGB_SETS[self.name].targets, self._targets()
        if self.name == MOLHIV and found != (HIV_TARGET,):
            raise SmixupError(
                f"this is another OGB dataset than {MOLHIV}: {MAPPING} has no column {HIV_TARGET}."
            )
        if len(found) != expected:
            raise SmixupError(
                f"this is another OGB dataset than {self.name}: {MAPPING} has {len(found)} targets "
                f"where it should have {expected}."
            )
        nodes, edges = (self._counts(kind) for kind in ("node", "edge"))
        require_rows(self.folder / "raw/num-edge-list.csv.gz", edges.size, nodes.size)
        self._check_targets(nodes.size, expected)
        self._check_values(nodes, edges)
        self._check_split(nodes.size)

    def _counts(self, kind: str) -> Integers:
        """Return how many nodes or edges each graph has."""
        file = f"raw/num-{kind}-list.csv.gz"
        found = self.read(file)[:, 0]
        least = 1 if kind == "node" else 0
        if not found.size or found.min() < least or found.max() > MOST:
            raise SmixupError(f"{file} must hold numbers from {least} to {MOST:,}, for each graph.")
        return found

    def _check_targets(self, graphs: int, columns: int) -> None:
        smiles = read_table(self.folder / MAPPING, [SMILES])[SMILES]
        require_rows(self.folder / MAPPING, len(smiles), graphs)
        path = self.folder / "raw/graph-label.csv.gz"
        labels = read_numbers(path, gaps=True)
        require_rows(path, len(labels), graphs)
        if labels.shape[1] != columns:
            raise SmixupError(f"{path.name} has {labels.shape[1]} columns, expected {columns}.")
        known = labels[~np.isnan(labels)]
        if OGB_SETS[self.name].metric != REGRESSION and not np.isin(known, (0, 1)).all():
            raise SmixupError(f"{path.name} must hold zeros and ones only.")

    def _check_values(self, nodes: Integers, edges: Integers) -> None:
        atoms = self._rows("raw/node-feat.csv.gz", len(ATOM_VALUES), nodes.sum())
        if (atoms < 0).any() or (atoms >= ATOM_VALUES).any():
            raise SmixupError("node-feat.csv.gz holds an atom value that OGB does not define.")
        ends = self._rows("raw/edge.csv.gz", 2, edges.sum())
        if (ends < 0).any() or (ends >= np.repeat(nodes, edges)[:, None]).any():
            raise SmixupError("edge.csv.gz names a node that its graph does not have.")
        if self._has_bonds():
            bonds = self._rows(BONDS, len(BOND_VALUES), edges.sum())
            if (bonds < 0).any() or (bonds >= BOND_VALUES).any():
                raise SmixupError("edge-feat.csv.gz holds a bond value that OGB does not define.")

    def _rows(self, file: str, columns: int, expected: int) -> Integers:
        found = self.read(file, columns)
        require_rows(self.folder / file, len(found), expected)
        return found

    def _check_split(self, num_graphs: int) -> None:
        parts = [
            self.read(f"split/scaffold/{part}.csv.gz")[:, 0] for part in ("train", "valid", "test")
        ]
        if not np.array_equal(np.sort(np.concatenate(parts)), np.arange(num_graphs)):
            raise SmixupError(
                f"split/scaffold must hold each of the {num_graphs} graphs exactly once."
            )
