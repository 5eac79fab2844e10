"""Cells of large tables, for tests that compare them."""

from __future__ import annotations

from typing import Any

from smixup.datasets.readers.text_column import Texts


def texts(column: Any) -> list[str]:
    """The cells of a column of text."""
    assert isinstance(column, Texts)
    values = column.texts()
    return [values[code] for code in column.codes]
