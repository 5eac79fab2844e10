"""The files of a packed set, opened and checked: one `.npy` column each, and `packed.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.errors import SmixupError
from smixup.graphs.targets import MOST_CLASSES
from smixup.packed_folder import damaged, read_manifest
from smixup.shown import shown

UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    SyntaxError,
    TokenError,
    OverflowError,
    RecursionError,
    MemoryError,
)
"""What NumPy raises where a file is damaged: the header is a text that Python parses."""
KINDS = {"graphs": int, "nodes": int, "classes": int, "has_classes": bool, "notes": dict}
KINDS |= {"digest": str, "adj": dict, "edge_attrs": dict, "node_attrs": dict, "graph_attrs": dict}


class Columns:
    """The files of a packed set, all opened at once, so that one which is replaced meanwhile stays
    what it was; in another process they are opened there again.
    """

    def __init__(self, folder: Path, digest: str | None = None) -> None:
        self.folder = folder.absolute()
        self.manifest = read_manifest(folder)
        if digest not in (None, self.manifest.get("digest")):
            raise SmixupError(
                f"the packed graphs in {folder} were replaced while they were in use: start again."
            )
        self._opened: dict[str, NDArray[Any]] = {}
        try:
            self._open()
        except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as reason:
            raise damaged(folder, f"packed.json: {shown(repr(reason))}") from reason

    def __reduce__(self) -> tuple[type[Columns], tuple[Path, str]]:
        return Columns, (self.folder, str(self.manifest["digest"]))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._opened:
            try:
                self._opened[name] = _mapped(self.folder / f"{name}.npy")
            except UNREADABLE as reason:
                fault = f"{shown(name)}.npy: {shown(reason, 200)}"
                raise damaged(self.folder, fault) from reason
        return self._opened[name]

    def _open(self) -> None:
        """Open all files; refuse those that are missing, cut short or of other sizes than they
        should be.
        """
        manifest = self.manifest
        graphs, nodes = _counts(manifest)
        if self._offsets("ptr", graphs) != nodes:
            raise damaged(self.folder, "ptr.npy and the number of nodes differ")
        self._rows("x", nodes, 2)
        self._rows("y", graphs, 1, 2)
        for operator in operators(manifest):
            pattern, weight = operator["pattern"], operator["weight"]
            entries = self._offsets(f"{pattern}.ptr", graphs)
            for name, rows in ((f"{pattern}.count", nodes), (f"{pattern}.column", entries)):
                self._rows(name, rows, 1)
                if self[name].dtype.kind not in "iu":
                    raise damaged(self.folder, f"{shown(name)}.npy holds no whole numbers")
            if weight:
                self._rows(f"{weight}.weight", entries, *range(1, 6))
        for kind, rows in (("node_attrs", nodes), ("graph_attrs", graphs)):
            for name in manifest[kind].values():
                self._rows(name, rows, *range(1, 6))

    def _rows(self, name: str, rows: int, *dimensions: int) -> None:
        shape = self[name].shape
        if shape[:1] != (rows,) or len(shape) not in dimensions:
            raise damaged(self.folder, f"{shown(name)}.npy has the shape {list(shape)}")

    def _offsets(self, name: str, graphs: int) -> int:
        """Refuse offsets that do not begin at zero and go up, and return where they end."""
        self._rows(name, graphs + 1, 1)
        ptr = self[name]
        if ptr.dtype.kind not in "iu" or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
            raise damaged(self.folder, f"{name}.npy does not hold offsets")
        return int(ptr[-1])


def operators(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what is told of the adjacency and of attributes of edges."""
    found = [manifest["adj"], *(each for of in manifest["edge_attrs"].values() for each in of)]
    for each in found:
        if type(each["symmetric"]) is not bool:
            raise ValueError(f"symmetric is {each['symmetric']!r}")
        if not (each["weight"] is None or (each["weight"] and isinstance(each["weight"], str))):
            raise ValueError(f"weight is {each['weight']!r}")
    return found


def _counts(manifest: Mapping[str, Any]) -> tuple[int, int]:
    """Return the numbers of graphs and nodes; refuse values of another kind."""
    for name, kind in KINDS.items():
        if type(manifest[name]) is not kind or (kind is int and not 0 <= manifest[name] < 2**62):
            raise ValueError(f"{name} is {manifest[name]!r}")
    if manifest["has_classes"] and manifest["classes"] > MOST_CLASSES:
        raise ValueError(f"classes is {manifest['classes']}")
    return manifest["graphs"], manifest["nodes"]


def _mapped(path: Path) -> NDArray[Any]:
    """Return the rows of a column; they stay on disk until somebody reads them."""
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError("it holds several arrays")
    if array.dtype.kind not in "biuf" or not array.dtype.isnative:
        raise ValueError(f"it holds {array.dtype}, not plain numbers of this machine")
    return np.asarray(array)
