"""`smixup data` and `smixup doctor`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tomllib import loads

import pytest
from typer.testing import Result

from smixup import __version__
from smixup.app.cli import about

Run = Callable[..., Result]


@pytest.fixture
def two_graphs(tmp_path: Path) -> Path:
    """Two graphs with labels of edges and attributes of graphs, in the layout of TU."""
    folder = tmp_path / "PAIR"
    folder.mkdir()
    parts = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n2\n", "graph_labels": "0\n1\n"}
    parts |= {"edge_labels": "0\n0\n", "graph_attributes": "0.5\n1.5\n"}
    for part, text in parts.items():
        (folder / f"PAIR_{part}.txt").write_text(text)
    return folder


def test_import_list_stats(two_graphs: Path, fine: Run, tmp_path: Path) -> None:
    folder = tmp_path / "root" / "PAIR"
    notes = [
        "edge labels are there and not used: --data edges=true.",
        "graph attributes are there and not used: without graph labels they would be the targets.",
    ]
    said = fine("data", "import", two_graphs).stdout.splitlines()
    assert said == [f"PAIR is now in {folder}", *notes]
    lines = [line.split()[:3] for line in fine("data", "list").stdout.splitlines()]
    assert ["PAIR", "at", "hand"] in lines
    assert ["NCI1", "-"] in [line[:2] for line in lines]
    text = fine("data", "stats", "pair").stdout.splitlines()
    assert ["average", "nodes", "1.50"] in [line.split() for line in text]
    assert text[-2:] == notes
    text = fine("data", "stats", "PAIR", "--data", "edges=true").stdout.splitlines()
    assert text[-1] == notes[1]


def test_node_attributes_are_named(two_graphs: Path, fine: Run) -> None:
    (two_graphs / "PAIR_node_attributes.txt").write_text("0.5, 1\n1.5, 2\n2.5, 3\n")
    (two_graphs / "PAIR_node_labels.txt").write_text("0\n1\n0\n")
    hint = "node attributes are there and not used: --data attributes=true"
    for words in (("import", two_graphs), ("stats", "pair")):
        assert hint in fine("data", *words).stdout
    assert hint not in fine("data", "stats", "pair", "--data", "attributes=true").stdout


def test_pack(two_graphs: Path, fine: Run, refused: Callable[..., None], tmp_path: Path) -> None:
    fine("data", "import", two_graphs)
    text = fine("data", "pack", "pair", "--out", "packed").stdout
    assert text.startswith("PAIR is now in packed: 2 graphs") and "train ./packed" in text
    assert fine("data", "stats", "./packed").stdout == fine("data", "stats", "PAIR").stdout
    refused("exists and holds no packed graphs", "data", "pack", "pair", "--out", tmp_path)


def test_the_doctor_tells_what_there_is(fine: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = dict(line.split(maxsplit=1) for line in fine("doctor").stdout.splitlines())
    told = [found[name].strip() for name in ("smixup", "datasets")]
    assert told == [__version__, "MOTIF"] and found["devices"].startswith("cpu")
    monkeypatch.setitem(about.EXTRAS, "chem", ("no-such-package",))
    text = fine("doctor").stdout
    assert "no-such-package is missing: pip install 'smixup[chem]'" in text


def test_every_extra_of_the_project_is_listed() -> None:
    project = loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    for extra, packages in project["project"]["optional-dependencies"].items():
        assert {each.partition(">")[0] for each in packages} == {*about.EXTRAS[extra]}
