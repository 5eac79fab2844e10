"""What a killed import leaves under the data root, and how it goes away.

An import works in a hidden folder, which it removes however it ends, unless it is killed. It holds
a lock on a file in there, which the system takes away from a dead process: a folder that nobody
locks is swept when the next import begins.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any

fcntl: Any
try:
    import fcntl
except ImportError:  # not on every system; there, age tells
    fcntl = None

PREFIX, LOCK = ".import-", "lock"
YOUNG, OLD = 10.0, 7 * 24 * 3600.0
"""Seconds: a folder that is so young may not be locked yet; one that is so old is nobody's."""
MOVED = re.compile(r"\.(?P<name>.+)\.(?P<process>\d+)\.old")
"""A dataset that was moved aside to be replaced, see `files.swap_folder`."""


@contextmanager
def working_folder(root: Path) -> Iterator[Path]:
    """Give a temporary folder on the same disk as the data, and leave nothing of it behind; sweep
    what others left.
    """
    created = [each for each in (root, *root.parents) if not each.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        sweep(root)
        folder = Path(mkdtemp(prefix=PREFIX, dir=root))
        with (folder / LOCK).open("wb") as file:
            _lock(file)
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except BaseException:
        for each in created:
            if each.is_dir() and not any(each.iterdir()):
                each.rmdir()
        raise


def sweep(root: Path) -> None:
    """Remove what killed imports left under a data root, and put back a dataset that one of them
    had moved aside.
    """
    for path in root.glob(".*") if root.is_dir() else ():
        with suppress(OSError):
            moved = MOVED.fullmatch(path.name)
            if moved is not None and path.is_dir() and not _is_running(int(moved["process"])):
                _put_back(path, root / moved["name"])
            elif path.name.startswith(PREFIX) and path.is_dir() and _is_nobodys(path):
                shutil.rmtree(path, ignore_errors=True)
            elif path.name.endswith((".download", ".download.json")) and _age(path) > OLD:
                path.unlink()


def _put_back(path: Path, place: Path) -> None:
    if place.exists():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.rename(place)


def _is_nobodys(folder: Path) -> bool:
    lock = folder / LOCK
    if fcntl is None or not lock.is_file():
        return _age(folder) > (OLD if fcntl is None else YOUNG)
    with lock.open("rb") as file:
        return _lock(file)


def _lock(file: IO[Any]) -> bool:
    """Lock a file until it is closed; tell whether nobody else had."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
