"""What a file is, by its name. No torch is needed here."""

from __future__ import annotations

from pathlib import Path

from smixup.datasets.text_streams import is_gzipped

PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
TABLES = (*TEXT, *PARQUET)
MATRIX_TEXT = (".csv", ".csv.gz")


def is_table(path: Path) -> bool:
    """Tell whether a file is a table, see `readers/tables.py`."""
    return path.name.lower().endswith(TABLES) and path.is_file()


def stem_of(path: Path) -> str:
    """Return the name of a file without what tells its kind: `edges` of `edges.csv.gz`."""
    return Path(path.stem).stem if is_gzipped(path) else path.stem


def is_parquet(path: Path) -> bool:
    """Tell whether a table is parquet; otherwise it is text."""
    return path.name.lower().endswith(PARQUET)
