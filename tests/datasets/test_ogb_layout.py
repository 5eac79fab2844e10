"""Files of OGB that do not go together are named, and the folder tells the set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets.layouts import find_layout
from smixup.datasets.sources import MOLHIV
from smixup.errors import SmixupError

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


@pytest.mark.parametrize("fault", MOLHIV_FAULTS)
def test_molhiv_faults(make_molhiv: Callable[..., Path], fault: str) -> None:
    changes, message = MOLHIV_FAULTS[fault]
    with pytest.raises(SmixupError, match=message):
        find_layout(make_molhiv(changes)).check()


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
