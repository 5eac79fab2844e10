"""The layouts in which publishers ship their data, and the checks that files must pass before they
are kept.
"""

from __future__ import annotations

import re
import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import signature
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.bonds import BOND_VALUES
from smixup.datasets.gaps import read_with_gaps
from smixup.datasets.ogb_sets import (
    BONDS,
    MAPPING,
    OGB_SETS,
    REGRESSION,
    SMILES,
    set_of_folder,
    target_names,
)
from smixup.datasets.plain_text import normalise
from smixup.datasets.readers.tables import read_table
from smixup.datasets.sources import MOLHIV, SOURCES, source_of
from smixup.datasets.text_tables import first_line, read_integers
from smixup.datasets.tu_text import TUText, read_tu, require_rows, tu_file
from smixup.errors import SmixupError
from smixup.shown import shown

TU_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets"
HIV_TARGET = "HIV_active"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
DEPTH = 2
"""Folders above the files of a dataset, or above OGB's own ones."""

MOST = 2**31 - 1
"""Nodes or edges of a graph."""

Integers = NDArray[np.int64]


def is_wanted(name: str) -> bool:
    """Tell by its name whether an entry of an archive is a file of a known layout, no deeper than
    it is looked for.

    >>> is_wanted("MUTAG/MUTAG_A.txt"), is_wanted("hiv/raw/edge.csv.gz"), is_wanted("MUTAG/run.sh")
    (True, True, False)
    """
    parts = PurePosixPath(name).parts
    if any(part.startswith((".", "__MACOSX")) for part in parts):
        return False
    of_ogb = (PurePosixPath(file).parts for file in (*OgbLayout.files_required, BONDS))
    if any(parts[-len(file) :] == file for file in of_ogb):
        return len(parts) <= DEPTH + 3
    return len(parts) <= DEPTH + 1 and parts[-1].endswith(TULayout.endings())


def tu_url(name: str) -> str:
    """Return where the TU collection keeps a dataset."""
    return f"{TU_COLLECTION}/{name}.zip"


def is_present(name: str, root: Path) -> bool:
    """Tell whether a dataset's files are under the root."""
    if name in OGB_SETS:
        return all((root / name / file).is_file() for file in OgbLayout.files_required)
    required, targets = (
        [(root / name / "raw" / f"{name}_{part}.txt").is_file() for part in parts]
        for parts in (TULayout.parts_required, TULayout.parts_per_graph)
    )
    return all(required) and any(targets)


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

    @abstractmethod
    def require(self) -> None:
        """Raise an error that names the files that are missing."""

    @abstractmethod
    def under(self, root: Path) -> Layout:
        """Return the same dataset where `files` places it under a data root."""

    @abstractmethod
    def load(self) -> None:
        """Check the files and make graphs of them once; they are under a data root."""

    def copy(self, source: Path, target: Path) -> None:
        """Bring a file to its place."""
        shutil.copyfile(source, target)


@dataclass(frozen=True)
class TULayout(Layout):
    """`NAME_A.txt` and its companions in one folder."""

    folder: Path
    prefix: str

    parts_required = ("A", "graph_indicator")
    parts_per_graph = ("graph_labels", "graph_attributes")
    """Of which there must be one at least."""
    parts_per_node = ("node_labels", "node_attributes")
    parts_per_edge = ("edge_labels", "edge_attributes")

    @classmethod
    def endings(cls) -> tuple[str, ...]:
        """Return how the names of its files end."""
        kinds = cls.parts_required, cls.parts_per_graph, cls.parts_per_node, cls.parts_per_edge
        return tuple(f"_{part}.txt" for kind in kinds for part in kind)

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
        every = (self.folder / f"{self.prefix}{ending}" for ending in self.endings())
        paths = [path for path in every if path.is_file()]
        return {path: Path(self.name, "raw", path.name) for path in paths}

    def require(self) -> None:
        _require([self.path(part) for part in self.parts_required])
        if not any(self.path(part).is_file() for part in self.parts_per_graph):
            _require([self.path("graph_labels")])

    def under(self, root: Path) -> TULayout:
        return TULayout(root / self.name / "raw", self.prefix)

    def copy(self, source: Path, target: Path) -> None:
        normalise(source, target)

    def check(self) -> None:
        self.require()
        self._read()

    def load(self) -> None:
        self.require()
        from smixup.datasets.tu import graphs_of_text  # takes torch

        graphs_of_text(self._read().without_edge_features())

    def _read(self) -> TUText:
        return read_tu(self.folder, self.prefix, edges=True)


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
        return [cls(path.parents[1]) for path in sorted(found) if _is_plain(path, top)]

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
        _require([self.folder / file for file in self.files_required])

    def under(self, root: Path) -> OgbLayout:
        return OgbLayout(root / self.name)

    def load(self) -> None:
        self.check()
        source = SOURCES.factory(source_of(self.name))  # takes torch
        given = {"name": self.name, "root": self.folder.parent, "bonds": self._has_bonds()}
        parameters = signature(source).parameters
        source(**{key: value for key, value in given.items() if key in parameters})

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
        labels = read_with_gaps(path)
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


def find_layout(top: Path) -> Layout:
    """Return the one dataset in a folder."""
    found = [*TULayout.find(top), *OgbLayout.find(top)]
    names = sorted({layout.name for layout in found})
    if not found:
        expected = (
            "NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt, or OGB's raw/, split/, "
            "mapping/"
        )
        raise SmixupError(f"no dataset in a known layout (expected {expected}).")
    if len(found) > 1:
        raise SmixupError(
            f"{len(found)} datasets at once ({shown(', '.join(names))}); import them one by one."
        )
    _check_name(found[0])
    return found[0]


def _check_name(layout: Layout) -> None:
    others = {"molhiv", *(name.lower() for name in (*SOURCES, *OGB_SETS))}
    taken = isinstance(layout, TULayout) and layout.name.lower() in others
    if taken or not NAME.fullmatch(layout.name):
        raise SmixupError(
            f"'{shown(layout.name)}' cannot be the name of a dataset in the TU layout; rename its "
            "files."
        )


def _is_plain(path: Path, top: Path) -> bool:
    """Tell whether a file is no by-product of an operating system, such as
    `__MACOSX/._NAME_A.txt`.
    """
    return path.is_file() and not any(
        part.startswith((".", "__MACOSX")) for part in path.relative_to(top).parts
    )


def _require(paths: list[Path]) -> None:
    missing = [shown(path.name) for path in paths if not path.is_file()]
    if missing:
        raise SmixupError(f"files are missing: {', '.join(missing)}.")
