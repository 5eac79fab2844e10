"""Where data lives, and the files that TU and OGB (ogbg-mol*) publish. It needs no torch."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from platformdirs import user_data_path

from smixup.datasets.readers.tables import column_names
from smixup.datasets.text import first_line
from smixup.errors import SmixupError, shown

ROOT_VARIABLE = "SMIXUP_ROOT"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
TU_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets"
OGB_DOWNLOADS = "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download"


def data_root(root: Path | None = None) -> Path:
    """Return `root` if given, else the folder that `SMIXUP_ROOT` names, else the platform's user
    data folder.
    """
    if root is not None:
        return Path(root).expanduser()
    named = os.environ.get(ROOT_VARIABLE)
    return Path(named).expanduser() if named else user_data_path("smixup", appauthor=False)


@dataclass(frozen=True)
class TULayout:
    """`NAME_A.txt` and its companions in one folder."""

    folder: Path
    name: str

    required = ("A", "graph_indicator")
    targets = ("graph_labels", "graph_attributes")  # one at least
    others = ("node_labels", "node_attributes", "edge_labels", "edge_attributes")
    parts = (*required, *targets, *others)

    @classmethod
    def find(cls, top: Path) -> list[TULayout]:
        """Return every such dataset in a folder, its children and grandchildren."""
        return [cls(path.parent, path.name[: -len("_A.txt")]) for path in _below(top, "*_A.txt")]

    def path(self, part: str) -> Path:
        """Return the file of one part, such as `graph_labels`."""
        return self.folder / f"{self.name}_{part}.txt"

    def has(self, part: str) -> bool:
        """Tell whether the file of a part is there."""
        return self.path(part).is_file()

    def missing(self) -> list[str]:
        """Return the names of files that are needed and not there."""
        target = () if any(map(self.has, self.targets)) else self.targets[:1]
        return [self.path(part).name for part in (*self.required, *target) if not self.has(part)]

    def files(self) -> dict[Path, Path]:
        """Return the files that are there, and the place of each under the data root."""
        paths = [self.path(part) for part in self.parts if self.has(part)]
        return {path: Path(self.name, "raw", path.name) for path in paths}

    def unused(self, edges: bool = False, values: bool = False) -> list[str]:
        """Return a sentence on each kind of data that is there and is not used: labels and
        attributes of edges, and attributes of graphs.
        """
        of_edges = [part for part in ("edge_labels", "edge_attributes") if self.has(part)]
        sentences = []
        if of_edges and not edges:
            what = " and ".join(part.replace("_", " ") for part in of_edges)
            sentences.append(f"{what} are there and not used: --data edges=true.")
        if self.has("graph_attributes") and not values:
            sentences.append("graph attributes are there and not used: --data target=attributes.")
        return sentences


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
MOLHIV, HIV_TARGET = "ogbg-molhiv", "HIV_active"
MAPPING, BONDS = "mapping/mol.csv.gz", "raw/edge-feat.csv.gz"
"""Molecules with their targets, and features of bonds, which earlier versions did not import."""
SMILES, OWN_NUMBER = "smiles", "mol_id"


@dataclass(frozen=True)
class OgbLayout:
    """OGB's `raw/`, `split/scaffold/` and `mapping/` of a set ogbg-mol*."""

    folder: Path

    required = (
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
    def find(cls, top: Path) -> list[OgbLayout]:
        """Return every folder with OGB's `raw/` among a folder, its children and grandchildren."""
        return [cls(path.parents[1]) for path in _below(top, "raw/num-node-list.csv.gz")]

    @property
    def name(self) -> str:
        """The set that the folder is called by, as an archive or as OGB's own package leaves it;
        or ogbg-molhiv, which its target tells.
        """
        called = self.folder.name.lower().replace("_", "-")
        for name, published in OGB_SETS.items():
            if called in (name, published.archive):
                return name
        if (self.folder / MAPPING).is_file() and self.targets() == (HIV_TARGET,):
            return MOLHIV
        raise SmixupError(
            f"it holds OGB's files in a folder '{shown(self.folder.name)}', which does not tell "
            "the set: call the folder by the name of a set, such as ogbg-moltox21 or tox21."
        )

    def targets(self) -> tuple[str, ...]:
        """Return the names of the targets, which stand before the SMILES of every molecule."""
        names = column_names(self.folder / MAPPING)
        return tuple(name for name in names if name not in (SMILES, OWN_NUMBER))

    def missing(self) -> list[str]:
        """Return the names of files that are needed and not there."""
        paths = (self.folder / file for file in self.required)
        return [path.name for path in paths if not path.is_file()]

    def files(self) -> dict[Path, Path]:
        """Return the files that are there, and the place of each under the data root."""
        files = {self.folder / file: Path(self.name, file) for file in (*self.required, BONDS)}
        return {path: place for path, place in files.items() if path.is_file()}


Layout: TypeAlias = TULayout | OgbLayout


def url_of(name: str) -> str:
    """Return where its publisher keeps a dataset."""
    if name in OGB_SETS:
        return f"{OGB_DOWNLOADS}/{OGB_SETS[name].archive}.zip"
    return f"{TU_COLLECTION}/{name}.zip"


def layout_of(name: str, root: Path) -> Layout:
    """Return the layout of a dataset under the data root."""
    return OgbLayout(root / name) if name in OGB_SETS else TULayout(root / name / "raw", name)


def is_present(name: str, root: Path) -> bool:
    """Tell whether a dataset's files are under the root."""
    return not layout_of(name, root).missing()


def present_names(root: Path) -> list[str]:
    """Return the names of all datasets whose files are under the root."""
    folders = sorted(root.iterdir()) if root.is_dir() else []
    names = (folder.name for folder in folders if folder.is_dir() and NAME.fullmatch(folder.name))
    return [name for name in names if is_present(name, root)]


def node_attributes(name: str, root: Path) -> tuple[int, bool]:
    """Return how many continuous attributes a node of an imported TU dataset has, and whether they
    are all that it has: then they are its features unless somebody says otherwise.
    """
    layout = TULayout(root / name / "raw", name)
    if not layout.has("node_attributes"):
        return 0, False
    columns = first_line(layout.path("node_attributes")).count(",") + 1
    return columns, not layout.has("node_labels")


def _below(top: Path, pattern: str) -> list[Path]:
    """Return files in a folder, its children and grandchildren that are no by-products of an
    operating system, such as `__MACOSX/._NAME_A.txt`.
    """
    paths = (path for depth in ("", "*/", "*/*/") for path in top.glob(f"{depth}{pattern}"))
    hidden = re.compile(r"(^|/)(\.|__MACOSX)")
    names = {path: path.relative_to(top).as_posix() for path in paths if path.is_file()}
    return sorted(path for path, name in names.items() if not hidden.search(name))
