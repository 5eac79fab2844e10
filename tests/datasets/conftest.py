"""Publishers' files in miniature, and no network."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

TINY = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n3, 2\n4, 5\n5, 4\n4, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n3\n",
    "graph_labels": "1\n-1\n1\n",
    "node_labels": "4\n6\n4\n4\n5\n6\n",
    "node_attributes": "0.5\n1.5\n2.5\n3.5\n4.5\n5.5\n",
    "edge_labels": "0\n0\n1\n1\n1\n0\n0\n0\n",
}
"""A path of three nodes with a repeated edge, an edge with a loop, and a node alone."""

MOLECULES = {
    "raw/num-node-list": "3\n2\n1\n",
    "raw/num-edge-list": "2\n1\n0\n",
    "raw/edge": "0,1\n1,2\n0,1\n",
    "raw/edge-feat": "0,0,0\n1,2,1\n4,5,0\n",
    "raw/node-feat": "".join(f"{z},0,4,5,3,0,2,0,1\n" for z in (5, 6, 7, 5, 118, 0)),
    "raw/graph-label": "0\n1\n0\n",
    "split/scaffold/train": "2\n",
    "split/scaffold/valid": "0\n",
    "split/scaffold/test": "1\n",
    "mapping/mol": "HIV_active,smiles,mol_id\n0,CNO,\n1,C,\n0,H,\n",
}


def write_tu(folder: Path, name: str = "TINY", **changes: str | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in (TINY | changes).items():
        if text is not None:
            (folder / f"{name}_{part}.txt").write_text(text)
    return folder


def write_molhiv(folder: Path, changes: dict[str, str | None] | None = None) -> Path:
    for file, text in (MOLECULES | (changes or {})).items():
        if text is not None:
            path = folder / f"{file}.csv.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(text.encode()))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root that does not exist yet."""
    return tmp_path / "data" / "root"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tu(tmp_path / "published" / "TINY")


@pytest.fixture
def molecules(tmp_path: Path) -> Path:
    return write_molhiv(tmp_path / "published" / "hiv")


@pytest.fixture
def make_tu(tmp_path: Path) -> Callable[..., Path]:
    return lambda **changes: write_tu(tmp_path / "published" / "TINY", **changes)


@pytest.fixture
def make_molhiv(tmp_path: Path) -> Callable[..., Path]:
    return lambda changes: write_molhiv(tmp_path / "published" / "hiv", changes)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smixup.datasets.download.is_reachable", lambda url: False)
