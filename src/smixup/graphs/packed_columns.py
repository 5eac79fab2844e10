"""The files of a packed set, opened and checked: one column each, and `packed.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from smixup.errors import SmixupError
from smixup.graphs.columns import read_column
from smixup.packed_folder import damaged, read_manifest


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
        except (LookupError, TypeError, AttributeError) as reason:
            raise damaged(folder, f"packed.json: {reason!r}") from reason

    def __reduce__(self) -> tuple[type[Columns], tuple[Path, str]]:
        return Columns, (self.folder, str(self.manifest["digest"]))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._opened:
            try:
                self._opened[name] = read_column(self.folder / f"{name}.npy")
            except (OSError, EOFError, ValueError) as reason:
                raise damaged(self.folder, f"{name}.npy: {reason}") from reason
        return self._opened[name]

    def _open(self) -> None:
        """Open all files; refuse those that are missing, cut short or of other sizes than they
        should be.
        """
        manifest = self.manifest
        rows = {"graphs": int(manifest["graphs"]), "nodes": int(manifest["nodes"])}
        for name, (kind, extra) in _expected(manifest).items():
            expected = rows[kind] + extra if kind in rows else int(self[kind][-1])
            if len(self[name]) != expected:
                raise damaged(self.folder, f"{name}.npy has {len(self[name])} rows")
        if int(self["ptr"][-1]) != rows["nodes"]:
            raise damaged(self.folder, "ptr.npy and the number of nodes differ")


def _expected(manifest: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    """Return the columns there are, and how many rows each has: as many as there are graphs or
    nodes and some more, or as the last row of another column says.
    """
    found = {"ptr": ("graphs", 1), "x": ("nodes", 0), "y": ("graphs", 0)}
    of_edges = [each for columns in manifest["edge_attrs"].values() for each in columns]
    for operator in (manifest["adj"], *of_edges):
        pattern = operator["pattern"]
        found |= {f"{pattern}.ptr": ("graphs", 1), f"{pattern}.count": ("nodes", 0)}
        found[f"{pattern}.column"] = f"{pattern}.ptr", 0
        if operator["weight"]:
            found[f"{operator['weight']}.weight"] = f"{pattern}.ptr", 0
    found |= dict.fromkeys(manifest["node_attrs"].values(), ("nodes", 0))
    return found | dict.fromkeys(manifest["graph_attrs"].values(), ("graphs", 0))
