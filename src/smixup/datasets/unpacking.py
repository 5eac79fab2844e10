"""Unpacking archives that are not trusted: plain files inside the target folder, of names that are
wanted, no larger than data is, and nothing else.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any

from smixup.datasets.bounds import BLOCK, Unpacked
from smixup.errors import SmixupError
from smixup.shown import shown

UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    MemoryError,
)
"""What the readers of archives raise where one is damaged, some of it by accident."""
COMPRESSED: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
"""How a tar is opened, by its first bytes."""
ENTRIES = 100_000
"""Of an archive."""
AT_ONCE = 1 << 24
"""Bytes that a tar is read by: what its headers ask for may be more than there is memory."""

Wanted = Callable[[str], bool]


def unpack(path: Path, target: Path, wanted: Wanted | None = None, large: bool = False) -> None:
    """Unpack a zip or a tar, compressed or not, into `target`.

    Args:
        path: of the archive.
        target: a folder to be made.
        wanted: tells of the name of an entry whether it is; the others are passed over.
        large: allow any size, and not only those of `bounds.Unpacked`.

    Raises:
        SmixupError: if it is neither, is damaged, is larger than it may be or than the free disk,
            or has an entry that is a link, a device, a file with holes, or lies outside of the
            target; what was unpacked until then is for the caller to remove.
    """
    target.mkdir(parents=True)
    count = Unpacked(path.stat().st_size, large)
    try:
        if zipfile.is_zipfile(path):
            _unpack_zip(path, target, wanted or _all, count)
        else:
            _unpack_tar(path, target, wanted or _all, count)
    except SmixupError:
        raise
    except UNREADABLE as reason:
        told = str(reason) or type(reason).__name__
        raise SmixupError(f"the archive cannot be unpacked ({shown(told, 200)}).") from reason


def _all(name: str) -> bool:
    return True


def _unpack_zip(path: Path, target: Path, wanted: Wanted, count: Unpacked) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        _check_number(len(entries))
        for entry in entries:
            _check_name(entry.orig_filename)  # `filename` ends before a NUL
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise _no_file(entry.filename)
        files = [each for each in entries if not each.is_dir()]
        chosen = [each for each in files if wanted(each.filename)]
        for entry in entries:
            archive.open(entry).close()  # refuses one that has another name in its own place
        for entry in chosen:
            count.add(entry.file_size)
        _check_room(count.size, target)
        for entry in chosen:
            with archive.open(entry) as file:
                _write(file, target / entry.filename, entry.file_size)


def _unpack_tar(path: Path, target: Path, wanted: Wanted, count: Unpacked) -> None:
    with path.open("rb") as file:
        first = file.read(6)
    open_ = next((each for mark, each in COMPRESSED.items() if first.startswith(mark)), open)
    with open_(path, "rb") as stream:  # type: ignore[call-arg]
        counted: Any = _Counted(stream, count)
        try:
            archive = tarfile.open(fileobj=counted, mode="r:")  # noqa: SIM115
        except tarfile.ReadError as reason:
            raise SmixupError(
                "it is neither a zip nor a tar archive, or it is damaged."
            ) from reason
        with archive:
            for place, entry in enumerate(archive):
                _check_number(place)
                _check_entry(entry)
                _check_room(entry.size, target)
                if entry.isfile() and wanted(entry.name):
                    content = archive.extractfile(entry)
                    assert content is not None
                    _write(content, target / entry.name, entry.size)


class _Counted:
    """What comes out of a compressed tar, counted as it is read, or passed over."""

    def __init__(self, stream: IO[bytes], count: Unpacked) -> None:
        self._stream, self._count = stream, count

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, place: int) -> int:
        while (ahead := place - self.tell()) > 0:
            if not self.read(min(ahead, BLOCK)):
                return self.tell()
        return self._stream.seek(place)

    def read(self, size: int) -> bytes:
        if size > AT_ONCE:
            raise tarfile.ReadError("a header of it is longer than any name")
        before = self.tell()
        found = self._stream.read(size)
        self._count.add(max(before + len(found) - self._count.size, 0))
        return found


def _check_entry(entry: tarfile.TarInfo) -> None:
    _check_name(entry.name)
    if entry.issparse():
        raise SmixupError(f"the archive holds a file with holes: {shown(entry.name)}.")
    if not (entry.isfile() or entry.isdir()):
        raise _no_file(entry.name)


def _no_file(name: str) -> SmixupError:
    return SmixupError(f"the archive holds a link or a device: {shown(name)}.")


def _write(file: IO[bytes], target: Path, size: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as out:
        shutil.copyfileobj(file, out)
    if target.stat().st_size != size:
        raise EOFError("it is cut short")


def _check_number(number: int) -> None:
    if number > ENTRIES:
        raise SmixupError(f"the archive holds more than {ENTRIES:,} entries.")


def _check_name(name: str) -> None:
    windows = PureWindowsPath(name)
    if (
        windows.drive
        or windows.root
        or ".." in windows.parts
        or ".." in PurePosixPath(name).parts
        or "\0" in name
    ):
        raise SmixupError(f"the archive holds a path that leads outside: {shown(name)}.")
    if not name.strip("./\\"):
        raise SmixupError(f"the archive holds an entry without a name: '{shown(name)}'.")


def _check_room(size: int, target: Path) -> None:
    if size > shutil.disk_usage(target).free:
        raise SmixupError(
            f"the archive unpacks to {size:,} bytes, more than the disk has room for."
        )
