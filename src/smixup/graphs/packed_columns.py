"""The files of a packed set, opened and checked: one column each, and `packed.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from smixup.errors import SmixupError
from smixup.graphs.columns import UNREADABLE, read_column
from smixup.graphs.required_targets import MOST_CLASSES
from smixup.packed_folder import damaged, read_manifest
from smixup.shown import shown

PLACES = (".count", ".column")
"""Columns that count or name nodes."""


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
                self._opened[name] = read_column(self.folder / f"{name}.npy")
            except UNREADABLE as reason:
                told = f"{shown(name)}.npy: {shown(reason, 200)}"
                raise damaged(self.folder, told) from reason
        return self._opened[name]

    def _open(self) -> None:
        """Open all files; refuse those that are missing, cut short or of other sizes than they
        should be.
        """
        manifest = self.manifest
        _check(manifest)
        rows = {"graphs": int(manifest["graphs"]), "nodes": int(manifest["nodes"])}
        for name, (kind, extra) in _expected(manifest).items():
            found, expected = self[name].shape, rows.get(kind, 0) + extra
            if kind not in rows:
                expected = int(self[kind][-1])
            if found[:1] != (expected,) or len(found) not in _dimensions(name):
                raise damaged(self.folder, f"{shown(name)}.npy has the shape {list(found)}")
            if name.endswith(PLACES) and self[name].dtype.kind not in "iu":
                raise damaged(self.folder, f"{shown(name)}.npy holds no whole numbers")
            if name.endswith("ptr"):
                self._check_offsets(name)
        if int(self["ptr"][-1]) != rows["nodes"]:
            raise damaged(self.folder, "ptr.npy and the number of nodes differ")

    def _check_offsets(self, name: str) -> None:
        """Refuse offsets that do not begin at zero and go up."""
        found = self[name]
        if found.dtype.kind not in "iu" or found[0] != 0 or (found[1:] < found[:-1]).any():
            raise damaged(self.folder, f"{name}.npy does not hold offsets")


def _check(manifest: Mapping[str, Any]) -> None:
    """Refuse a manifest in which something is of another kind."""
    kinds: dict[str, type] = {"graphs": int, "nodes": int, "classes": int, "has_classes": bool}
    kinds |= {"notes": dict, "digest": str, "adj": dict}
    kinds |= dict.fromkeys(("edge_attrs", "node_attrs", "graph_attrs"), dict)
    for name, kind in kinds.items():
        if type(manifest[name]) is not kind or (kind is int and not 0 <= manifest[name] < 2**62):
            raise ValueError(f"{name} is {manifest[name]!r}")
    if manifest["has_classes"] and manifest["classes"] > MOST_CLASSES:
        raise ValueError(f"classes is {manifest['classes']}")


def _patterns(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what is told of the adjacency and of attributes of edges."""
    of_edges = [each for columns in manifest["edge_attrs"].values() for each in columns]
    found = [manifest["adj"], *of_edges]
    for each in found:
        if type(each["symmetric"]) is not bool:
            raise ValueError(f"symmetric is {each['symmetric']!r}")
        if not (each["weight"] is None or (each["weight"] and isinstance(each["weight"], str))):
            raise ValueError(f"weight is {each['weight']!r}")
    return found


def _dimensions(name: str) -> tuple[int, ...]:
    """Return how many dimensions a column may have."""
    if name in ("ptr", "x", "y"):
        return {"ptr": (1,), "x": (2,), "y": (1, 2)}[name]
    return (1,) if name.endswith((".ptr", *PLACES)) else (1, 2, 3, 4, 5)


def _expected(manifest: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    """Return the columns there are, and how many rows each has: as many as there are graphs or
    nodes and some more, or as the last row of another column says.
    """
    found = {"ptr": ("graphs", 1), "x": ("nodes", 0), "y": ("graphs", 0)}
    for operator in _patterns(manifest):
        pattern = operator["pattern"]
        found |= {f"{pattern}.ptr": ("graphs", 1), f"{pattern}.count": ("nodes", 0)}
        found[f"{pattern}.column"] = f"{pattern}.ptr", 0
        if operator["weight"]:
            found[f"{operator['weight']}.weight"] = f"{pattern}.ptr", 0
    found |= dict.fromkeys(manifest["node_attrs"].values(), ("nodes", 0))
    return found | dict.fromkeys(manifest["graph_attrs"].values(), ("graphs", 0))
