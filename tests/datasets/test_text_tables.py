"""Tables are read strictly."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from smixup.datasets.text_tables import first_line, read_integers, read_numbers
from smixup.errors import SmixupError


def test_spaces_signs_line_ends_and_gzip(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"1, -2\r\n 30 ,4\r\n")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"1,-2\n30,4"))
    for name in ("a.txt", "a.csv.gz"):
        assert read_integers(tmp_path / name, 2).tolist() == [[1, -2], [30, 4]]
    assert first_line(tmp_path / "a.csv.gz") == "1,-2\n"
    (tmp_path / "plain.txt").write_text("3, 4\n5, 6\n")
    assert first_line(tmp_path / "plain.txt") == "3, 4\n"


def test_nothing_is_no_rows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    assert read_integers(tmp_path / "a.txt", 2).shape == (0, 2)


def test_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1.5, 2e-3\n-1, 0\n")
    assert read_numbers(tmp_path / "a.txt").tolist() == [[1.5, 0.002], [-1.0, 0.0]]


@pytest.mark.parametrize("text", ["1,x", "1,2\n3", "1.5,2", "# 1,2", "\0"])
def test_anything_else_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(SmixupError, match=r"a\.txt"):
        read_integers(tmp_path / "a.txt", 2)


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"%d,%d\n" % (i, i * i) for i in range(9999)))
    flipped = bytearray(whole)
    flipped[len(flipped) // 2] ^= 0xFF
    damaged = {whole[: len(whole) // 2]: "cannot be read", bytes(flipped): "cannot be read"}
    for content, told in (damaged | {b"1,2\n": "is not gzipped"}).items():
        (tmp_path / "a.csv.gz").write_bytes(content)
        with pytest.raises(SmixupError, match=rf"a\.csv\.gz {told}"):
            read_integers(tmp_path / "a.csv.gz", 2)
    with pytest.raises(SmixupError, match=r"a\.csv\.gz is not gzipped"):
        first_line(tmp_path / "a.csv.gz")
