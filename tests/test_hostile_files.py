"""Pickles that would run code, in every folder and kind of file that is read: none of them does."""

from __future__ import annotations

import io
import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import smixup
from smixup.app.store import Store
from smixup.datasets.catalogue import load_dataset
from smixup.datasets.motif import motif_dataset
from smixup.datasets.packed_set import open_packed_dataset, pack_dataset
from smixup.datasets.sources import import_archive
from smixup.errors import SmixupError
from smixup.matching.learned import LearnedMatcher
from smixup.saved import CheckpointFile

TU = {
    "A": "1, 2\n2, 1\n",
    "graph_indicator": "1\n1\n2\n",
    "graph_labels": "0\n1\n",
    "node_labels": "0\n1\n1\n",
}
PYG = ("data.pt", "pre_transform.pt", "pre_filter.pt", "geometric_data_processed.pt")


class Hostile:
    """Makes a folder when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[Path]:
    """What would be there if code had run."""
    place = tmp_path / "executed"
    yield place
    assert not place.exists(), "code was executed"


def written(write: Callable[[Any, io.BytesIO], None]) -> Callable[[Path], bytes]:
    def content(mark: Path) -> bytes:
        stream = io.BytesIO()
        write(np.array([Hostile(mark)], dtype=object), stream)
        return stream.getvalue()

    return content


KINDS: dict[str, Callable[[Path], bytes]] = {
    "pickle": written(pickle.dump),
    "torch": written(torch.save),
    "old torch": written(lambda own, to: torch.save(own, to, _use_new_zipfile_serialization=False)),
    "npy": written(lambda own, to: np.save(to, own, allow_pickle=True)),
    "npz": written(lambda own, to: np.savez(to, matrices=own)),
}


def test_the_files_are_hostile(tmp_path: Path) -> None:
    for name, make in KINDS.items():
        place = tmp_path / name
        content = io.BytesIO(make(place))
        if name == "pickle":
            pickle.load(content)
        elif "torch" in name:
            torch.load(content, weights_only=False)
        else:
            found = np.load(content, allow_pickle=True)
            _ = found["matrices"] if name == "npz" else found
        assert place.is_dir()


@pytest.mark.parametrize("kind", KINDS)
def test_beside_the_files_of_a_dataset(tmp_path: Path, mark: Path, kind: str) -> None:
    published, root = tmp_path / "published", tmp_path / "root"
    published.mkdir()
    for part, text in TU.items():
        (published / f"T_{part}.txt").write_text(text)
    import_archive(published, root)
    content = KINDS[kind](mark)
    for folder in ("processed", "raw", "packed", "packed-edges", "."):
        (root / "T" / folder).mkdir(exist_ok=True)
        for name in (*PYG, "x.pkl", "x.npy", "__init__.py"):
            (root / "T" / folder / name).write_bytes(content)
    assert len(load_dataset("T", root).graphs) == 2
    for path in (root / "T" / "raw").glob("*.txt"):
        path.write_bytes(content)
        with pytest.raises(SmixupError, match="cannot be read"):
            load_dataset("T", root)


NAMES = ("g.pt", "g.pth", "g.npy", "g.npz", "g.csv", "g.tsv", "g.csv.gz", "g.parquet", "g.graphml")


@pytest.mark.parametrize("kind", KINDS)
def test_as_files_of_ones_own_and_archives(tmp_path: Path, mark: Path, kind: str) -> None:
    content = KINDS[kind](mark)
    for name in NAMES:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SmixupError) as error:
            load_dataset(tmp_path / name)
        assert str(error.value).isprintable()
    for name in ("edges.csv", "a.npy", "a.graphml", "a.npz"):
        folder = tmp_path / f"own-{name}"
        folder.mkdir()
        for each in (name, "labels.csv", "graphs.csv", "nodes.csv"):
            (folder / each).write_bytes(content)
        with pytest.raises(SmixupError):
            load_dataset(folder)
    (tmp_path / "T.zip").write_bytes(content)
    with pytest.raises(SmixupError, match="was not imported"):
        import_archive(tmp_path / "T.zip", tmp_path / "root")


@pytest.mark.parametrize("kind", KINDS)
def test_in_place_of_files_of_our_own(tmp_path: Path, mark: Path, kind: str) -> None:
    content = KINDS[kind](mark)
    for folder, names in {
        "matcher": ("matcher.json", "matcher.safetensors"),
        "model": ("model.json", "model.safetensors", "README.md"),
    }.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_bytes(content)
    for name in ("run.safetensors", "runs.db"):
        (tmp_path / name).write_bytes(content)
    readers: list[Callable[[], Any]] = [
        lambda: LearnedMatcher.load(tmp_path / "matcher"),
        lambda: smixup.load_model(tmp_path / "model"),
        CheckpointFile(tmp_path / "run.safetensors", "x").read,
        lambda: Store(tmp_path / "runs.db"),
    ]
    for read in readers:
        with pytest.raises(SmixupError):
            read()


@pytest.mark.parametrize("kind", KINDS)
def test_as_columns_of_packed_graphs(tmp_path: Path, mark: Path, kind: str) -> None:
    folder = tmp_path / "packed"
    pack_dataset(motif_dataset(num_graphs=3), folder)
    for path in sorted(folder.iterdir()):
        before = path.read_bytes()
        path.write_bytes(KINDS[kind](mark))
        with pytest.raises(SmixupError):
            open_packed_dataset(folder)
        path.write_bytes(before)
    shutil.rmtree(folder)
