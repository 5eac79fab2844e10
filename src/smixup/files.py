"""Files and folders that appear whole or not at all, even if the power fails."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import mkdtemp
from weakref import finalize

from smixup.errors import SmixupError


def write_whole(path: Path, content: bytes | str, what: str) -> Path:
    """Write a file, and the folders above it, in one step: a reader finds the old file or the new
    one, never a part.

    Args:
        path: the file; one that is there is replaced.
        content: bytes, or text to be written as UTF-8.
        what: names the file in an error, such as "the page".
    """
    unfinished = _beside(path, "unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(content.encode() if isinstance(content, str) else content)
            _sync(unfinished)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        _sync(path.parent)
    except OSError as error:
        raise SmixupError(f"cannot write {what} {path}: {error.strerror or error}.") from error
    return path


def swap_folder(new: Path, target: Path) -> None:
    """Move a finished folder to `target` on the same disk; what was there goes, or comes back if
    the move fails.
    """
    for each in (*new.rglob("*"), new):
        _sync(each)
    old = _beside(target, "old")
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    _sync(target.parent)
    shutil.rmtree(old, ignore_errors=True)


class TemporaryFolder:
    """A folder that is removed when nobody holds this object any more, or when the process ends;
    a copy in another process owns nothing.
    """

    def __init__(self, prefix: str) -> None:
        self.path = Path(mkdtemp(prefix=prefix))
        self._remove = finalize(self, _remove_own, self.path, os.getpid())

    def remove(self) -> None:
        """Remove the folder now."""
        self._remove()


def _remove_own(path: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def _beside(path: Path, state: str) -> Path:
    """Return a hidden name in the same folder, from where a move is one step."""
    return path.with_name(f".{path.name}.{os.getpid()}.{state}")


def _sync(path: Path) -> None:
    """Bring the content of a file, or the names in a folder, to the disk."""
    is_folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        if not is_folder:  # some systems cannot sync a folder, and its files are safe without
            raise
