"""The text of tables, plain or gzipped, within bounds. No torch is needed here.

A gzipped file of some kilobytes may unpack to as many gigabytes: what unpacks to far more than any
table does is refused while it is read, and so is a line that does not end.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, AnyStr

from smixup.errors import SmixupError
from smixup.memory import in_words
from smixup.shown import shown

LINE = 1 << 20
"""Letters of a line."""
GZIP = b"\x1f\x8b"
"""The first bytes of a gzipped file."""
ENDS = ("\n", "\r", 10, 13)
"""The last letter of a line, of text or of bytes."""
SMALL, RATIO = 64 << 20, 200
"""Bytes that any gzipped file may unpack to, and how many times its own size a large one may."""


def is_gzipped(path: Path) -> bool:
    """Tell by its name whether a file is gzipped."""
    return path.name.lower().endswith(".gz")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for its bytes, unpacked if it is gzipped; what is wrong with it is a sentence."""
    try:
        with _bytes_of(path) as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as reason:
        raise unreadable(path, reason) from reason


@contextmanager
def opened_text(path: Path) -> Iterator[IO[str]]:
    """Open a file as UTF-8, with or without a mark at its beginning; ends of lines stay."""
    with opened(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        yield text


def lines_of(stream: IO[AnyStr], path: Path) -> Iterator[AnyStr]:
    """Go through the lines of a text; refuse one that is longer than any table has."""
    while line := stream.readline(LINE):
        if len(line) == LINE and line[-1] not in ENDS:
            raise endless(path)
        yield line


def endless(path: Path) -> SmixupError:
    """Return the error for a line that is too long."""
    name = shown(path.name)
    return SmixupError(f"{name} has a line of more than {LINE:,} letters: is it a table?")


def unreadable(path: Path, reason: Exception) -> SmixupError:
    """Return the error for a file that cannot be read."""
    if isinstance(reason, gzip.BadGzipFile) and not _begins_as_gzip(path):
        return SmixupError(f"{shown(path.name)} is not gzipped: let its name not end in .gz.")
    told = getattr(reason, "strerror", None) or str(reason).strip() or type(reason).__name__
    first = told.rstrip(".").partition("\n")[0]
    return SmixupError(f"{shown(path, 300)} cannot be read: {shown(first, 200)}.")


def _bytes_of(path: Path) -> IO[bytes]:
    return io.BufferedReader(_Unpacking(path)) if is_gzipped(path) else path.open("rb")


class _Unpacking(io.RawIOBase):
    """Unpacks a gzipped file, as far as that is within bounds."""

    def __init__(self, path: Path) -> None:
        self.path, self.packed = path, path.stat().st_size
        self.file = gzip.GzipFile(path)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def readinto(self, buffer: Any) -> int:
        found = self.file.read(len(buffer))
        if self.file.tell() > max(SMALL, RATIO * self.packed):
            raise SmixupError(
                f"{shown(self.path.name)} has {in_words(self.packed)} and unpacks to more than "
                f"{RATIO} times as much: if you trust it, unpack it yourself."
            )
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self.file.close()
        super().close()


def _begins_as_gzip(path: Path) -> bool:
    """Tell a damaged archive from a file that is none."""
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP
