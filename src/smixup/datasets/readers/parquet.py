"""Parquet files, whatever is wrong with them: one sentence.

Example::

    with opened_parquet(Path("molecules.parquet")) as file:
        print(file.schema_arrow.names)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from smixup.datasets.text_streams import unreadable


@contextmanager
def opened_parquet(path: Path) -> Iterator[Any]:
    """Open a file as `pyarrow.parquet.ParquetFile`; refuse one that is damaged as soon as it shows,
    which may be in its last row.
    """
    import pyarrow as arrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except (OSError, ValueError, arrow.ArrowException) as reason:
        raise unreadable(path, reason) from reason
