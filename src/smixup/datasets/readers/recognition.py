"""Which files a reader takes for its own, by their names; needs no torch."""

from __future__ import annotations

import re
from pathlib import Path

from smixup.datasets.readers.tables import MATRIX_TEXT, TABLES, stem_of
from smixup.datasets.text import LINE, opened_text
from smixup.errors import SmixupError
from smixup.packed_folder import is_packed

NUMBERS = re.compile(
    r"^\s*[-+]?(\d|\.\d|nan)[-+\d.eEnaN]*(\s*[,;\t ]\s*[-+]?(\d|\.\d|nan)[-+\d.eEnaN]*)+\s*$"
)
"""A line of two numbers or more."""


def is_taken(folder: Path) -> bool:
    """Tell whether a folder holds something of ours, or of a publisher, whatever else is there:
    packed graphs, a saved model, a dataset in the layout of TU or OGB.
    """
    return is_packed(folder) or any(
        name.endswith(("_A.txt", ".safetensors")) or name in ("raw", "RELEASE_v1.txt")
        for name in _names(folder)
    )


def is_graphml(path: Path) -> bool:
    """A GraphML file, or a folder of such files."""
    if path.is_dir():
        return not is_taken(path) and _holds(path, ".graphml")
    return path.suffix == ".graphml"


def is_edge_list(path: Path) -> bool:
    """A folder with a table of edges."""
    if not path.is_dir():
        return False
    there = {f"edges{ending}" for ending in TABLES}.intersection(_names(path))
    return any((path / name).is_file() for name in there) and not is_taken(path)


def is_matrices(path: Path) -> bool:
    """A file of NumPy, or a folder of such files, or of texts whose lines are numbers alone."""
    if not path.is_dir():
        return path.suffix in (".npy", ".npz")
    if is_taken(path):
        return False
    if _holds(path, ".npy", ".npz"):
        return True
    found = (path / name for name in _names(path) if name.endswith(MATRIX_TEXT))
    texts = sorted(each for each in found if stem_of(each) != "labels")
    return len(texts) > 1 and not is_edge_list(path) and _is_matrix(texts[0])


def is_saved_list(path: Path) -> bool:
    """A file of torch."""
    return path.is_file() and path.suffix in (".pt", ".pth")


def _holds(folder: Path, *endings: str) -> bool:
    return any(name.endswith(endings) and not name.startswith(".") for name in _names(folder))


def _names(folder: Path) -> list[str]:
    """Return what is in a folder; a folder that may not be looked into has nothing."""
    try:
        return [each.name for each in folder.iterdir()]
    except PermissionError:
        return []


def _is_matrix(path: Path) -> bool:
    """Tell whether a text begins as a matrix does: with numbers, or with names above and beside
    them.
    """
    try:
        with opened_text(path) as file:
            first, second = file.readline(LINE), file.readline(LINE)
    except (SmixupError, UnicodeDecodeError):
        return False
    beside = re.split(r"[,;\t]", second, maxsplit=1)[-1]
    return any(NUMBERS.match(line) for line in (first, second, beside))
