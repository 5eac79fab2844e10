"""The sets of molecules that OGB publishes (Hu et al. 2020), ogbg-mol*: names, files, and checks of
them before they are kept. No torch is needed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        """Refuse files that do not go together, or hold what OGB does not define."""
        self.require()
        published, names = OGB_SETS[self.name], self._targets()
        if self.name == MOLHIV and names != (HIV_TARGET,):
            raise SmixupError(
                f"this is another OGB dataset than {MOLHIV}: {MAPPING} has no column {HIV_TARGET}."
            )
        if len(names) != published.targets:
            raise SmixupError(
                f"this is another OGB dataset than {self.name}: {MAPPING} has {len(names)} targets "
                f"where it should have {published.targets}."
            )
        nodes, edges = self._counts("node", 1), self._counts("edge", 0)
        graphs = nodes.size
        require_rows(self.folder / "raw/num-edge-list.csv.gz", edges.size, graphs)
        smiles = read_table(self.folder / MAPPING, [SMILES])[SMILES]
        require_rows(self.folder / MAPPING, len(smiles), graphs)
        path = self.folder / "raw/graph-label.csv.gz"
        labels = read_numbers(path, gaps=True)
        require_rows(path, len(labels), graphs)
        if labels.shape[1] != len(names):
            raise SmixupError(f"{path.name} has {labels.shape[1]} columns, expected {len(names)}.")
        known = labels[~np.isnan(labels)]
        if published.metric != REGRESSION and not np.isin(known, (0, 1)).all():
            raise SmixupError(f"{path.name} must hold zeros and ones only.")
        atoms = "an atom value that OGB does not define"
        self._require_below(ATOM_VALUES, "raw/node-feat.csv.gz", nodes.sum(), atoms)
        own = np.repeat(nodes, edges)[:, None].repeat(2, 1)
        self._require_below(own, "raw/edge.csv.gz", edges.sum(), "a node outside of its graph")
        if self._has_bonds():
            bonds = "a bond value that OGB does not define"
            self._require_below(BOND_VALUES, BONDS, edges.sum(), bonds)
        parts = [self.read(f"split/scaffold/{part}.csv.gz") for part in ("train", "valid", "test")]
        if not np.array_equal(np.sort(np.concatenate(parts)[:, 0]), np.arange(graphs)):
            raise SmixupError(f"split/scaffold must hold each of the {graphs} graphs exactly once.")

    def _counts(self, kind: str, least: int) -> Integers:
        """Return how many nodes or edges each graph has."""
        file = f"raw/num-{kind}-list.csv.gz"
        counts = self.read(file)[:, 0]
        if not counts.size or counts.min() < least or counts.max() > MOST:
            raise SmixupError(f"{file} must hold numbers from {least} to {MOST:,}, for each graph.")
        return counts

    def _require_below(self, limits: Any, file: str, rows: int, what: str) -> None:
        """Refuse values that are not from 0 to below the limits, as `what` there is."""
        values = self.read(file, np.shape(limits)[-1])
        require_rows(self.folder / file, len(values), rows)
        odd = ((values < 0) | (values >= limits)).any(1)
        if odd.any():
            line = int(odd.argmax()) + 1
            raise SmixupError(f"line {line} of {Path(file).name} holds {what}.")
