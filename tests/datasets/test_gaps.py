"""Empty cells are gaps, wherever they stand."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from smixup.datasets.gaps import read_with_gaps
from smixup.errors import SmixupError

NAN = np.nan
CASES = {
    "1,0\n": [[1, 0]],
    "1,,0\n,,\n,1,\n": [[1, NAN, 0], [NAN, NAN, NAN], [NAN, 1, NAN]],
    "1\n\n0\n": [[1], [NAN], [0]],
    "1\n\n": [[1], [NAN]],
    "1,\r\n,0.5\r\n": [[1, NAN], [NAN, 0.5]],
    "1,0": [[1, 0]],
    "nan,1\n": [[NAN, 1]],
}


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()))
    return path


@pytest.mark.parametrize("text", CASES)
def test_cells(tmp_path: Path, text: str) -> None:
    np.testing.assert_array_equal(read_with_gaps(written(tmp_path / "y.csv.gz", text)), CASES[text])


@pytest.mark.parametrize("text", ["a\n", "1,2\n3\n", "inf\n"])
def test_what_is_no_table_of_numbers(tmp_path: Path, text: str) -> None:
    with pytest.raises(SmixupError, match=r"y\.csv\.gz (cannot be read|holds numbers)"):
        read_with_gaps(written(tmp_path / "y.csv.gz", text))


def test_the_place_is_as_an_editor_shows_it(tmp_path: Path) -> None:
    for text, told in {
        "1,2\n3,1_0\n": "^y.csv.gz cannot be read: .* '1_0' .* in line 2, column 2",
        "1,2\n3\n": "the number of columns changed from 2 to 1 in line 2.$",
        "1,2\n3,inf\n": "such as inf in row 2, column 2.$",
    }.items():
        with pytest.raises(SmixupError, match=told):
            read_with_gaps(written(tmp_path / "y.csv.gz", text))


def test_what_is_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / "y.csv.gz").write_bytes(gzip.compress("0\n1\n".encode("utf-16")))
    with pytest.raises(SmixupError, match=r"y\.csv\.gz cannot be read: 'utf-8' codec"):
        read_with_gaps(tmp_path / "y.csv.gz")


def test_what_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "y.csv.gz").write_text("1,2")
    with pytest.raises(SmixupError, match=r"y\.csv\.gz is not gzipped"):
        read_with_gaps(tmp_path / "y.csv.gz")
