"""Parquet files that are damaged are refused in one sentence, whatever pyarrow calls it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from smixup.datasets.readers.parquet import opened_parquet
from smixup.datasets.readers.streamed_table import read_columns
from smixup.errors import SmixupError

pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_a_file_is_opened(path: Path) -> None:
    with opened_parquet(path) as file:
        assert file.schema_arrow.names == ["a", "b"]


@pytest.mark.parametrize(
    "reason",
    [
        pa.ArrowInvalid("bad"),
        pa.ArrowNotImplementedError("bad"),
        pa.ArrowTypeError("bad"),
        pa.ArrowKeyError("bad"),
        pa.ArrowCapacityError("bad"),
        OSError("bad"),
    ],
    ids=lambda reason: type(reason).__name__,
)
def test_damage_that_shows_while_it_is_read_is_a_sentence(path: Path, reason: Exception) -> None:
    with (
        pytest.raises(SmixupError, match=r"t\.parquet cannot be read: .*bad"),
        opened_parquet(path),
    ):
        raise reason


def test_pages_that_are_damaged_are_a_sentence(tmp_path: Path) -> None:
    """The schema at the end of the file is whole, and what stands before it is not."""
    stream = io.BytesIO()
    pq.write_table(pa.table({"a": list(range(100))}), stream, compression="gzip")
    content = bytearray(stream.getvalue())
    content[60:160] = b"\xff" * 100
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(SmixupError, match=r"t\.parquet cannot be read: "):
        read_columns(tmp_path / "t.parquet", {"a": True})
