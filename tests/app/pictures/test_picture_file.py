"""Pictures are written by the ending of their name."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from smixup.app.pictures import style
from smixup.app.pictures.picture_file import require_kind, write_picture
from smixup.errors import SmixupError, UsageError


def test_svg_and_png_appear_in_a_new_folder_and_nothing_else(tmp_path: Path) -> None:
    figure = style.new_figure(1, 1)
    folder = tmp_path / "new"
    svg, png = (write_picture(figure, folder / name) for name in ("a.svg", "b.PNG"))
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert {each.name for each in folder.iterdir()} == {"a.svg", "b.PNG"}


def test_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    one, two = (write_picture(style.new_figure(1, 1), tmp_path / f"{name}.svg") for name in "ab")
    assert one.read_bytes() == two.read_bytes()


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end with \.svg or \.png"):
        write_picture(style.new_figure(1, 1), tmp_path / "a.gif")
    with pytest.raises(UsageError, match="picture does not"):
        require_kind(Path("picture"))


def test_a_picture_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(SmixupError, match=r"cannot write the picture .*a\.svg: Is a directory\."):
        write_picture(style.new_figure(1, 1), tmp_path / "a.svg")
