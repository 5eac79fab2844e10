"""Publishers' layouts are recognised, and inconsistent files are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets.layouts import MOLHIV, find_layout, is_present, present_names
from smixup.errors import SmixupError

TU_FAULTS = {
    "graph_labels is missing": ({"graph_labels": None}, "missing: TINY_graph_labels.txt"),
    "graph_indicator is missing": ({"graph_indicator": None}, "missing: TINY_graph_indicator.txt"),
    "too few labels": ({"graph_labels": "1\n0\n"}, "TINY_graph_labels.txt has 2 lines where .* 3"),
    "too many labels": (
        {"graph_labels": "1\n0\n1\n1\n"},
        "TINY_graph_labels.txt has 4 lines where .* 3",
    ),
    "node labels": ({"node_labels": "1\n1\n"}, "TINY_node_labels.txt has 2 lines where .* 6"),
    "node attributes": (
        {"node_attributes": "1.5\n" * 7},
        "TINY_node_attributes.txt has 7 lines where .* 6",
    ),
    "edge labels": ({"edge_labels": "1\n"}, "TINY_edge_labels.txt has 1 lines where .* 8"),
    "edge labels that are none": (
        {"edge_labels": "a\n" * 8},
        "TINY_edge_labels.txt cannot be read",
    ),
    "edge labels beyond counting": (
        {"edge_labels": "0\n" * 7 + "123456789\n"},
        "TINY_edge_labels.txt holds labels from 0 to 123456789",
    ),
    "edge attributes": (
        {"edge_attributes": "0.5\n"},
        "TINY_edge_attributes.txt has 1 lines where .* 8",
    ),
    "graph attributes": (
        {"graph_attributes": "0.5\n"},
        "TINY_graph_attributes.txt has 1 lines where .* 3",
    ),
    "no target": (
        {"graph_labels": None, "graph_attributes": None},
        "missing: TINY_graph_labels.txt",
    ),
    "node zero": ({"A": "0, 1\n", "edge_labels": None}, "TINY_A.txt names a node outside 1..6"),
    "node seven": ({"A": "1, 7\n", "edge_labels": None}, "TINY_A.txt names a node outside 1..6"),
    "crossing": (
        {"A": "1, 2\n1, 4\n", "edge_labels": None},
        "joins two different graphs in line 2",
    ),
    "words": ({"A": "one, two\n"}, "TINY_A.txt cannot be read"),
    "three columns": ({"A": "1, 2, 3\n"}, "TINY_A.txt has 3 columns, expected 2"),
    "cut off": ({"A": "1, 2\n2\n"}, "TINY_A.txt cannot be read"),
    "gap": ({"graph_indicator": "1\n1\n1\n3\n3\n4\n"}, "without gaps"),
    "order": ({"graph_indicator": "1\n2\n1\n2\n2\n3\n"}, "in order"),
    "empty": ({"graph_indicator": ""}, "in order"),
    "infinite": ({"node_attributes": "1\n2\n3\n4\n5\ninf\n"}, "not finite"),
    "real classes": ({"graph_labels": "0.5\n1\n1\n"}, "TINY_graph_labels.txt cannot be read"),
}

MOLHIV_FAULTS = {
    "a file is missing": ({"split/scaffold/test": None}, "missing: test.csv.gz"),
    "another dataset": ({"mapping/mol": "p_np,smiles,mol_id\n"}, "another OGB dataset"),
    "labels": ({"raw/graph-label": "0\n1\n"}, "graph-label.csv.gz has 2 lines where .* 3"),
    "label values": ({"raw/graph-label": "0\n1\n2\n"}, "zeros and ones"),
    "edge counts": ({"raw/num-edge-list": "2\n1\n"}, "num-edge-list.csv.gz has 2 lines where .* 3"),
    "atoms": ({"raw/node-feat": "5,0,4,5,3,0,2,0,1\n"}, "node-feat.csv.gz has 1 lines where .* 6"),
    "atom columns": ({"raw/node-feat": "5,0\n" * 6}, "node-feat.csv.gz has 2 columns, expected 9"),
    "atom values": ({"raw/node-feat": "5,0,4,5,3,0,2,0,2\n" * 6}, "OGB does not define"),
    "bonds": ({"raw/edge": "0,1\n"}, "edge.csv.gz has 1 lines where .* 3"),
    "bond kinds": ({"raw/edge-feat": "0,0,0\n"}, "edge-feat.csv.gz has 1 lines where .* 3"),
    "bond columns": ({"raw/edge-feat": "0\n" * 3}, "edge-feat.csv.gz has 1 columns, expected 3"),
    "bond values": ({"raw/edge-feat": "0,6,0\n" * 3}, "a bond value that OGB does not define"),
    "two columns of labels": ({"raw/graph-label": "0,1\n" * 3}, "has 2 columns, expected 1"),
    "words for labels": ({"raw/graph-label": "a\nb\nc\n"}, "graph-label.csv.gz cannot be read"),
    "infinite": ({"raw/graph-label": "0\n1\ninf\n"}, "graph-label.csv.gz holds .* not finite"),
    "molecules": (
        {"mapping/mol": "HIV_active,smiles,mol_id\n0,C,\n"},
        "mol.csv.gz has 1 lines where .* 3",
    ),
    "ends": ({"raw/edge": "0,1\n1,3\n0,1\n"}, "a node that its graph does not have"),
    "split twice": ({"split/scaffold/test": "1\n0\n"}, "exactly once"),
    "split lacks one": ({"split/scaffold/test": "2\n"}, "exactly once"),
}


@pytest.mark.parametrize("fault", TU_FAULTS)
def test_tu_faults(make_tu: Callable[..., Path], fault: str) -> None:
    changes, message = TU_FAULTS[fault]
    with pytest.raises(SmixupError, match=message):
        find_layout(make_tu(**changes)).check()


@pytest.mark.parametrize("fault", MOLHIV_FAULTS)
def test_molhiv_faults(make_molhiv: Callable[..., Path], fault: str) -> None:
    changes, message = MOLHIV_FAULTS[fault]
    with pytest.raises(SmixupError, match=message):
        find_layout(make_molhiv(changes)).check()


def test_what_is_right_passes(tiny: Path, molecules: Path) -> None:
    for folder, name in ((tiny, "TINY"), (molecules, MOLHIV)):
        layout = find_layout(folder)
        layout.check()
        assert layout.name == name


@pytest.mark.parametrize("folder", ["tox21", "ogbg_moltox21", "ogbg-molTox21"])
def test_sets_of_ogb_are_known_by_their_folder(
    molecules: Path, tmp_path: Path, folder: str
) -> None:
    molecules.rename(tmp_path / folder)
    layout = find_layout(tmp_path / folder)
    assert layout.name == "ogbg-moltox21"
    with pytest.raises(SmixupError, match=r"another OGB dataset than ogbg-moltox21: .* 1 targets"):
        layout.check()


def test_a_folder_that_does_not_tell_the_set(
    make_molhiv: Callable[..., Path], tmp_path: Path
) -> None:
    make_molhiv({}).rename(tmp_path / "mine")
    assert find_layout(tmp_path / "mine").name == MOLHIV, "its target tells"
    make_molhiv({"mapping/mol": "p_np,smiles,mol_id\n"}).rename(tmp_path / "other")
    with pytest.raises(SmixupError, match=r"in a folder 'other', which does not tell the set"):
        find_layout(tmp_path / "other")


def test_graphs_without_any_edge_pass(make_tu: Callable[..., Path]) -> None:
    find_layout(make_tu(A="", edge_labels=None)).check()


def test_found_one_or_two_folders_down_but_not_among_hidden_files(
    tiny: Path, tmp_path: Path
) -> None:
    (tiny / "._TINY_A.txt").write_text("")
    (tmp_path / "published" / "__MACOSX").mkdir()
    (tmp_path / "published" / "__MACOSX" / "X_A.txt").write_text("")
    for top in (tiny, tiny.parent, tmp_path):
        assert find_layout(top).name == "TINY"


def test_none_and_several(tiny: Path, molecules: Path, tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"2 datasets at once \(TINY, ogbg-molhiv\)"):
        find_layout(tmp_path)
    (tmp_path / "photos").mkdir()
    with pytest.raises(SmixupError, match=r"no dataset in a known layout \(expected NAME_A.txt"):
        find_layout(tmp_path / "photos")


@pytest.mark.parametrize("name", ["", "-x", "a b", "ä", "motif", "OGBG-MOLHIV", "ogbg-molesol"])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}_A.txt").write_text("")
    with pytest.raises(SmixupError, match="cannot be the name"):
        find_layout(tmp_path)


def test_presence_needs_all_landmarks(tmp_path: Path) -> None:
    raw = tmp_path / "TINY" / "raw"
    raw.mkdir(parents=True)
    (tmp_path / "other").mkdir()
    for part in ("A", "graph_indicator", "graph_labels"):
        assert not is_present("TINY", tmp_path)
        (raw / f"TINY_{part}.txt").write_text("")
    assert is_present("TINY", tmp_path)
    assert present_names(tmp_path) == ["TINY"]
    assert present_names(tmp_path / "nowhere") == []
