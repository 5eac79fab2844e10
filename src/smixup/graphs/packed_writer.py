"""Writing a packed set: it appears in its folder when all is written, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from torch import Tensor

from smixup.errors import SmixupError, UsageError
from smixup.files import swap_folder, unfinished_folder
from smixup.graphs.columns import ColumnWriter
from smixup.graphs.graphs import Graphs
from smixup.graphs.growing_set import GrowingSet
from smixup.packed_folder import FORMAT, MANIFEST, VERSION, is_packed


class PackedWriter:
    """Writes a packed set; it appears in its folder when all is written, or not at all.

    Example::

        with PackedWriter("million") as writer:
            for part in parts:          # `Graphs`, each a part that fits into memory
                writer.add(part)

    All parts must have the same features and attributes. Class numbers may go up from part to part.
    """

    def __init__(
        self,
        folder: Path | str,
        notes: Mapping[str, Any] | None = None,
        indicators_in_bytes: bool = False,
    ) -> None:
        """Begin a set in a hidden folder beside `folder`.

        Args:
            folder: where the set will be.
            notes: numbers and texts to keep beside the graphs.
            indicators_in_bytes: keep features that are floats and all zero or one in bytes, a
                quarter of the room; `floating` gives them back.
        """
        self._in_bytes = indicators_in_bytes
        self.folder = Path(folder).expanduser()
        if self.folder.exists() and not is_packed(self.folder) and not _is_empty(self.folder):
            raise UsageError(
                f"{self.folder} exists and holds no packed graphs: name another folder, or remove "
                "it first."
            )
        self._notes, self._leftovers = _plain(notes or {}), ExitStack()
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            hidden = unfinished_folder(self.folder.absolute())
            self._unfinished = self._leftovers.enter_context(hidden)
        except OSError as reason:
            raise _unwritable(self.folder, reason) from reason
        self._set: GrowingSet | None = None

    def add(self, graphs: Graphs) -> None:
        """Write graphs behind those that are there."""
        try:
            if self._set is None:
                self._set = GrowingSet(self._unfinished)
                self._set.begin(graphs, self._in_bytes)
            self._set.add(graphs)
        except OSError as reason:
            raise _unwritable(self.folder, reason) from reason

    def keep(self, name: str, rows: Tensor) -> None:
        """Write other numbers beside the graphs, under a name that is no column's."""
        try:
            with closing(ColumnWriter(self._unfinished / f"{name}.npy")) as column:
                column.append(rows)
        except OSError as reason:
            raise _unwritable(self.folder, reason) from reason

    def close(self) -> None:
        """Finish the set, and put it in place."""
        if self._set is None:
            raise SmixupError(f"there are no graphs to pack into {self.folder}.")
        try:
            told = {"format": FORMAT, "version": VERSION} | self._set.close()
            text = json.dumps(told | {"notes": self._notes}, indent=1)
            (self._unfinished / MANIFEST).write_text(text, encoding="utf-8")
            swap_folder(self._unfinished, self.folder)
        except OSError as reason:
            raise _unwritable(self.folder, reason) from reason

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.close()
        finally:
            if self._set is not None:
                self._set.abandon()
            self._leftovers.close()


def _plain(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return notes as they will be read again."""
    try:
        found: dict[str, Any] = json.loads(json.dumps(dict(notes)))
    except (TypeError, ValueError) as reason:
        raise UsageError(f"notes beside packed graphs are numbers and texts: {reason}.") from reason
    return found


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _unwritable(folder: Path, reason: OSError) -> SmixupError:
    return SmixupError(f"cannot write packed graphs to {folder}: {reason.strerror or reason}.")
