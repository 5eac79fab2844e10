"""Text is read within bounds, whatever a gzipped file would unpack to."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest

from smixup import load_dataset
from smixup.datasets import text_streams
from smixup.datasets.readers.streamed_table import read_columns
from smixup.datasets.readers.tables import column_names, read_table
from smixup.datasets.text_streams import lines_of, opened, opened_text
from smixup.errors import SmixupError

TEXT = "a;b\n1;ä\n2;c\n"


def zipped(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content))
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "A.CSV.GZ"])
def test_plain_and_gzipped_text_are_alike(tmp_path: Path, name: str) -> None:
    path, content = tmp_path / name, TEXT.encode("utf-8-sig")
    path.write_bytes(gzip.compress(content) if name.lower().endswith("gz") else content)
    with opened_text(path) as stream:
        assert list(lines_of(stream, path)) == TEXT.splitlines(keepends=True)
    with opened(path) as raw:
        raw.read(5)
        assert (raw.seek(-2, io.SEEK_CUR), raw.read()) == (3, content[3:])
    assert read_table(path) == {"a": ("1", "2"), "b": ("ä", "c")}
    found = read_columns(path, {"a": True, "b": False})
    assert np.array_equal(np.asarray(found["a"]), [1.0, 2.0])


def test_quoted_cells_of_a_gzipped_table(tmp_path: Path) -> None:
    rows = "".join(f'{place},"x, {place}"\n' for place in range(50))
    path = zipped(tmp_path / "a.csv.gz", f"k,v\n{rows}".encode())
    found = read_columns(path, {"k": True})["k"]
    assert np.array_equal(np.asarray(found), np.arange(50))


def test_what_unpacks_to_far_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_streams, "SMALL", 1 << 16)
    path = zipped(tmp_path / "a.csv.gz", b"a,b\n" + b"1,2\n" * 100_000)
    for read in (read_table, lambda path: read_columns(path, {"a": True})):
        with pytest.raises(SmixupError, match=r"a\.csv\.gz has 1 MB and unpacks to more than 200"):
            read(path)
    assert column_names(path) == ("a", "b")


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize("before", [b"", b"a,b\n"])
def test_a_line_that_does_not_end_is_refused(tmp_path: Path, name: str, before: bytes) -> None:
    path, content = tmp_path / name, before + b"1" * (3 << 20)
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(SmixupError, match=r"has a line of more than 1,048,576 letters"):
        read_table(path)
    if before:
        with pytest.raises(SmixupError, match=r"has a line of more than 1,048,576 letters"):
            read_columns(path, {"a": True})


@pytest.mark.parametrize("cut", [5, -9])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 9)[:cut])
    for read in (read_table, lambda path: read_columns(path, {"a": True})):
        with pytest.raises(SmixupError, match=r"a\.csv\.gz cannot be read: "):
            read(path)


def test_every_table_of_a_folder_may_be_gzipped(tmp_path: Path) -> None:
    mails, stacks = tmp_path / "mails", tmp_path / "stacks"
    mails.mkdir()
    stacks.mkdir()
    zipped(mails / "edges.csv.gz", b"graph,source,target\na,1,2\nb,1,2\nb,2,3\n")
    zipped(mails / "graphs.csv.gz", b"graph,label\na,x\nb,y\n")
    zipped(
        mails / "nodes.tsv.gz", b"graph\tnode\tage\na\t1\t3\na\t2\t4\nb\t1\t5\nb\t2\t6\nb\t3\t7\n"
    )
    found = load_dataset(str(mails))
    assert found.graphs.sizes.tolist() == [2, 3]
    assert found.graphs.x.squeeze(1).tolist() == [3, 4, 5, 6, 7]
    for name in ("s1", "s2", "s3"):
        zipped(stacks / f"{name}.csv.gz", b"0,1,0\n1,0,2\n0,2,0\n")
    zipped(stacks / "labels.csv.gz", b"file,y\ns1,0\ns2,1\ns3,1\n")
    found = load_dataset(str(stacks))
    assert found.graphs.sizes.tolist() == [3, 3, 3]
    assert found.graphs.labels.tolist() == [0, 1, 1]
