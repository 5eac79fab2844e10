"""Which reader reads a path, and digests of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from smixup.datasets.readers.registry import digest_of_file, digest_of_files, reader_of
from smixup.errors import SmixupError, UsageError


def test_a_path_that_is_not_there_is_of_no_kind(tmp_path: Path) -> None:
    assert reader_of(tmp_path / "a.csv") is None


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(SmixupError, match=r"a\.csv"):
        reader_of(tmp_path / "a.csv")


def test_a_folder_of_several_kinds_is_refused(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("graph,source,target\na,1,2\n")
    (tmp_path / "a.graphml").write_text("<graphml/>")
    with pytest.raises(UsageError, match="holds files of several kinds"):
        reader_of(tmp_path)


def test_a_digest_tells_contents_and_names_apart(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "x.csv").write_text("1")
    before = digest_of_files(first)
    assert digest_of_files(first) == before
    assert digest_of_files(second) != before, "the folder has another name"
    assert digest_of_file(first / "deep/x.csv") == digest_of_file(second / "deep/x.csv")
    (first / "deep" / "x.csv").write_text("22")
    assert digest_of_files(first) != before
    (first / "deep" / "x.csv").write_text("1")
    assert digest_of_files(first) == before
    (first / "deep" / "x.csv").rename(first / "deep" / "y.csv")
    assert digest_of_files(first) != before
    alone = digest_of_files(second / "deep" / "x.csv")
    assert alone != digest_of_files(second)
