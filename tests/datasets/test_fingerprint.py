"""A name stands for the files that are there: others are other data."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets.archives import import_archive
from smixup.datasets.fingerprint import data_fingerprint
from smixup.datasets.readers import registry


def test_other_labels_are_other_data(make_tu: Callable[..., Path], root: Path) -> None:
    assert data_fingerprint("TINY", root) == "", "nothing is there"
    import_archive(make_tu(), root)
    first = data_fingerprint("TINY", root)
    assert len(first) == 16
    import_archive(make_tu(graph_labels="1\n1\n-1\n"), root)
    assert data_fingerprint("TINY", root) not in ("", first)
    import_archive(make_tu(), root)
    assert data_fingerprint("TINY", root) == first, "the same files again"
    windows = make_tu(graph_labels="1\r\n-1\r\n1")
    import_archive(windows, root)
    assert data_fingerprint("TINY", root) == first, "the same in another form"


def test_sets_of_ogb(make_molhiv: Callable[..., Path], root: Path) -> None:
    import_archive(make_molhiv({}), root)
    first = data_fingerprint("ogbg-molhiv", root)
    import_archive(make_molhiv({"raw/graph-label": "1\n1\n0\n"}), root)
    assert data_fingerprint("ogbg-molhiv", root) not in ("", first)


def test_data_whose_name_says_all_has_none(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n")
    for name in ("MOTIF", "THREADS-5K", str(tmp_path)):
        assert data_fingerprint(name, tmp_path) == ""


def test_a_file_is_read_once(tiny: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_archive(tiny, root)
    first = data_fingerprint("TINY", root)
    opened: list[Path] = []
    real: Callable[..., object] = Path.open

    def watched(self: Path, *arguments: object, **options: object) -> object:
        opened.append(self)
        return real(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", watched)
    assert data_fingerprint("TINY", root) == first
    assert opened == []
    labels = root / "TINY" / "raw" / "TINY_graph_labels.txt"
    os.utime(labels, (1, 1))
    assert data_fingerprint("TINY", root) == first
    assert opened == [labels], "a file that was touched is read again"
    assert registry.digest_of_file(labels)
