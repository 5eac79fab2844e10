"""Files of matrices: NumPy's, never with pickled objects in them, and text."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.tables import MATRIX_TEXT, stem_of
from smixup.datasets.text import read_text
from smixup.errors import SmixupError, UsageError
from smixup.graphs.packed_columns import UNREADABLE
from smixup.memory import require_room
from smixup.shown import number_of, shown

OWN = ("y", "x", "names", "regions")
"""Arrays of an `.npz` file that are no matrices: targets, features of nodes `[G, n, d]`, names of
graphs, names of nodes.
"""
LABELS = "labels"
NUMBER = re.compile(r"\s*[-+]?(\d|\.\d|nan|inf)", re.IGNORECASE)
DAMAGE = (
    *(*UNREADABLE, zipfile.BadZipFile, zlib.error, struct.error, AttributeError),
    *(LookupError, RuntimeError),
)


@dataclass(frozen=True)
class Stack:
    """Matrices, one after another.

    Attributes:
        matrices: `[n, n]` each, all of one size.
        names: of the graphs; empty where they have numbers alone.
        beside: what else a file holds, of `OWN`.
        regions: names of the nodes; empty where they have numbers alone.
        notes: what to tell.
    """

    matrices: Sequence[NDArray[Any]]
    names: tuple[str, ...] = ()
    beside: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    regions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def name(self, place: int) -> str:
        """Return words for a matrix."""
        return self.names[place] if self.names else f"matrix {place}"


def open_stack(path: Path, array: str | None) -> Stack:
    """Open a file of many matrices, or a folder of files with one each.

    Args:
        path: of the file or the folder.
        array: which array of an `.npz` file holds the matrices; None is the only one that may.
    """
    if path.is_dir():
        files = _files(path)
        return (
            open_stack(files[0], array)
            if len(files) == 1 and not _is_text(files[0])
            else (_one_each(files))
        )
    if path.suffix == ".npz":
        return stack_of_arrays(_npz(path), path.name, array)
    return stack_of_arrays({path.stem: _npy(path)}, path.name, None)


def stack_of_arrays(arrays: Mapping[str, NDArray[Any]], where: str, array: str | None) -> Stack:
    """Return the matrices among arrays, and what is known of them.

    Args:
        arrays: by name.
        where: they come from, for errors.
        array: which one holds the matrices; None is the only one that may.
    """
    if array is not None and array not in arrays:
        raise UsageError(f"{where} has no array '{array}'; it has {', '.join(arrays)}.")
    likely = [name for name, value in arrays.items() if name not in OWN and np.ndim(value) == 3]
    if array is None and len(likely) != 1:
        shapes = ", ".join(f"{name} {list(np.shape(value))}" for name, value in arrays.items())
        which = (
            "say which array of shape [graphs, nodes, nodes] has the matrices by the option array."
            if likely
            else "one array of shape [graphs, nodes, nodes] is needed."
        )
        raise SmixupError(f"{where} holds {shapes or 'nothing'}: {which}")
    chosen = array or likely[0]
    matrices = np.asarray(arrays[chosen])
    shape = f"'{chosen}' of {where} has the shape {list(matrices.shape)}"
    if matrices.ndim != 3 or not len(matrices):
        raise SmixupError(
            f"{shape}, where [graphs, nodes, nodes] is needed, with one graph at least."
        )
    first, second, last = matrices.shape
    if first == second != last:
        raise SmixupError(
            f"{shape}, where [graphs, nodes, nodes] is needed: if it holds {last} matrices along "
            f"its last axis, save np.moveaxis({chosen}, -1, 0)."
        )
    beside = {name: np.asarray(arrays[name]) for name in OWN if name in arrays and name != chosen}
    for name in ("y", "x", "names"):
        if name in beside and len(np.atleast_1d(beside[name])) != len(matrices):
            raise SmixupError(
                f"'{name}' of {where} has the shape {list(beside[name].shape)}, but there are "
                f"{len(matrices)} matrices."
            )
    names, regions = (
        tuple(map(str, beside[name].reshape(-1))) if name in beside else ()
        for name in ("names", "regions")
    )
    unused = [name for name in arrays if name != chosen and name not in beside]
    notes = tuple(f"the array '{name}' of {where} is not used." for name in unused)
    return Stack(list(matrices), names, beside, regions, notes)


def _files(folder: Path) -> list[Path]:
    """Return the files with matrices in a folder, in order; all must be of one kind."""
    kinds = [
        sorted(
            path
            for path in folder.glob(f"*{ending}")
            if path.is_file() and stem_of(path) != LABELS and not path.name.startswith(".")
        )
        for ending in (".npy", ".npz", *MATRIX_TEXT)
    ]
    kinds = [files for files in kinds if files]
    if not kinds:
        raise SmixupError(f"{folder} holds no matrices (.npy, .npz or .csv).")
    if len(kinds) > 1:
        raise SmixupError(
            f"{folder} holds {kinds[0][0].name} and {kinds[1][0].name}: put files of one kind into "
            "a folder."
        )
    return kinds[0]


def _one_each(files: Sequence[Path]) -> Stack:
    matrices: list[NDArray[Any]] = []
    regions: tuple[str, ...] = ()
    for file in files:
        matrix, names = _text(file) if _is_text(file) else (_npy(file), regions)
        if matrices and names != regions:
            raise SmixupError(
                f"{file.name} names other columns than {files[0].name}: the same nodes in the same "
                "order are needed in all."
            )
        matrices.append(matrix)
        regions = names
    return Stack(matrices, tuple(file.name for file in files), {}, regions)


def _is_text(path: Path) -> bool:
    return path.name.endswith(MATRIX_TEXT)


def _npy(path: Path) -> NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except UNREADABLE as reason:
        raise _unreadable(path, reason) from reason
    if not isinstance(array, np.ndarray):
        array.close()
        raise SmixupError(f"{path.name} is no .npy file, but several arrays: call it .npz.")
    return array


def _npz(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        require_room(2 * size, shown(path.name), "take fewer matrices")
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except DAMAGE as reason:
        raise _unreadable(path, reason) from reason


def _unreadable(path: Path, reason: Exception) -> SmixupError:
    if path.is_file() and not path.stat().st_size:
        return SmixupError(f"{path.name} is empty: save the matrices again.")
    words = [*shown(str(reason).strip().rstrip("."), 200).splitlines(), "it is damaged"][0]
    if re.search("pickle|python objects", words, re.IGNORECASE):
        return SmixupError(
            f"{path.name} holds Python objects, or is no file of NumPy: objects are never read; "
            "save numbers as numbers, and names by np.array(names, dtype=str)."
        )
    if isinstance(reason, zipfile.BadZipFile):
        return SmixupError(f"{path.name} is damaged, or not written by np.savez: save it again.")
    return SmixupError(f"{path.name} cannot be read: {words}.")


def _text(path: Path) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return a matrix in text, and the names of its columns if the first line has them. A first
    column of names is left out.
    """
    lines = read_text(path).rstrip().splitlines()
    if not lines:
        raise SmixupError(f"{path.name} is empty.")
    delimiter = next((mark for mark in (",", ";", "\t") if mark in lines[-1]), None)
    rows = [line.split(delimiter) for line in lines]
    named = not all(NUMBER.match(cell) for cell in rows[0]) and all(map(str.strip, rows[0][1:]))
    first = 1 if named and len(rows) > 1 else 0
    skipped = 0 if NUMBER.match(rows[-1][0]) else 1
    for line, row in enumerate(rows[first:], first + 1):
        if len(row) != len(rows[-1]):
            raise SmixupError(
                f"line {line} of {path.name} has {len(row)} cells, where the last has "
                f"{len(rows[-1])}."
            )
        for column, cell in enumerate(row[skipped:], skipped + 1):
            if number_of(cell) is None:
                raise SmixupError(
                    f"'{shown(cell.strip())}' in line {line}, column {column} of {path.name} is no "
                    "number."
                )
    numbers = np.loadtxt(
        io.StringIO("\n".join(lines[first:])),
        delimiter=delimiter,
        usecols=range(skipped, len(rows[-1])),
        comments=None,
        ndmin=2,
    )
    header = tuple(cell.strip().strip('"') for cell in rows[0]) if first else ()
    return numbers, header[skipped - len(rows[-1]) :]
