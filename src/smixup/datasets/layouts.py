"""The layouts in which publishers ship their data, and the checks that files must pass before they
are kept.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.bonds import BOND_VALUES
from smixup.datasets.sources import MOLHIV, SOURCES
from smixup.datasets.text_tables import first_line, read_integers, read_numbers
from smixup.datasets.tu_text import read_tu, require_rows, tu_file
from smixup.errors import SmixupError

MOLHIV_URL = "http://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download/hiv.zip"
TU_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")

Integers = NDArray[np.int64]


def tu_url(name: str) -> str:
    """Return where the TU collection keeps a dataset."""
    return f"{TU_COLLECTION}/{name}.zip"


def is_present(name: str, root: Path) -> bool:
    """Tell whether a dataset's files are under the root."""
    if name == MOLHIV:
        return all((root / MOLHIV / file).is_file() for file in MolhivLayout.files_required)
    files = (f"{name}_{part}.txt" for part in TULayout.parts_required)
    return all((root / name / "raw" / file).is_file() for file in files)


def node_attributes(name: str, root: Path) -> tuple[int, bool]:
    """Return how many continuous attributes a node of an imported TU dataset has, and whether they
    are all that it has: then they are its features unless somebody says otherwise.
    """
    layout = TULayout(root / name / "raw", name)
    if not layout.path("node_attributes").is_file():
        return 0, False
    alone = not layout.path("node_labels").is_file()
    return first_line(layout.path("node_attributes")).count(",") + 1, alone


def present_names(root: Path) -> list[str]:
    """Return the names of all datasets whose files are under the root."""
    if not root.is_dir():
        return []
    names = sorted(
        path.name for path in root.iterdir() if path.is_dir() and NAME.fullmatch(path.name)
    )
    return [name for name in names if is_present(name, root)]


class Layout(ABC):
    """Files of one dataset in its publisher's layout, somewhere on disk."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The dataset's name."""

    @abstractmethod
    def files(self) -> dict[Path, Path]:
        """Return the files that matter, and the place of each under the data root."""

    @abstractmethod
    def check(self) -> None:
        """Raise an error that names the file if anything is missing or inconsistent."""


@dataclass(frozen=True)
class TULayout(Layout):
    """`NAME_A.txt` and its companions in one folder."""

    folder: Path
    prefix: str

    parts_required = ("A", "graph_indicator", "graph_labels")
    parts_per_node = ("node_labels", "node_attributes")
    parts_per_edge = ("edge_labels", "edge_attributes")

    @classmethod
    def find(cls, top: Path) -> list[Layout]:
        """Return every such dataset in a folder, its children and grandchildren."""
        found = [path for depth in ("", "*/", "*/*/") for path in top.glob(f"{depth}*_A.txt")]
        return [
            cls(path.parent, path.name.removesuffix("_A.txt"))
            for path in sorted(found)
            if _is_plain(path, top)
        ]

    @property
    def name(self) -> str:
        return self.prefix

    def path(self, part: str) -> Path:
        """Return the file of one part, such as `graph_labels`."""
        return tu_file(self.folder, self.prefix, part)

    def files(self) -> dict[Path, Path]:
        parts = (*self.parts_required, *self.parts_per_node, *self.parts_per_edge)
        paths = [self.path(part) for part in parts if self.path(part).is_file()]
        return {path: Path(self.name, "raw", path.name) for path in paths}

    def check(self) -> None:
        _require([self.path(part) for part in self.parts_required])
        edges = len(read_tu(self.folder, self.prefix).edges)
        for path in filter(Path.is_file, map(self.path, self.parts_per_edge)):
            require_rows(path, len(read_numbers(path)), edges)


@dataclass(frozen=True)
class MolhivLayout(Layout):
    """OGB's `raw/`, `split/scaffold/` and `mapping/` of ogbg-molhiv."""

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
        "mapping/mol.csv.gz",
    )
    bonds = "raw/edge-feat.csv.gz"
    """Features of bonds, which earlier versions did not import."""

    @classmethod
    def find(cls, top: Path) -> list[Layout]:
        """Return every folder with OGB's `raw/` among a folder, its children and grandchildren."""
        found = [
            path
            for depth in ("", "*/", "*/*/")
            for path in top.glob(f"{depth}raw/num-node-list.csv.gz")
        ]
        return [cls(path.parents[1]) for path in sorted(found) if _is_plain(path, top)]

    @property
    def name(self) -> str:
        return MOLHIV

    def files(self) -> dict[Path, Path]:
        files = [*self.files_required, *([self.bonds] if self._has_bonds() else [])]
        return {self.folder / file: Path(MOLHIV, *file.split("/")) for file in files}

    def _has_bonds(self) -> bool:
        return (self.folder / self.bonds).is_file()

    def read(self, file: str, columns: int = 1) -> Integers:
        """Return the integers of one of the files, `[rows, columns]`."""
        return read_integers(self.folder / file, columns)

    def check(self) -> None:
        _require(list(self.files()))
        if not first_line(self.folder / "mapping/mol.csv.gz").startswith("HIV_active,"):
            raise SmixupError(
                f"this is another OGB dataset than {MOLHIV}: mapping/mol.csv.gz has no column "
                "HIV_active."
            )
        nodes, edges = (self.read(f"raw/num-{kind}-list.csv.gz")[:, 0] for kind in ("node", "edge"))
        require_rows(self.folder / "raw/num-edge-list.csv.gz", edges.size, nodes.size)
        self._check_values(nodes, edges)
        self._check_split(nodes.size)

    def _check_values(self, nodes: Integers, edges: Integers) -> None:
        labels = self._rows("raw/graph-label.csv.gz", 1, nodes.size)
        if not np.isin(labels, (0, 1)).all():
            raise SmixupError("graph-label.csv.gz must hold zeros and ones only.")
        atoms = self._rows("raw/node-feat.csv.gz", len(ATOM_VALUES), nodes.sum())
        if (atoms < 0).any() or (atoms >= ATOM_VALUES).any():
            raise SmixupError("node-feat.csv.gz holds an atom value that OGB does not define.")
        ends = self._rows("raw/edge.csv.gz", 2, edges.sum())
        if (ends < 0).any() or (ends >= np.repeat(nodes, edges)[:, None]).any():
            raise SmixupError("edge.csv.gz names a node that its graph does not have.")
        if self._has_bonds():
            bonds = self._rows(self.bonds, len(BOND_VALUES), edges.sum())
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


def find_layout(top: Path) -> Layout:
    """Return the one dataset in a folder."""
    found = [*TULayout.find(top), *MolhivLayout.find(top)]
    names = sorted({layout.name for layout in found})
    if not found:
        expected = (
            "NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt, or OGB's raw/, split/, "
            "mapping/"
        )
        raise SmixupError(f"no dataset in a known layout (expected {expected}).")
    if len(found) > 1:
        raise SmixupError(
            f"{len(found)} datasets at once ({', '.join(names)}); import them one by one."
        )
    _check_name(found[0])
    return found[0]


def _check_name(layout: Layout) -> None:
    others = {"molhiv", *(name.lower() for name in SOURCES)}
    taken = isinstance(layout, TULayout) and layout.name.lower() in others
    if taken or not NAME.fullmatch(layout.name):
        raise SmixupError(
            f"'{layout.name}' cannot be the name of a dataset in the TU layout; rename its files."
        )


def _is_plain(path: Path, top: Path) -> bool:
    """Tell whether a file is no by-product of an operating system, such as
    `__MACOSX/._NAME_A.txt`.
    """
    return path.is_file() and not any(
        part.startswith((".", "__MACOSX")) for part in path.relative_to(top).parts
    )


def _require(paths: list[Path]) -> None:
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise SmixupError(f"files are missing: {', '.join(missing)}.")
