"""The sets of molecules that OGB publishes (Hu et al. 2020): ogbg-mol*. No torch is needed here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from smixup.datasets.readers.tables import column_names

MAPPING, BONDS = "mapping/mol.csv.gz", "raw/edge-feat.csv.gz"
"""Molecules with their targets, and features of bonds, which earlier versions did not import."""
SMILES, OWN_NUMBER = "smiles", "mol_id"
OGB_DOWNLOADS = "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download"


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
