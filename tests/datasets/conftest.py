"""Publishers' files in miniature, and no network."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
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
Changes = Mapping[str, str | None]


def write(publisher: str, folder: Path, changes: Changes) -> Path:
    """Write the files of a publisher, with some of them changed or left out."""
    for name, text in ((TINY if publisher == "tu" else MOLECULES) | dict(changes)).items():
        path = folder / (f"TINY_{name}.txt" if publisher == "tu" else f"{name}.csv.gz")
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            content = text.encode()
            path.write_bytes(content if publisher == "tu" else gzip.compress(content))
    return folder


@pytest.fixture
def write_published() -> Callable[[str, Path, Changes], Path]:
    return write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root that does not exist yet."""
    return tmp_path / "data" / "root"


@pytest.fixture
def make_tu(tmp_path: Path) -> Callable[..., Path]:
    return lambda **changes: write("tu", tmp_path / "published" / "TINY", changes)


@pytest.fixture
def make_molhiv(tmp_path: Path) -> Callable[..., Path]:
    return lambda changes: write("ogb", tmp_path / "published" / "hiv", changes)


@pytest.fixture
def tiny(make_tu: Callable[..., Path]) -> Path:
    return make_tu()


@pytest.fixture
def molecules(make_molhiv: Callable[..., Path]) -> Path:
    return make_molhiv({})


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def urlopen(request: object, timeout: float) -> None:
        raise OSError("there is no network")

    monkeypatch.setattr("smixup.datasets.sources.urlopen", urlopen)
