"""Files of matrices: NumPy's, never with pickled objects in them, and text by Arrow."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from smixup.datasets.readers.tables import MATRIX_TEXT, stem_of
from smixup.datasets.text import parsed, read_text, readable
from smixup.errors import SmixupError, UsageError, shown
from smixup.memory import require_room

OWN = ("y", "x", "names", "regions")
"""Arrays of an `.npz` file that are no matrices: targets, features of nodes `[G, n, d]`, names of
graphs, names of nodes.
"""
LABELS = "labels"
HOW = " Python objects are never read: save names by np.array(names, dtype=str)."
NUMBER = re.compile(r"\s*[-+]?(\d|\.\d|nan|inf)", re.IGNORECASE)


class Stack(NamedTuple):
    """Matrices, one after another."""

    matrices: Sequence[NDArray[Any]]  # [n, n] each, all of one size
    names: tuple[str, ...]  # of the graphs; empty where they have numbers alone
    regions: tuple[str, ...]  # names of the nodes, or none
    beside: Mapping[str, NDArray[Any]]  # what else a file holds, of `OWN`
    notes: tuple[str, ...] = ()


def open_stack(path: Path, array: str | None) -> Stack:
    """Open a file of many matrices, or a folder of files with one each; `array` is the one of an
    `.npz` file that holds the matrices, None the only one that may.
    """
    if path.is_file():
        return stack_of_arrays(_arrays(path), path.name, array)
    files = sorted(
        file
        for file in path.iterdir()
        if file.is_file()
        and file.name.endswith((".npy", ".npz", *MATRIX_TEXT))
        and stem_of(file) != LABELS
        and not file.name.startswith(".")
    )
    if len({file.suffix for file in files}) != 1:
        raise SmixupError(f"{path} needs matrices in files of one kind, .npy, .npz or .csv.")
    if len(files) == 1 and not files[0].name.endswith(MATRIX_TEXT):
        return open_stack(files[0], array)
    matrices: list[NDArray[Any]] = []
    regions: tuple[str, ...] = ()
    for file in files:
        matrix, named = _text(file) if file.name.endswith(MATRIX_TEXT) else _alone(file)
        regions = regions if matrices else named
        if named != regions:
            raise SmixupError(
                f"{file.name} names other columns than {files[0].name}: the same nodes in the same "
                "order are needed in all."
            )
        matrices.append(matrix)
    return Stack(matrices, tuple(file.name for file in files), regions, {})


def stack_of_arrays(arrays: Mapping[str, Any], where: str, array: str | None) -> Stack:
    """Return the matrices among arrays from somewhere, and what is known of them; `array` holds
    them, or the only one that may.
    """
    likely = [name for name, value in arrays.items() if name not in OWN and np.ndim(value) == 3]
    chosen = array or (likely[0] if len(likely) == 1 else "")
    matrices = np.asarray(arrays.get(chosen, ()))
    if matrices.ndim != 3 or not len(matrices) or matrices.shape[1] != matrices.shape[2]:
        shapes = ", ".join(f"{name} {list(np.shape(value))}" for name, value in arrays.items())
        raise UsageError(
            f"{where} holds {shapes or 'nothing'}, where one array [graphs, nodes, nodes] is "
            "needed, with one graph at least: say which by the option array; np.moveaxis(a, -1, 0) "
            "puts the last axis first."
        )
    beside = {name: np.asarray(arrays[name]) for name in OWN if name in arrays and name != chosen}
    for name in ("y", "names"):
        if name in beside and beside[name].shape[:1] != matrices.shape[:1]:
            raise SmixupError(
                f"'{name}' of {where} has the shape {list(beside[name].shape)}, but there are "
                f"{len(matrices)} matrices."
            )
    names, regions = (tuple(map(str, np.ravel(beside.get(name, ())))) for name in OWN[2:])
    unused = [name for name in arrays if name != chosen and name not in beside]
    notes = tuple(f"the array '{name}' of {where} is not used." for name in unused)
    return Stack(list(matrices), names, regions, beside, notes)


def _alone(path: Path) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the one matrix of a file, which has no names."""
    arrays = _arrays(path)
    if len(arrays) != 1:
        raise SmixupError(f"{path.name} holds {len(arrays)} arrays, where one is needed.")
    return next(iter(arrays.values())), ()


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file of NumPy by name; pickled objects are never read."""
    with readable(path, HOW):
        if path.suffix == ".npz" or zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                size = sum(entry.file_size for entry in packed.infolist())
            require_room(2 * size, shown(path.name), "take fewer matrices")
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {path.stem: loaded}
        with loaded:
            return {name: loaded[name] for name in loaded.files}


def _text(path: Path) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return a matrix in text, and the names of its columns if the first line has them. A first
    column of names is left out.
    """
    text = read_text(path).rstrip()
    if not text:
        raise SmixupError(f"{path.name} is empty.")
    lines = text.splitlines()
    delimiter = next((mark for mark in ",;\t" if mark in lines[-1]), "")
    if not delimiter:  # blanks, as many as somebody likes
        lines, delimiter = [",".join(line.split()) for line in lines], ","
    first, last = lines[0].split(delimiter), lines[-1].split(delimiter)
    is_named = not all(map(NUMBER.match, first)) and all(map(str.strip, first[1:]))
    has_header = is_named and len(lines) > 1
    has_names = not NUMBER.match(last[0])
    width = len(last) - has_names
    types = [pa.string()] * has_names + [pa.float64()] * width
    table = parsed(path, "\n".join(lines[has_header:]), delimiter, types)
    names = [cell.strip().strip('"') for cell in first] if has_header else []
    columns = table.columns[has_names:] or [np.zeros(len(table))]
    return np.column_stack(columns), tuple(names[-width:])
