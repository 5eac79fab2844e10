"""Large tables, CSV or parquet, column by column in NumPy: no cell becomes a Python object.

Text is kept as numbers that stand for it. A block of a CSV is taken apart as an array of bytes;
where quotes stand in it, Python's own reader takes over. Cells are parted by what `tables.py` finds
in the first line, and rows are counted from 1 behind it, as there.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.endings import is_parquet
from smixup.datasets.readers.parquet import opened_parquet
from smixup.datasets.readers.tables import column_names, require_column
from smixup.datasets.text_streams import LINE, endless, lines_of, opened
from smixup.errors import SmixupError
from smixup.numerals import number_of
from smixup.shown import shown

BLOCK = 1 << 24
"""Bytes of a CSV at once."""
ROWS = 1 << 19
"""Rows of a parquet file at once."""
LONGEST = 255
"""Bytes of a cell."""
DIGITS = 18
"""Of whole numbers that are compared as such."""
TEXT = "name it in categories if it is text"

Cells = NDArray[np.bytes_]


@dataclass(frozen=True)
class Texts:
    """A column of text.

    Attributes:
        codes: `[m]`, places in `values`.
        values: the texts, each once, in order: whole numbers by size if all are, else by their
            letters.
    """

    codes: NDArray[np.int64]
    values: NDArray[Any]

    def text(self, place: int) -> str:
        """Return one of the values."""
        value = self.values[place]
        return value.decode("utf-8") if isinstance(value, bytes) else str(value)

    def texts(self) -> list[str]:
        """Return all values."""
        if self.values.dtype.kind == "S":
            return [value.decode("utf-8") for value in self.values.tolist()]
        return [str(value) for value in self.values.tolist()]


Kind = dict[str, bool | None]
"""By column, whether it holds numbers; None is seen from its first block."""


def read_columns(path: Path, kinds: Kind) -> dict[str, Texts | NDArray[np.float64]]:
    """Return columns of a table, numbers as numbers.

    Args:
        path: of a CSV or parquet file.
        kinds: by name of the column, whether it must hold numbers (True), is text (False), or
            either (None), which its first block of rows tells.
    """
    known = column_names(path)
    for name in kinds:
        require_column(path, name, known)
    found = {name: _Growing(path, name, number) for name, number in kinds.items()}
    blocks = _parquet_blocks if is_parquet(path) else _text_blocks
    for first, columns in blocks(path, kinds, known):
        for name, cells in columns.items():
            found[name].add(first, cells)
    return {name: each.finished() for name, each in found.items()}


@dataclass
class _Growing:
    """A column that is read block by block."""

    path: Path
    name: str
    is_number: bool | None
    numbers: list[NDArray[np.float64]] = field(default_factory=list)
    codes: list[NDArray[np.int32]] = field(default_factory=list)
    values: list[NDArray[Any]] = field(default_factory=list)

    def add(self, first: int, cells: NDArray[Any]) -> None:
        """Add cells, the first of which stands in row `first`."""
        if self.is_number is None:
            self.is_number = cells.dtype.kind != "S" or _as_numbers(cells) is not None
            if not self.is_number:
                self._require_texts(first, cells)
        if self.is_number:
            found = cells.astype(np.float64) if cells.dtype.kind != "S" else _as_numbers(cells)
            if found is None or not np.isfinite(found).all():
                raise self._no_number(first, cells)
            self.numbers.append(found)
            return
        if cells.dtype.kind == "S":
            whole = _as_whole(cells)
            cells = cells if whole is None else whole
        values, codes = factorise(cells)
        self.codes.append(codes.astype(np.int32))
        self.values.append(values)

    def finished(self) -> Texts | NDArray[np.float64]:
        """Return the whole column."""
        if self.is_number:
            return np.concatenate(self.numbers) if self.numbers else np.zeros(0)
        if not self.codes:
            return Texts(np.zeros(0, np.int64), np.zeros(0, "S1"))
        if len({each.dtype.kind for each in self.values}) > 1:
            self.values = [_spelled(each) for each in self.values]
        values, places = factorise(np.concatenate(self.values))
        codes = np.empty(sum(map(len, self.codes)), np.int64)
        row, first = 0, 0
        for part, each in zip(self.codes, self.values, strict=True):
            codes[row : row + len(part)] = places[first : first + len(each)][part]
            row, first = row + len(part), first + len(each)
        if values.dtype.kind == "S":
            _require_text(self.path, self.name, values)
        return Texts(codes, values)

    def _require_texts(self, first: int, cells: Cells) -> None:
        """Refuse a cell such as 1_0 among numbers, all of which would be categories with it. Empty
        cells are left to `require_filled`, which knows what the column is for.
        """
        values, codes = factorise(cells)
        numbers = np.array([_is_number(value) for value in values.tolist()], bool)
        odd = ~numbers & (values != b"")
        if odd.any() and 2 * int(numbers[codes].sum()) > len(cells):
            raise self._no_number(first, cells, f", as most others are: mend it, or {TEXT}")

    def _no_number(self, first: int, cells: NDArray[Any], hint: str = "") -> SmixupError:
        place = next(row for row, cell in enumerate(cells.tolist()) if not _is_number(cell))
        cell = cells[place]
        text = cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
        if self.numbers:
            hint = f", as those before are: {TEXT}"
        return SmixupError(
            f"'{shown(text)}' in row {first + place} of {self.path.name}, column '{self.name}', "
            f"is no finite number{hint}."
        )


def _is_number(cell: bytes | float) -> bool:
    if isinstance(cell, bytes) and not cell.isascii():  # nor does NumPy strip other spaces
        return False
    number = number_of(cell.decode("ascii")) if isinstance(cell, bytes) else cell
    return number is not None and math.isfinite(number)


def _as_numbers(cells: Cells) -> NDArray[np.float64] | None:
    """Return cells as numbers, None if any is none; 1_0 is a name, though Python reads it as 10."""
    if (np.ascontiguousarray(cells).view(np.uint8) == ord("_")).any():
        return None
    try:
        return cells.astype(np.float64)
    except ValueError:
        return None


def _as_whole(cells: Cells) -> NDArray[np.int64] | None:
    """Return whole numbers, None unless all cells are some that could be spelled in no other way
    (no sign, no zero before them).
    """
    width = cells.dtype.itemsize
    if width > DIGITS or not len(cells):
        return None
    letters = cells.view(np.uint8).reshape(len(cells), width)
    length = np.count_nonzero(letters, axis=1)
    found = np.zeros(len(cells), np.int64)
    for place in range(width):
        inside = length > place
        digit = letters[:, place].astype(np.int64) - ord("0")
        if ((digit < 0) | (digit > 9))[inside].any():
            return None
        found = np.where(inside, found * 10 + digit, found)
    odd = (length == 0) | ((letters[:, 0] == ord("0")) & (length > 1))
    return None if odd.any() else found


def factorise(cells: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct values of a column in order, and the place of each cell among them.

    Text is sorted as numbers, eight letters at a time, which is many times as fast.
    """
    if cells.dtype.kind != "S":
        values, codes = np.unique(cells, return_inverse=True)
        return values, codes.reshape(-1)
    words = -(-cells.dtype.itemsize // 8)
    padded = cells.astype(f"S{words * 8}")
    parts = padded.view(">u8").reshape(len(cells), words)
    codes = np.zeros(len(cells), np.int64)
    for place in range(words):
        _, part = np.unique(parts[:, place].astype(np.uint64), return_inverse=True)
        if place:
            part = codes * (int(part.max(initial=0)) + 1) + part.reshape(-1)
            _, part = np.unique(part, return_inverse=True)
        codes = part.reshape(-1)
    first = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes] = np.arange(len(cells))
    return cells[first], codes


def _spelled(values: NDArray[Any]) -> Cells:
    return values if values.dtype.kind == "S" else values.astype("S20")


def _require_text(path: Path, name: str, values: Cells) -> None:
    try:
        b"\n".join(values.tolist()).decode("utf-8")
    except UnicodeDecodeError as reason:
        raise SmixupError(
            f"column '{name}' of {path.name} is not UTF-8: save it as UTF-8."
        ) from reason


# --- text

Block = tuple[int, dict[str, NDArray[Any]]]


def _text_blocks(path: Path, kinds: Kind, known: Sequence[str]) -> Iterator[Block]:
    names = list(kinds)
    places = [known.index(name) for name in names]
    with opened(path) as stream:
        header = next(lines_of(stream, path), b"")
        if b"\r" in header.rstrip(b"\r\n"):
            raise SmixupError(f"lines of {shown(path.name)} end in CR alone: save it with LF.")
        delimiter = _delimiter(header, len(known))
        row, rest = 1, b""
        while block := stream.read(BLOCK):
            whole, _, after = (rest + block).rpartition(b"\n")
            if b'"' in whole or b'"' in after:
                stream.seek(-len(rest) - len(block), io.SEEK_CUR)
                yield from _quoted_blocks(path, stream, delimiter, places, names, known, row)
                return
            if len(after) > LINE:
                raise endless(path)
            rest = after
            if whole:
                cells = _split(path, whole + b"\n", delimiter, len(known), row)
                yield (
                    row,
                    {name: cells.column(place) for name, place in zip(names, places, strict=True)},
                )
                row += cells.rows
        if rest.strip() or delimiter in rest:  # a last line without an end
            cells = _split(path, rest + b"\n", delimiter, len(known), row)
            yield (
                row,
                {name: cells.column(place) for name, place in zip(names, places, strict=True)},
            )


def _delimiter(header: bytes, width: int) -> bytes:
    """Return what parts the cells, given how many names the first line has."""
    text = header.decode("utf-8-sig").strip("\r\n")
    for delimiter in (",", ";", "\t"):
        if width > 1 and len(next(csv.reader([text], delimiter=delimiter))) == width:
            return delimiter.encode()
    return b","


@dataclass(frozen=True)
class _Split:
    """Bytes of a block, and where its cells begin and end, `[rows, columns]`."""

    path: Path
    letters: NDArray[np.uint8]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    first: int

    @property
    def rows(self) -> int:
        return len(self.begin)

    def column(self, place: int) -> Cells:
        """Return the cells of a column, without spaces around them."""
        begin, end = self.begin[:, place], self.end[:, place]
        while len(begin) and (blank := (begin < end) & (self.letters[begin] == 32)).any():
            begin = begin + blank
        while len(begin) and (blank := (begin < end) & (self.letters[end - 1] == 32)).any():
            end = end - blank
        length = end - begin
        width = int(length.max(initial=1)) or 1
        if width > LONGEST:
            row = self.first + int(length.argmax())
            raise SmixupError(
                f"row {row} of {self.path.name} has a cell of {width} letters, where {LONGEST} are "
                "the most."
            )
        found = np.zeros((self.rows, width), np.uint8)
        last = len(self.letters) - 1
        for letter in range(width):
            inside = length > letter
            found[:, letter] = np.where(inside, self.letters[np.minimum(begin + letter, last)], 0)
        return found.view(f"S{width}").reshape(-1)


def _split(path: Path, block: bytes, delimiter: bytes, width: int, first: int) -> _Split:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if (place := block.find(b"\r")) >= 0:
        row = first + block.count(b"\n", 0, place)
        raise SmixupError(
            f"row {row} of {shown(path.name)} has a line end of CR alone: save the file with LF."
        )
    if b"\0" in block:
        raise _no_text(path, first)
    letters = np.frombuffer(block, np.uint8)
    is_end = letters == 10
    ends = np.flatnonzero(is_end | (letters == delimiter[0]))
    cells_before = np.flatnonzero(is_end[ends])  # the last cell of each row
    counts = np.diff(cells_before, prepend=-1)
    lengths = np.diff(np.flatnonzero(is_end), prepend=-1) - 1
    full = len(lengths)
    while full and not lengths[full - 1]:  # empty lines at the end
        full -= 1
    if (lengths[:full] == 0).any():
        row = first + int(np.flatnonzero(lengths[:full] == 0)[0])
        raise SmixupError(f"row {row} of {path.name} is empty: remove it.")
    if (counts[:full] != width).any():
        odd = int(np.flatnonzero(counts[:full] != width)[0])
        raise SmixupError(
            f"row {first + odd} of {path.name} has {counts[odd]} cells where the first line names "
            f"{width} columns."
        )
    end = ends[: full * width].reshape(full, width)
    begin = np.concatenate([[0], ends[: full * width] + 1])[: full * width].reshape(full, width)
    return _Split(path, letters, begin, end, first)


def _no_text(path: Path, row: int) -> SmixupError:
    return SmixupError(f"{path.name} is no text near row {row}: save it as CSV in UTF-8.")


def _quoted_blocks(
    path: Path,
    stream: Any,
    delimiter: bytes,
    places: Sequence[int],
    names: Sequence[str],
    known: Sequence[str],
    row: int,
) -> Iterator[Block]:
    """Go on row by row, as quoted cells may hold delimiters and line ends."""
    text = io.TextIOWrapper(stream, "utf-8", newline="")
    rows = csv.reader(text, delimiter=delimiter.decode(), strict=True)
    try:
        while part := list(islice(rows, ROWS)):
            while part and not part[-1]:
                part.pop()
            for place, cells in enumerate(part):
                if len(cells) != len(known):
                    raise SmixupError(
                        f"row {row + place} of {path.name} has {len(cells)} cells where the first "
                        f"line names {len(known)} columns."
                    )
                if any("\0" in cell for cell in cells):
                    raise _no_text(path, row + place)
            columns = {
                name: np.array([cells[place].strip().encode() for cells in part], dtype=bytes)
                for name, place in zip(names, places, strict=True)
            }
            yield row, columns
            row += len(part)
    except csv.Error as reason:
        raise SmixupError(
            f"{path.name} cannot be read behind row {row} ({reason}): is a quote not closed?"
        ) from reason
    except UnicodeDecodeError as reason:
        raise SmixupError(f"{path.name} is not UTF-8 behind row {row}.") from reason
    finally:
        text.detach()  # the file is closed by who opened it


# --- parquet


def _parquet_blocks(path: Path, kinds: Kind, known: Sequence[str]) -> Iterator[Block]:
    row = 1
    with opened_parquet(path) as file:
        own = [file.schema_arrow.names[known.index(name)] for name in kinds]
        for batch in file.iter_batches(ROWS, columns=own):
            yield (
                row,
                {
                    name: _array(path, name, row, batch.column(each), kinds[name])
                    for name, each in zip(kinds, own, strict=True)
                },
            )
            row += len(batch)


def _array(path: Path, name: str, row: int, column: Any, is_number: bool | None) -> NDArray[Any]:
    if column.null_count:
        empty = row + int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise SmixupError(f"row {empty} of {path.name} is empty in column '{name}': fill it in.")
    found: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    if found.dtype.kind == "i" or (found.dtype.kind == "u" and found.dtype.itemsize < 8):
        return found.astype(np.int64)
    if found.dtype.kind in "fb" and is_number is not False:
        return found.astype(np.float64)
    if found.dtype.kind == "f" and (found % 1 == 0).all() and (np.abs(found) < 1e15).all():
        return found.astype(np.int64)  # whole numbers that some program made floats
    return np.array([str(each).encode() for each in found.tolist()], dtype=bytes)
