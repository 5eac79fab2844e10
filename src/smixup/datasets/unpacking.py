"""Unpacking archives that are not trusted: plain files inside the target folder, and nothing
else.
"""

from __future__ import annotations

import shutil
import stat
import tarfile
import zipfile
import zlib
from lzma import LZMAError
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from smixup.errors import SmixupError

UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
)


def unpack(path: Path, target: Path) -> None:
    """Unpack a zip or a tar, compressed or not, into `target`.

    Raises:
        SmixupError: if it is neither, is damaged, is larger than the free disk, or has an entry
            that is a link, a device, or lies outside of the target; what was unpacked until then is
            for the caller to remove.
    """
    target.mkdir(parents=True)
    try:
        if zipfile.is_zipfile(path):
            _unpack_zip(path, target)
        elif tarfile.is_tarfile(path):
            _unpack_tar(path, target)
        else:
            raise SmixupError("it is neither a zip nor a tar archive, or it is damaged.")
    except UNREADABLE as reason:
        raise SmixupError(
            f"the archive cannot be unpacked ({str(reason) or type(reason).__name__})."
        ) from reason


def _unpack_zip(path: Path, target: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        _check_room(sum(entry.file_size for entry in entries), target)
        for entry in entries:
            _check_name(entry.filename)
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise SmixupError(f"the archive holds a link or a device: {entry.filename}.")
        for entry in entries:
            if not entry.is_dir():
                with archive.open(entry) as file:
                    _write(file, target / entry.filename)


def _unpack_tar(path: Path, target: Path) -> None:
    with tarfile.open(path) as archive:
        entries = archive.getmembers()
        _check_room(sum(entry.size for entry in entries), target)
        for entry in entries:
            _check_name(entry.name)
            if not (entry.isfile() or entry.isdir()):
                raise SmixupError(f"the archive holds a link or a device: {entry.name}.")
        for entry in entries:
            file = archive.extractfile(entry)
            if file is not None:
                with file:
                    _write(file, target / entry.name)


def _write(file: IO[bytes], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as out:
        shutil.copyfileobj(file, out)


def _check_name(name: str) -> None:
    windows = PureWindowsPath(name)
    if (
        windows.drive
        or windows.root
        or ".." in windows.parts
        or ".." in PurePosixPath(name).parts
        or "\0" in name
    ):
        raise SmixupError(f"the archive holds a path that leads outside: {name}.")


def _check_room(size: int, target: Path) -> None:
    if size > shutil.disk_usage(target).free:
        raise SmixupError(
            f"the archive unpacks to {size:,} bytes, more than the disk has room for."
        )
