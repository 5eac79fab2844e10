"""Columns on disk: `.npy` files that grow row by row and are read without being loaded."""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.errors import SmixupError

UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    SyntaxError,
    TokenError,
    OverflowError,
    RecursionError,
    MemoryError,
)
"""What NumPy raises where a file is damaged: the header is a text that Python parses."""
HEADER = 128
"""Bytes before the numbers, the same for any number of rows, which is known at the end alone."""


class ColumnWriter:
    """Appends rows to a `.npy` file; its header is written by `close`.

    All rows have the type and shape of the first ones.
    """

    def __init__(self, path: Path, what: str = "") -> None:
        """Begin a file; `what` names the numbers in an error, such as "x"."""
        self.path, self.rows, self._what = path, 0, what or path.stem
        self._dtype: np.dtype[Any] | None = None
        self._shape: tuple[int, ...] = ()
        self._digest = blake2b(digest_size=16)
        self._file = path.open("wb")
        try:
            self._file.write(bytes(HEADER))
        except BaseException:
            self.abandon()
            raise

    def append(self, rows: Tensor) -> None:
        """Write rows behind those that are there."""
        array = _as_numpy(rows, self._what)
        if self._dtype is None:
            self._dtype, self._shape = array.dtype, array.shape[1:]
        if (array.dtype, array.shape[1:]) != (self._dtype, self._shape):
            raise SmixupError(
                f"{self._what} is {array.dtype} of the shape {list(array.shape[1:])} in some "
                f"graphs and {self._dtype} of the shape {list(self._shape)} in those before: make "
                "them alike."
            )
        content = array.tobytes()
        self._file.write(content)
        self._digest.update(content)
        self.rows += len(array)

    @property
    def digest(self) -> str:
        """A text that differs between columns of other numbers."""
        return f"{self._digest.hexdigest()}/{self._dtype}/{self.rows}/{self._shape}"

    def close(self) -> None:
        """Finish the file."""
        if self._file.closed:
            return
        self._file.seek(0)
        self._file.write(_header(self._dtype or np.dtype(np.uint8), (self.rows, *self._shape)))
        self._file.close()

    def abandon(self) -> None:
        """Close the file as it is."""
        with suppress(OSError):
            self._file.close()

    def copied(self, path: Path) -> ColumnWriter:
        """Return a writer of another file that holds the same rows so far."""
        other = ColumnWriter(path, self._what)
        other.rows, other._dtype, other._shape = self.rows, self._dtype, self._shape
        other._digest = self._digest.copy()
        try:
            self._file.flush()
            with self.path.open("rb") as source:
                source.seek(HEADER)
                while piece := source.read(1 << 24):
                    other._file.write(piece)
        except BaseException:
            other.abandon()
            raise
        return other


def read_column(path: Path) -> NDArray[Any]:
    """Return the rows of a column; they stay on disk until somebody reads them."""
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError("it holds several arrays")
    if array.dtype.kind not in "biuf" or not array.dtype.isnative:
        raise ValueError(f"it holds {array.dtype}, not plain numbers of this machine")
    return np.asarray(array)


def _as_numpy(rows: Tensor, what: str) -> NDArray[Any]:
    if rows.dtype == torch.bfloat16 or rows.is_sparse:
        raise SmixupError(
            f"{what} is {str(rows.dtype).removeprefix('torch.')}, which cannot be packed: make it "
            "float32."
        )
    if rows.is_complex():
        raise SmixupError(f"{what} is complex, which cannot be packed: make it real.")
    array: NDArray[Any] = rows.detach().cpu().contiguous().numpy()
    return array


def _header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Return the header of version 1.0 of NumPy's format, filled up with spaces."""
    told = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    length = HEADER - 10
    text = repr(told).encode("latin1").ljust(length - 1) + b"\n"
    assert len(text) == length, "a header of NumPy's format is short"
    return b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + text
