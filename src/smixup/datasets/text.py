"""Text files that come in, plain or gzipped, within bounds; publishers' tables of numbers.

A gzipped file of some kilobytes may unpack to as many gigabytes: what unpacks to far more than any
table does is refused while it is read, and so is a line that does not end. No torch is needed here.
"""

from __future__ import annotations

import gzip
import io
import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, AnyStr

import numpy as np
from numpy.typing import NDArray

from smixup.errors import SmixupError
from smixup.memory import in_words, require_room
from smixup.shown import shown

LINE = 1 << 20  # letters
BLOCK = 1 << 20
GZIP = b"\x1f\x8b"
SMALL, RATIO = 64 << 20, 200  # bytes any gzipped file may unpack to, and times its size
NUMBER = 24  # bytes of memory while a number is read
EMPTY = re.compile(r"(?m)^(?=,|\r?$)|(?<=,)(?=,|\r?$)")


def require_regular(path: Path) -> None:
    """Refuse what is neither a file nor a folder, such as a pipe, which may never end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise SmixupError(f"{shown(path, 300)} is neither a file nor a folder.")


def is_gzipped(path: Path) -> bool:
    """Tell by its name whether a file is gzipped."""
    return path.name.lower().endswith(".gz")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for its bytes, unpacked if it is gzipped; what is wrong with it is a sentence."""
    try:
        with io.BufferedReader(_Unpacking(path)) if is_gzipped(path) else path.open("rb") as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as reason:
        raise unreadable(path, reason) from reason


@contextmanager
def opened_text(path: Path) -> Iterator[IO[str]]:
    """Open a file as UTF-8, with or without a mark at its beginning; ends of lines stay."""
    with opened(path) as stream:
        yield io.TextIOWrapper(stream, "utf-8-sig", newline="")


def lines_of(stream: IO[AnyStr], path: Path) -> Iterator[AnyStr]:
    """Go through the lines of a text; refuse one that is longer than any table has."""
    while line := stream.readline(LINE):
        if len(line) == LINE and line[-1] not in ("\n", "\r", 10, 13):
            raise _endless(path)
        yield line


def _endless(path: Path) -> SmixupError:
    name = shown(path.name)
    return SmixupError(f"{name} has a line of more than {LINE:,} letters: is it a table?")


def unreadable(path: Path, reason: Exception) -> SmixupError:
    """Return the error for a file that cannot be read."""
    if isinstance(reason, gzip.BadGzipFile) and path.read_bytes()[:2] != GZIP:
        return SmixupError(f"{shown(path.name)} is not gzipped: let its name not end in .gz.")
    words = getattr(reason, "strerror", None) or str(reason).strip() or type(reason).__name__
    first = words.rstrip(".").partition("\n")[0]
    return SmixupError(f"{shown(path, 300)} cannot be read: {shown(first, 200)}.")


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
        content = self.file.read(len(buffer))
        if self.file.tell() > max(SMALL, RATIO * self.packed):
            raise SmixupError(
                f"{shown(self.path.name)} has {in_words(self.packed)} and unpacks to more than "
                f"{RATIO} times as much: if you trust it, unpack it yourself."
            )
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self.file.close()
        super().close()


# --- publishers' tables of numbers that are parted by commas


def read_integers(path: Path, columns: int | None = None) -> NDArray[np.int64]:
    """Read a table of integers, `[rows, columns]`; of any number of columns if none is given."""
    table: NDArray[np.int64] = _loaded(path, np.int64)
    if columns is None:
        return table
    if table.size and table.shape[1] != columns:
        raise SmixupError(f"{shown(path.name)} has {table.shape[1]} columns, expected {columns}.")
    return table.reshape(-1, columns)


def read_numbers(path: Path, gaps: bool = False) -> NDArray[np.float64]:
    """Read a table of numbers that are finite in single precision, `[rows, columns]`; with gaps, an
    empty cell is NaN.
    """
    table: NDArray[np.float64] = _loaded(path, np.float64, gaps)
    with np.errstate(over="ignore"):
        single = table.astype(np.float32)
    odd = ~np.isfinite(single) & ~(np.isnan(single) & gaps)
    if odd.any():
        row, column = (int(place) for place in np.argwhere(odd)[0])
        raise SmixupError(
            f"{shown(path.name)} holds numbers that are not finite in single precision, such as "
            f"{table[row, column]} in row {row + 1}, column {column + 1}."
        )
    return table


def first_line(path: Path) -> str:
    """Return the first line of a text, plain or gzipped."""
    with opened_text(path) as file:
        return next(lines_of(file, path), "")


def require_numbers(path: Path) -> None:
    """Refuse a table of numbers, plain or gzipped, that memory has no room for, or in which a line
    is endless; nothing but a block of it is in memory.
    """
    with opened(path) as stream:
        numbers = in_line = 0
        while block := stream.read(BLOCK):
            ends = block.count(b"\n")
            numbers += ends + block.count(b",")
            require_room(
                NUMBER * numbers, f"{shown(path.name)}, as it is a table of numbers,", "take less"
            )
            in_line = len(block) - block.rfind(b"\n") - 1 if ends else in_line + len(block)
            if in_line > LINE:
                raise _endless(path)


def _loaded(path: Path, dtype: type, gaps: bool = False) -> Any:
    require_numbers(path)
    source: Any = path
    try:
        if gaps:
            with opened_text(path) as file:
                text = file.read()
            text = text.removesuffix("\n").removesuffix("\r")
            source = io.StringIO(EMPTY.sub("nan", text) if text else "")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*input contained no data", UserWarning)
            return np.loadtxt(
                source, dtype=dtype, delimiter=",", comments=None, ndmin=2, encoding="utf-8"
            )
    except (OSError, EOFError, ValueError, zlib.error) as reason:
        words = (str(reason) or type(reason).__name__).rstrip(".").splitlines()[0]
        # NumPy counts rows from 0, an editor lines from 1.
        words = re.sub(r"at row (\d+); use `usecols`.*", r"in line \1", words)
        words = re.sub(
            r"at row (\d+), column (\d+)",
            lambda place: f"in line {int(place[1]) + 1}, column {place[2]}",
            words,
        )
        raise SmixupError(f"{shown(path.name)} cannot be read: {shown(words, 200)}.") from reason
