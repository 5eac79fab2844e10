"""Bombs are refused in a sentence before they go off."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from smixup.datasets import bounds
from smixup.datasets.archives import import_archive
from smixup.datasets.bounds import Unpacked, require_numbers, require_regular
from smixup.datasets.catalogue import load_dataset
from smixup.datasets.gaps import read_with_gaps
from smixup.datasets.readers.tables import column_names, read_table
from smixup.datasets.text_streams import LINE, lines_of
from smixup.datasets.text_tables import first_line, read_integers
from smixup.errors import SmixupError
from smixup.memory import set_budget


@pytest.fixture
def little_memory() -> Iterator[None]:
    set_budget("1MB")
    yield
    set_budget(None)


def zipped(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def test_pipes_and_devices_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "g.npy")
    for path in (tmp_path / "pipe", tmp_path / "g.npy", Path("/dev/zero")):
        with pytest.raises(SmixupError, match="neither a file nor a folder"):
            import_archive(path, tmp_path / "root")
        with pytest.raises(SmixupError, match=r"neither a file nor a folder|no reader"):
            load_dataset(str(path), tmp_path)
    require_regular(tmp_path)
    require_regular(tmp_path / "absent")


def test_unpacking_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    count = Unpacked(packed=10)
    count.add(bounds.SMALL)
    with pytest.raises(SmixupError, match=r"unpacks to .* or more: if you trust it.*--large"):
        count.add(1)
    Unpacked(packed=bounds.SMALL).add(bounds.RATIO * bounds.SMALL // 2)
    with pytest.raises(SmixupError, match="unpacks to"):
        Unpacked(packed=bounds.UNPACKED).add(bounds.UNPACKED + 1)
    Unpacked(packed=10, unlimited=True).add(bounds.UNPACKED * 2)


def test_a_small_archive_of_much_is_refused_before_it_is_unpacked(
    tiny: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "SMALL", 100_000)
    (tiny / "TINY_edge_labels.txt").unlink()
    entries = {f"T/{path.name}": path.read_bytes() for path in tiny.iterdir()}
    bomb = zipped(tmp_path / "T.zip", entries | {"T/TINY_A.txt": b"1, 2\n" * 100_000})
    with pytest.raises(SmixupError, match="--large"):
        import_archive(bomb, root)
    assert not root.exists()
    assert import_archive(bomb, root, large=True) == "TINY"
    junk = zipped(tmp_path / "J.zip", entries | {"T/junk.bin": bytes(10**7)})
    assert import_archive(junk, root) == "TINY", "what nobody wants is not unpacked"


def test_lines_without_end(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"1" * (3 * LINE)))
    for read in (first_line, read_integers, read_with_gaps, column_names, read_table):
        with pytest.raises(SmixupError, match=f"a.csv.gz has a line of more than {LINE:,} letters"):
            read(path)
    fine = "x" * (LINE - 1) + "\n"
    assert list(lines_of(io.StringIO(fine + "y"), path)) == [fine, "y"]


def test_tables_larger_than_memory(tmp_path: Path, little_memory: None) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"1,2\n" * 10**6, 1))
    with pytest.raises(
        SmixupError, match=r"a\.csv\.gz.* needs about .* \(--memory, SMIXUP_MEMORY\)"
    ):
        require_numbers(path)
    for read in (read_integers, read_with_gaps, read_table):
        with pytest.raises(SmixupError, match="of memory"):
            read(path)


def test_matrices_and_lists_larger_than_memory(tmp_path: Path, little_memory: None) -> None:
    np.savez_compressed(tmp_path / "m.npz", matrices=np.zeros((100, 200, 200)), y=np.zeros(100))
    assert (tmp_path / "m.npz").stat().st_size < 100_000
    with pytest.raises(SmixupError, match=r"m\.npz needs about .* of memory"):
        load_dataset(tmp_path / "m.npz")
    zipped(tmp_path / "g.pt", {"archive/data.pkl": bytes(10**7)})
    with pytest.raises(SmixupError, match=r"g\.pt needs about .* of memory"):
        load_dataset(tmp_path / "g.pt")


@pytest.mark.parametrize(
    ("part", "text", "words"),
    [
        ("node_labels", f"{2**63 - 1}\n{-(2**63)}\n4\n4\n5\n6\n", "places one-hot"),
        ("node_labels", "300000000\n6\n4\n4\n5\n6\n", "299,999,997 places one-hot where 100,000"),
        ("node_labels", f"{2**64}\n6\n4\n4\n5\n6\n", "cannot be read"),
        ("node_attributes", "1e39\n" * 6, "not finite in single precision, such as 1e.39 in row 1"),
        ("graph_attributes", "1\n1e300\n1\n", "not finite in single precision"),
        ("edge_attributes", "1\n" * 7 + "-1e39\n", r"TINY_edge_attributes\.txt holds numbers"),
    ],
)
def test_numbers_that_fit_nowhere(
    make_tu: Callable[..., Path], root: Path, part: str, text: str, words: str
) -> None:
    with pytest.raises(SmixupError, match=words):
        import_archive(make_tu(**{part: text}), root)
    assert not root.exists()


def test_classes_as_many_as_graphs(make_tu: Callable[..., Path], root: Path) -> None:
    lines = "".join(f"{place}\n" for place in range(1, 2001))
    folder = make_tu(graph_indicator=lines, graph_labels=lines, A="", node_labels=None)
    (folder / "TINY_node_attributes.txt").unlink()
    (folder / "TINY_edge_labels.txt").unlink()
    set_budget("8MB")
    try:
        with pytest.raises(SmixupError, match=r"with 2,000 classes needs about .* are they values"):
            import_archive(folder, root)
    finally:
        set_budget(None)
