"""Files and folders that appear whole or not at all, even if the power fails.

What is being written stands under a hidden name beside its place, which tells the process that
writes it. If that process is killed, the next one that writes there removes what it left.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from smixup.errors import SmixupError

UNFINISHED, OLD = "unfinished", "old"
HIDDEN = re.compile(r"\.(?P<name>.+)\.(?P<host>[0-9a-f]{8})-(?P<process>\d+)-\d+\.(?P<state>\w+)")
TRIAL = bytes(4096)

_number = count()


def write_whole(path: Path, content: bytes | str, what: str) -> Path:
    """Write a file, and the folders above it, in one step: a reader finds the old file or the new
    one, never a part.

    Args:
        path: the file; one that is there is replaced.
        content: bytes, or text to be written as UTF-8.
        what: names the file in an error, such as "the page".
    """
    unfinished = _beside(path, UNFINISHED)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep_leftovers(path)
        try:
            unfinished.write_bytes(content.encode() if isinstance(content, str) else content)
            _sync(unfinished)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        _sync(path.parent)
    except OSError as error:
        raise _cannot_write(what, path, error) from error
    return path


@contextmanager
def whole_folder(target: Path, what: str) -> Iterator[Path]:
    """Give an empty folder to fill, which takes the place of `target` when the block ends; if it
    fails, what was there stays.

    Args:
        target: the folder; one that is there is replaced.
        what: names it in an error, such as "the model".
    """
    target = target.absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(target) as new:
            yield new
            swap_folder(new, target)
    except OSError as error:
        raise _cannot_write(what, target, error) from error


@contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """Give an empty hidden folder beside `target` for the time of the block, and remove what was
    left of others that were killed.
    """
    sweep_leftovers(target)
    folder = _beside(target, UNFINISHED)
    try:
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def swap_folder(new: Path, target: Path) -> None:
    """Move a finished folder to `target` on the same disk; what was there goes, or comes back if
    the move fails. If the process is killed between the two moves, who reads or writes there next
    puts it back.
    """
    sweep_leftovers(target)
    for path in (*new.rglob("*"), new):
        _sync(path)
    old = _beside(target, OLD)
    try:
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    try:
        _sync(target.parent)
    finally:
        shutil.rmtree(old, ignore_errors=True)


def hidden_state(name: str) -> tuple[str, str]:
    """Return of which file or folder a hidden name is, and in which state; two empty texts for any
    other name.
    """
    hidden = HIDDEN.fullmatch(name)
    return (hidden["name"], hidden["state"]) if hidden else ("", "")


def sweep_leftovers(target: Path) -> None:
    """Remove what processes that have died left beside a file or folder; a folder that one of them
    had moved aside, and not replaced, goes back to its place.
    """
    with suppress(OSError):
        for path in list(target.parent.iterdir()):
            hidden = HIDDEN.fullmatch(path.name)
            if hidden is None or hidden["name"] != target.name or not _has_died(hidden):
                continue
            if hidden["state"] == OLD and not target.exists():
                path.rename(target)
            elif path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def restore_folder(target: Path) -> None:
    """Put a folder back that a process had moved aside, and died before it could replace it."""
    if not target.exists():
        sweep_leftovers(target.absolute())


def require_writable(path: Path, what: str, folder: bool = False) -> None:
    """Refuse a place where nothing can be written, before there is anything to write; nothing is
    left there.

    Args:
        path: what will be written; the folders above need not be there.
        what: names it in an error, such as "the page".
        folder: whether it is a folder, not a file.
    """
    above = next(folder for folder in path.absolute().parents if folder.exists())
    trial = _beside(above / (path.name or "trial"), UNFINISHED)
    try:
        if path.is_dir() and not folder:
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        try:
            trial.write_bytes(TRIAL)
            _sync(trial)
        finally:
            trial.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot_write(what, path, error) from error


def parsed(content: bytes | str) -> Any:
    """Return what JSON says; anything else, also what is nested too deeply, is a `ValueError`."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


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


def _cannot_write(what: str, path: Path, error: OSError) -> SmixupError:
    return SmixupError(f"cannot write {what} {path}: {error.strerror or error}.")


def _beside(path: Path, state: str) -> Path:
    """Return a hidden name in the same folder, from where a move is one step."""
    own = f"{_host()}-{os.getpid()}-{next(_number)}"
    return path.with_name(f".{path.name}.{own}.{state}")


@cache
def _host() -> str:
    """Return a short text for this machine: others may share the disk."""
    return sha256(socket.gethostname().encode()).hexdigest()[:8]


def _has_died(owner: re.Match[str]) -> bool:
    """Tell whether a hidden name is that of a process of this machine that is no more."""
    foreign = owner["host"] != _host() or owner["state"] not in (UNFINISHED, OLD)
    if foreign or os.name == "nt":  # where asking for a process would end it
        return False
    try:
        os.kill(int(owner["process"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
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
