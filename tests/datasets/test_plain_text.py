"""One kind of text comes out, whatever went in."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.datasets.plain_text import normalise


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b""),
        (b"\xef\xbb\xbf", b""),
        (b"1\n2\n", b"1\n2\n"),
        (b"1\n2", b"1\n2\n"),
        (b"1\r\n2\r\n", b"1\n2\n"),
        (b"1\r2\r", b"1\n2\n"),
        (b"\xef\xbb\xbf1\r\n2", b"1\n2\n"),
        (b"1\n\xef\xbb\xbf2\n", b"1\n\xef\xbb\xbf2\n"),
    ],
)
def test_texts(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "a").write_bytes(before)
    normalise(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == after
