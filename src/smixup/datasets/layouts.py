"""Which datasets are in a folder, in an archive or under the data root, in a publisher's layout."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from smixup.datasets.layout import Layout
from smixup.datasets.ogb_files import BONDS, OGB_SETS, OgbLayout
from smixup.datasets.sources import SOURCES
from smixup.datasets.text import first_line
from smixup.datasets.tu_files import TULayout
from smixup.errors import SmixupError
from smixup.shown import shown

TU_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
DEPTH = 2
"""Folders above the files of a dataset, or above OGB's own ones."""


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
