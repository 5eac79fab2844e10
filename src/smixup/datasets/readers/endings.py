"""What a file is, by its name. No torch is needed here."""

from __future__ import annotations

from pathlib import Path

PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def is_table(path: Path) -> bool:
    """Tell whether a file is a table, see `readers/tables.py`."""
    return path.name.lower().endswith((*TEXT, *PARQUET)) and path.is_file()


def is_parquet(path: Path) -> bool:
    """Tell whether a table is parquet; otherwise it is text."""
    return path.name.lower().endswith(PARQUET)
