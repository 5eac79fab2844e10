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

from smixup.errors import SmixupError, shown
from smixup.memory import in_words, require_room

LINE = 1 << 20  # letters
BLOCK = 1 << 20
GZIP = b"\x1f\x8b"
SMALL, RATIO = 64 << 20, 200  # bytes any gzipped file may unpack to, and times its size
NUMBER = 24  # bytes of memory while a number is read
EMPTY = re.compile(r"(?m)^(?=,|\r?$)|(?<=,)(?=,|\r?$)")
MARKS = {
    b"PK\x03\x04": "a zip archive by its content, as Excel files are: save a CSV, or unpack it.",
    b"\xd0\xcf\x11\xe0": "an Excel file by its content: save it as CSV.",
    GZIP: "gzipped by its content: let its name end in .gz, or unpack it.",
    b"PAR1": "a parquet file by its content: let its name end in .parquet.",
    b"\xff\xfe": "UTF-16: save it as UTF-8.",
    b"\xfe\xff": "UTF-16: save it as UTF-8.",
}
"""What files that are no text begin with, and what to do."""


def require_regular(path: Path) -> None:
    """Refuse what is neither a file nor a folder, such as a pipe, which may never end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise SmixupError(f"{shown(path, 300)} is neither a file nor a folder.")


def is_gzipped(path: Path) -> bool:
    """Tell by its name whether a file is gzipped."""
    return path.name.lower().endswith(".gz")


@contextmanager
def opened(path: Path) -> Iterator[IO[Any]]:
    """Open a file for its bytes, unpacked if it is gzipped; what is wrong with it is a sentence."""
    try:
        open_it: Any = gzip.open if is_gzipped(path) else open
        with open_it(path, "rb") as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as reason:
        raise unreadable(path, reason) from reason


def unreadable(path: Path, reason: Exception) -> SmixupError:
    """Return the error for a file that cannot be read."""
    if isinstance(reason, gzip.BadGzipFile) and path.read_bytes()[:2] != GZIP:
        return SmixupError(f"{shown(path.name)} is not gzipped: let its name not end in .gz.")
    words = getattr(reason, "strerror", None) or str(reason).strip() or type(reason).__name__
    first = words.rstrip(".").partition("\n")[0]
    return SmixupError(f"{shown(path, 300)} cannot be read: {shown(first, 200)}.")


def blocks_of(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a text in blocks; refuse a line that is longer than any table has, and an
    archive that unpacks to far more than it is.
    """
    size = in_line = 0
    with opened(path) as stream:
        most = max(SMALL, RATIO * path.stat().st_size) if is_gzipped(path) else None
        while block := stream.read(BLOCK):
            size += len(block)
            if most is not None and size > most:
                raise SmixupError(
                    f"{shown(path.name)} has {in_words(path.stat().st_size)} and unpacks to more "
                    f"than {RATIO} times as much: if you trust it, unpack it yourself."
                )
            end = block.rfind(b"\n") + 1
            in_line = len(block) - end + (0 if end else in_line)
            if in_line > LINE:
                raise _endless(path)
            yield block


def lines_of(stream: IO[AnyStr], path: Path) -> Iterator[AnyStr]:
    """Go through the lines of a text; refuse one that is longer than any table has."""
    while line := stream.readline(LINE):
        if len(line) == LINE and line[-1] not in ("\n", "\r", 10, 13):
            raise _endless(path)
        yield line


def _endless(path: Path) -> SmixupError:
    name = shown(path.name)
    return SmixupError(f"{name} has a line of more than {LINE:,} letters: is it a table?")


def first_line(path: Path) -> str:
    """Return the first line of a text, without a mark before it."""
    with opened(path) as stream:
        return _decoded(path, next(lines_of(stream, path), b""))


def read_text(path: Path, memory: float = 2) -> str:
    """Return a text in UTF-8, without a mark before it.

    Args:
        path: of a file, plain or gzipped.
        memory: bytes that a letter takes while it is read.
    """
    blocks: list[bytes] = []
    for block in blocks_of(path):
        blocks.append(block)
        need = memory * BLOCK * len(blocks)
        require_room(need, f"{shown(path.name)} as a table", "take fewer rows")
    return _decoded(path, b"".join(blocks))


def _decoded(path: Path, content: bytes) -> str:
    for mark, words in MARKS.items():
        if content.startswith(mark) and not content.isascii():
            raise SmixupError(f"{path.name} is {words}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = content.count(b"\n", 0, reason.start) + 1
        raise SmixupError(f"line {line} of {path.name} is not UTF-8: save it as UTF-8.") from reason
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SmixupError(f"{path.name} is no text in line {line}: save it as CSV in UTF-8.")
    return text


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


def _loaded(path: Path, dtype: type, gaps: bool = False) -> Any:
    numbers = 0
    for block in blocks_of(path):
        numbers += block.count(b"\n") + block.count(b",")
        require_room(
            NUMBER * numbers, f"{shown(path.name)}, as it is a table of numbers,", "take less"
        )
    source: Any = path
    if gaps:
        text = read_text(path).removesuffix("\n").removesuffix("\r")
        source = io.StringIO(EMPTY.sub("nan", text) if text else "")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*input contained no data", UserWarning)
            return np.loadtxt(
                source, dtype=dtype, delimiter=",", comments=None, ndmin=2, encoding="utf-8-sig"
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
