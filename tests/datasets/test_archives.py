"""An import keeps a whole checked dataset, or nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from smixup.datasets.archives import import_archive
from smixup.datasets.tu import tu_dataset
from smixup.datasets.tu_text import TUText
from smixup.errors import SmixupError
from smixup.graphs import Graphs


@pytest.mark.parametrize("kind", ["zip", "tar", "gztar", "folder"])
def test_every_kind_of_archive(tiny: Path, root: Path, tmp_path: Path, kind: str) -> None:
    published = str(tmp_path / "TINY")
    path = (
        tiny
        if kind == "folder"
        else Path(shutil.make_archive(published, kind, tiny.parent, "TINY"))
    )
    assert import_archive(path, root) == "TINY"
    assert [each.name for each in root.iterdir()] == ["TINY"], "no temporary folder stays"
    assert len(tu_dataset("TINY", root).graphs) == 3
    assert (tiny / "TINY_A.txt").exists(), "the source stays"


def test_files_directly_in_the_archive(tiny: Path, root: Path, tmp_path: Path) -> None:
    path = shutil.make_archive(str(tmp_path / "flat"), "zip", tiny)
    assert import_archive(Path(path), root) == "TINY"


def test_molhiv(molecules: Path, root: Path, tmp_path: Path) -> None:
    path = shutil.make_archive(str(tmp_path / "hiv"), "zip", molecules.parent, "hiv")
    assert import_archive(Path(path), root) == "ogbg-molhiv"
    assert (root / "ogbg-molhiv" / "split" / "scaffold" / "test.csv.gz").exists()


WAYS = {
    "a mark": lambda text: b"\xef\xbb\xbf" + text,
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "CR": lambda text: text.replace(b"\n", b"\r"),
    "no final newline": lambda text: text.rstrip(b"\n"),
    "all of it": lambda text: b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n").rstrip(b"\r\n"),
}


@pytest.mark.parametrize("way", WAYS)
def test_texts_of_any_program_become_one_kind(tiny: Path, root: Path, way: str) -> None:
    before = {path.name: path.read_bytes() for path in tiny.iterdir()}
    for path in tiny.iterdir():
        path.write_bytes(WAYS[way](path.read_bytes()))
    import_archive(tiny, root)
    raw = root / "TINY" / "raw"
    assert {path.name: path.read_bytes() for path in raw.iterdir()} == before
    assert tu_dataset("TINY", root).graphs.labels.tolist() == [1, 0, 1]


def test_nothing_is_replaced_before_the_new_set_has_been_loaded(
    make_tu: Callable[..., Path], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_archive(make_tu(), root)

    def failing(text: TUText) -> Graphs:
        raise SmixupError("no graphs can be made of it.")

    with monkeypatch.context() as patch:
        patch.setattr("smixup.datasets.tu.graphs_of_text", failing)
        with pytest.raises(SmixupError, match="was not imported: no graphs can be made of it"):
            import_archive(make_tu(graph_labels="0\n1\n2\n"), root)
    assert tu_dataset("TINY", root).graphs.labels.tolist() == [1, 0, 1]


def test_only_files_of_the_layout_are_kept(tiny: Path, root: Path) -> None:
    (tiny / "setup.sh").write_text("rm")
    (tiny / "processed").mkdir()
    (tiny / "processed" / "data.pt").write_text("pickle")
    import_archive(tiny, root)
    kept = sorted(path.name for path in root.rglob("*") if path.is_file())
    assert kept == sorted(path.name for path in tiny.glob("TINY_*.txt"))


def test_a_refused_archive_leaves_nothing_not_even_the_root(
    make_tu: Callable[..., Path], root: Path
) -> None:
    folder = make_tu(graph_labels="1\n")
    with pytest.raises(
        SmixupError, match=r"published/TINY was not imported: TINY_graph_labels.txt has 1 lines"
    ):
        import_archive(folder, root)
    assert not root.exists()
    assert not root.parent.exists()


def test_a_refused_archive_leaves_what_was_there(tiny: Path, root: Path, tmp_path: Path) -> None:
    import_archive(tiny, root)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    (tmp_path / "TINY.zip").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(SmixupError, match=r"TINY\.zip was not imported: .*damaged"):
        import_archive(tmp_path / "TINY.zip", root)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_importing_again_replaces_the_set_and_what_was_computed_from_it(
    make_tu: Callable[..., Path], root: Path
) -> None:
    import_archive(make_tu(), root)
    assert tu_dataset("TINY", root).graphs.labels.tolist() == [1, 0, 1]
    import_archive(make_tu(graph_labels="0\n1\n2\n"), root)
    assert tu_dataset("TINY", root).graphs.labels.tolist() == [0, 1, 2]


def test_a_failing_move_puts_the_old_set_back(
    tiny: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_archive(tiny, root)
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.parent.name == "staged":
            raise OSError(28, "No space left on device", str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    monkeypatch.setattr("smixup.files._exchange", lambda one, other: False)
    with pytest.raises(SmixupError, match="No space left on device"):
        import_archive(tiny, root)
    assert len(tu_dataset("TINY", root).graphs) == 3


def test_importing_from_its_own_place_in_the_root(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    assert import_archive(root / "TINY", root) == "TINY"
    assert len(tu_dataset("TINY", root).graphs) == 3


def test_nothing_there(root: Path, tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="does not exist"):
        import_archive(tmp_path / "absent.zip", root)
    assert not root.exists()


def test_a_root_that_cannot_be(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SmixupError, match="was not imported"):
        import_archive(tiny, tmp_path / "file" / "root")


def test_a_real_archive_cut_short(
    archive: Callable[[str], Path], root: Path, tmp_path: Path
) -> None:
    content = archive("MUTAG.zip").read_bytes()
    for size in (100, len(content) // 2, len(content) - 10):
        (tmp_path / "MUTAG.zip").write_bytes(content[:size])
        with pytest.raises(SmixupError, match="was not imported"):
            import_archive(tmp_path / "MUTAG.zip", root)
    assert not root.exists()
