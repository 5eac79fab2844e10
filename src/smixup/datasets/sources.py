"""Where data comes from, and where it lies; importing this needs no torch.

A source returns a `Dataset`. It is given the dataset's `name`, its `path` if it is files of one's
own (`readers/`), and the data `root`, if it has parameters of these names; its other parameters are
the options of the dataset. To add one, add a line to `SOURCES`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_path

from smixup.datasets.readers.registry import READERS, reader_of
from smixup.names import Registry
from smixup.packed_folder import is_packed

if TYPE_CHECKING:  # names are asked for by `smixup data list`, which does without torch
    from smixup.datasets.base import Dataset

ROOT_VARIABLE = "SMIXUP_ROOT"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
TU_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets"
OGB_DOWNLOADS = "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download"
MOTIF, MOLHIV = "MOTIF", "ogbg-molhiv"
PACKED, OGB, ANY_OTHER = "a folder of packed graphs", "another ogbg-mol", "any other"

SOURCES: Registry[Dataset] = Registry(
    "source of data",
    {
        MOTIF: "smixup.datasets.motif:motif_dataset",
        OGB: "smixup.datasets.ogb:ogb_dataset",
        PACKED: "smixup.datasets.packed_set:packed_dataset",
        ANY_OTHER: "smixup.datasets.tu:tu_dataset",
        **READERS,
    },
)


@dataclass(frozen=True)
class OgbSet:
    """What OGB calls the archive of a set, and its metric by our name."""

    archive: str
    metric: str = "rocauc"


OGB_SETS = {
    "ogbg-molbace": OgbSet("bace"),
    "ogbg-molbbbp": OgbSet("bbbp"),
    "ogbg-molchembl": OgbSet("chembl"),
    "ogbg-molclintox": OgbSet("clintox"),
    "ogbg-molesol": OgbSet("esol", "rmse"),
    "ogbg-molfreesolv": OgbSet("freesolv", "rmse"),
    MOLHIV: OgbSet("hiv"),
    "ogbg-mollipo": OgbSet("lipophilicity", "rmse"),
    "ogbg-molmuv": OgbSet("muv", "ap"),
    "ogbg-molpcba": OgbSet("pcba", "ap"),
    "ogbg-molsider": OgbSet("sider"),
    "ogbg-moltox21": OgbSet("tox21"),
    "ogbg-moltoxcast": OgbSet("toxcast"),
}


def source_of(dataset: str) -> str:
    """Return the name under which `SOURCES` has a dataset, given by its own spelling or path."""
    if dataset in SOURCES and dataset not in READERS:
        return dataset
    if dataset in OGB_SETS:
        return OGB
    if is_packed(dataset):
        return PACKED
    return reader_of(dataset) or ANY_OTHER if Path(dataset).is_absolute() else ANY_OTHER


def url_of(name: str) -> str:
    """Return where its publisher keeps a dataset."""
    if name in OGB_SETS:
        return f"{OGB_DOWNLOADS}/{OGB_SETS[name].archive}.zip"
    return f"{TU_COLLECTION}/{name}.zip"


def data_root(root: Path | None = None) -> Path:
    """Return `root` if given, else the folder that `SMIXUP_ROOT` names, else the platform's user
    data folder.
    """
    if root is not None:
        return Path(root).expanduser()
    named = os.environ.get(ROOT_VARIABLE)
    return Path(named).expanduser() if named else user_data_path("smixup", appauthor=False)


@dataclass(frozen=True)
class Layout:
    """The files of a dataset as its publisher gives them, `{prefix}{part}{ending}` in a folder."""

    folder: Path
    name: str
    prefix: str
    ending: str
    first: str  # a part that every such dataset has

    def path(self, part: str) -> Path:
        """Return the file of one part, such as `graph_labels`."""
        return self.folder / f"{self.prefix}{part}{self.ending}"

    def has(self, part: str) -> bool:
        """Tell whether the file of a part is there."""
        return self.path(part).is_file()

    def files(self) -> list[Path]:
        """Return the files that are there, none if the first part is not."""
        pattern = f"{self.prefix}*{self.ending}"
        return sorted(self.folder.rglob(pattern)) if self.has(self.first) else []


def tu_layout(folder: Path, name: str) -> Layout:
    """Return the layout of the TU collection: `NAME_A.txt` and its companions in one folder."""
    return Layout(folder, name, f"{name}_", ".txt", "A")


def ogb_layout(folder: Path, name: str) -> Layout:
    """Return OGB's layout of a set ogbg-mol*: `raw/edge.csv.gz` and others."""
    return Layout(folder, name, "", ".csv.gz", "raw/num-node-list")


def layout_of(name: str, root: Path) -> Layout:
    """Return the layout of a dataset under the data root."""
    if name in OGB_SETS:
        return ogb_layout(root / name, name)
    return tu_layout(root / name / "raw", name)


def present_names(root: Path) -> list[str]:
    """Return the names of all datasets whose files are under the root."""
    folders = sorted(root.iterdir()) if root.is_dir() else []
    names = [folder.name for folder in folders if NAME.fullmatch(folder.name)]
    return [name for name in names if layout_of(name, root).files()]
