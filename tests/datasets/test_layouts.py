"""Publishers' layouts are recognised, wherever in a folder their files are."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.datasets.layouts import find_layout, is_present, present_names
from smixup.datasets.sources import MOLHIV
from smixup.errors import SmixupError


def test_what_is_right_passes(tiny: Path, molecules: Path) -> None:
    for folder, name in ((tiny, "TINY"), (molecules, MOLHIV)):
        layout = find_layout(folder)
        layout.check()
        assert layout.name == name


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
