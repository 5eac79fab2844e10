"""What holds for files of any publisher: which count, which are missing, and how they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.datasets.layout import Layout, is_plain, require_files
from smixup.errors import SmixupError


class Own(Layout):
    """One file in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def name(self) -> str:
        return "OWN"

    def files(self) -> dict[Path, Path]:
        return {self.folder / "a.txt": Path("OWN", "a.txt")}

    def check(self) -> None:
        self.require()

    def require(self) -> None:
        require_files(list(self.files()))

    def under(self, root: Path) -> Own:
        return Own(root / "OWN")

    def load(self) -> None:
        self.check()


def test_files_are_kept_byte_for_byte_unless_a_layout_says_otherwise(tmp_path: Path) -> None:
    layout = Own(tmp_path)
    content = b"\xff\r\n\x00 as it is"
    (tmp_path / "a.txt").write_bytes(content)
    layout.copy(tmp_path / "a.txt", tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_bytes() == content
    layout.check()


@pytest.mark.parametrize("name", ["name", "files", "check", "require", "under", "load"])
def test_every_layout_answers_every_question(name: str, tmp_path: Path) -> None:
    silent = type("Silent", (Own,), {name: getattr(Layout, name)})
    with pytest.raises(TypeError, match=name):
        silent(tmp_path)


@pytest.mark.parametrize(
    ("file", "plain"),
    [
        ("SET_A.txt", True),
        ("deep/er/SET_A.txt", True),
        ("._SET_A.txt", False),
        (".cache/SET_A.txt", False),
        ("__MACOSX/SET_A.txt", False),
        ("deep/__MACOSX/SET_A.txt", False),
        ("__init__.txt", True),
    ],
)
def test_by_products_of_an_operating_system_are_no_data(
    tmp_path: Path, file: str, plain: bool
) -> None:
    top = tmp_path / ".hidden" / "__MACOSX"
    path = top / file
    path.parent.mkdir(parents=True)
    assert not is_plain(path, top), "it is not there"
    path.write_text("")
    assert is_plain(path, top) is plain, "whatever the folders above are called"
    (top / "folder.txt").mkdir()
    assert not is_plain(top / "folder.txt", top)


def test_all_that_is_missing_is_named_and_nothing_else(tmp_path: Path) -> None:
    here = tmp_path / "here.txt"
    here.write_text("")
    require_files([here])
    (tmp_path / "folder.txt").mkdir()
    lost = [tmp_path / name for name in ("one.txt", "folder.txt", "x" * 100, "a\x1b[31mb.txt")]
    with pytest.raises(SmixupError) as caught:
        require_files([lost[0], here, *lost[1:]])
    one, folder, long, odd = str(caught.value).removeprefix("files are missing: ").split(", ")
    assert (one, folder, odd) == ("one.txt", "folder.txt", r"a\x1b[31mb.txt.")
    assert len(long) <= 80 and "xxx...xxx" in long
