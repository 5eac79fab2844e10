"""Files and folders that appear whole or not at all, even if the power fails.

What is being written stands under a hidden name beside its place. A folder that is replaced is
moved aside first; if the process is killed just then, who looks for it next puts it back.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile, mkdtemp
from weakref import finalize

from smixup.errors import SmixupError


def write_whole(path: Path, content: bytes | str, what: str) -> Path:
    """Write a file, and the folders above it, in one step: a reader finds the old file or the new
    one, never a part. `what` names it in an error, such as "the page".
    """
    with _explained(what, path), unfinished_folder(path) as folder:
        new = folder / path.name
        new.write_bytes(content.encode() if isinstance(content, str) else content)
        _sync(new)
        new.replace(path)
        _sync(path.parent)
    return path


@contextmanager
def whole_folder(target: Path, what: str) -> Iterator[Path]:
    """Give an empty folder to fill, which takes the place of `target` when the block ends; if it
    fails, what was there stays.
    """
    target = target.absolute()
    with _explained(what, target), unfinished_folder(target) as new:
        yield new
        swap_folder(new, target)


@contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """Give an empty hidden folder beside `target`, from where a move is one step, for the time of
    the block.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = target.with_name(f".{target.name}.{token_hex(8)}.unfinished")
    try:
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def swap_folder(new: Path, target: Path) -> None:
    """Move a finished folder to `target` on the same disk; what was there goes, or comes back if
    the move fails.
    """
    restore_folder(target)
    for path in (*new.rglob("*"), new):
        _sync(path)
    try:
        if target.exists():
            shutil.rmtree(_aside(target), ignore_errors=True)  # of a process that died at the end
            target.rename(_aside(target))
        new.rename(target)
        _sync(target.parent)
    finally:
        restore_folder(target)
        shutil.rmtree(_aside(target), ignore_errors=True)


def restore_folder(target: Path) -> None:
    """Put a folder back that a process had moved aside, and died before it could replace it."""
    if not target.exists() and _aside(target).exists():
        _aside(target).rename(target)


def _aside(target: Path) -> Path:
    return target.absolute().with_name(f".{target.absolute().name}.old")


def require_writable(path: Path, what: str, folder: bool = False) -> None:
    """Refuse a place where no file, or folder, can be written, before there is anything to write;
    nothing is left there, and folders above it need not be there.
    """
    with _explained(what, path):
        if path.is_dir() and not folder:
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        above = next(folder for folder in path.absolute().parents if folder.exists())
        TemporaryFile(dir=above).close()


class TemporaryFolder:
    """A folder that is removed when nobody holds this object any more, or when the process ends;
    a copy in another process owns nothing.
    """

    def __init__(self, prefix: str) -> None:
        self.path = Path(mkdtemp(prefix=prefix))
        finalize(self, _remove_own, self.path, os.getpid())


def _remove_own(path: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _explained(what: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SmixupError(f"cannot write {what} {path}: {error.strerror or error}.") from error


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
