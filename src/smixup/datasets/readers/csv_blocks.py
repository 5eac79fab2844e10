"""A CSV in blocks: each is taken apart as an array of bytes, so that no cell becomes a Python
object. Where quotes stand in it, Python's own reader takes over.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smixup.datasets.readers.table_block import Block, Cells, Kinds
from smixup.datasets.text_streams import LINE, endless, lines_of, opened
from smixup.errors import SmixupError
from smixup.shown import shown

BLOCK = 1 << 24
"""Bytes at once."""
ROWS = 1 << 19
"""Rows at once, where quotes are."""
LONGEST = 255
"""Bytes of a cell."""


def csv_blocks(path: Path, kinds: Kinds, known: Sequence[str]) -> Iterator[Block]:
    """Yield the cells of some columns of a CSV, without spaces around them.

    Args:
        path: of the file.
        kinds: the columns.
        known: the names of all columns, in order.
    """
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
