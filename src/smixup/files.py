"""Files and folders that appear whole or not at all, even if the power fails.

What is being written stands under a hidden name beside its place, which tells the process that
writes it. If that process is killed, the next one that writes there removes what it left.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from weakref import finalize

from smixup.errors import SmixupError

UNFINISHED, OLD = "unfinished", "old"
HIDDEN = re.compile(r"\.(?P<name>.+)\.(?P<host>[0-9a-f]{8})-(?P<process>\d+)-\d+\.(?P<state>\w+)")
HOST = sha256(socket.gethostname().encode()).hexdigest()[:8]  # others may share the disk
TRIAL = bytes(4096)

_number = count()


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
    sweep_leftovers(target.parent)
    folder = _beside(target, UNFINISHED)
    try:
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def swap_folder(new: Path, target: Path) -> None:
    """Move a finished folder to `target` on the same disk; what was there goes, or comes back if
    the move fails, or is put back by `sweep_leftovers` if the process is killed.
    """
    for path in (*new.rglob("*"), new):
        _sync(path)
    old = _beside(target, OLD)
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
        _sync(target.parent)
    finally:
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(old, ignore_errors=True)


def sweep_leftovers(folder: Path) -> None:
    """Remove what processes that have died left in a folder; what one of them had moved aside, and
    not replaced, goes back to its place.
    """
    with suppress(OSError):
        for path in list(folder.iterdir()):
            hidden = HIDDEN.fullmatch(path.name)
            if hidden is None or not _has_died(hidden):
                continue
            target = path.with_name(hidden["name"])
            if hidden["state"] == OLD and not target.exists():
                path.rename(target)
            else:
                shutil.rmtree(path, ignore_errors=True)  # which leaves files and links
                path.unlink(missing_ok=True)


def restore_folder(target: Path) -> None:
    """Put a folder back that a process had moved aside, and died before it could replace it."""
    if not target.exists():
        sweep_leftovers(target.absolute().parent)


def require_writable(path: Path, what: str, folder: bool = False) -> None:
    """Refuse a place where no file, or folder, can be written, before there is anything to write;
    nothing is left there, and folders above it need not be there.
    """
    with _explained(what, path):
        if path.is_dir() and not folder:
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        above = next(folder for folder in path.absolute().parents if folder.exists())
        with TemporaryFile(dir=above, buffering=0) as trial:
            trial.write(TRIAL)
            os.fsync(trial.fileno())


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


def _beside(path: Path, state: str) -> Path:
    return path.with_name(f".{path.name}.{HOST}-{os.getpid()}-{next(_number)}.{state}")


def _has_died(owner: re.Match[str]) -> bool:
    """Tell whether a hidden name is that of a process of this machine that is no more."""
    foreign = owner["host"] != HOST or owner["state"] not in (UNFINISHED, OLD)
    if foreign or os.name == "nt":  # where asking for a process would end it
        return False
    try:
        os.kill(int(owner["process"]), 0)
    except (OSError, OverflowError) as error:
        return isinstance(error, ProcessLookupError)
    return False


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
