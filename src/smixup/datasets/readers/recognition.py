"""Which files a reader takes for its own, by their names; needs no torch."""

from __future__ import annotations

import re
from pathlib import Path

from smixup.datasets.readers.endings import MATRIX_TEXT, TABLES, stem_of
from smixup.datasets.text_streams import LINE, opened_text
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
    marks = ("*_A.txt", "*.safetensors", "raw", "RELEASE_v1.txt")
    return is_packed(folder) or any(True for mark in marks for _ in folder.glob(mark))


def is_graphml(path: Path) -> bool:
    """A GraphML file, or a folder of such files."""
    if path.is_dir():
        return not is_taken(path) and _holds(path, "*.graphml")
    return path.suffix == ".graphml"


def is_edge_list(path: Path) -> bool:
    """A folder with a table of edges."""
    named = any((path / f"edges{ending}").is_file() for ending in TABLES)
    return path.is_dir() and named and not is_taken(path)


def is_matrices(path: Path) -> bool:
    """A file of NumPy, or a folder of such files, or of texts whose lines are numbers alone."""
    if not path.is_dir():
        return path.suffix in (".npy", ".npz")
    if is_taken(path):
        return False
    if _holds(path, "*.npy") or _holds(path, "*.npz"):
        return True
    found = (each for ending in MATRIX_TEXT for each in path.glob(f"*{ending}"))
    texts = sorted(each for each in found if stem_of(each) != "labels")
    return len(texts) > 1 and not is_edge_list(path) and _is_matrix(texts[0])


def is_saved_list(path: Path) -> bool:
    """A file of torch."""
    return path.is_file() and path.suffix in (".pt", ".pth")


def _holds(folder: Path, pattern: str) -> bool:
    return any(not each.name.startswith(".") for each in folder.glob(pattern))


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
