"""Files and folders are there whole, or what was there before is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from smixup.errors import SmixupError
from smixup.files import (
    TemporaryFolder,
    require_writable,
    restore_folder,
    whole_folder,
    write_whole,
)

FULL = OSError(28, "No space left on device")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_write_whole_makes_folders_and_replaces_a_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "file"
    for content, expected in ((b"a long \x00\xff", b"a long \x00\xff"), ("λ\n", "λ\n".encode())):
        assert write_whole(path, content, "the file") == path
        assert path.read_bytes() == expected
        assert names(path.parent) == ["file"]


def test_the_file_is_synced_before_the_move_and_the_folder_after_if_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "file", []

    def files_only(handle: int) -> None:
        folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        seen.append(("folder" if folder else "file", path.exists()))
        if folder:
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", files_only)
    assert write_whole(path, "text", "the file").read_text() == "text"
    assert seen == [("file", False), ("folder", True)]


def test_places_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    for path, words in (
        (tmp_path / "file" / "page", r"cannot write the page .*file/page: (Not a|File e)"),
        (tmp_path / "folder", r"cannot write the page .*folder: Is a directory\."),
    ):
        with pytest.raises(SmixupError, match=words):
            write_whole(path, "new", "the page")
        with pytest.raises(SmixupError, match=r"cannot write the page .*: (Is|Not) a directory\."):
            require_writable(path, "the page")
    require_writable(tmp_path / "not" / "there" / "page", "the page")
    require_writable(tmp_path, "the folder", folder=True)
    assert names(tmp_path) == ["file", "folder"], "a place is tried and left as it was"
    assert (tmp_path / "file").read_text() == "old"


def test_a_folder_that_a_killed_process_moved_aside_comes_back(tmp_path: Path) -> None:
    target, aside = tmp_path / "set", tmp_path / ".set.old"
    aside.mkdir()
    (aside / "file").write_text("old")
    with pytest.raises(SmixupError), whole_folder(target, "the set"):
        raise FULL
    restore_folder(target)
    assert (target / "file").read_text() == "old" and not aside.exists()
    aside.mkdir()  # killed later, when the new one was there
    (aside / "file").write_text("older")
    with whole_folder(target, "the set"):
        pass
    assert names(tmp_path) == ["set"]


def test_whole_folder_appears_when_its_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "set"
    for text in ("old", "new"):
        with whole_folder(target, "the set") as folder:
            (folder / "file").write_text(text)
            assert not target.exists() or (target / "file").read_text() == "old"
        assert (target / "file").read_text() == text
    with pytest.raises(ZeroDivisionError), whole_folder(target, "the set"):
        raise ZeroDivisionError
    words = r"cannot write the set .*set: No space left on device\."
    with pytest.raises(SmixupError, match=words), whole_folder(target, "the set") as folder:
        (folder / "file").write_text("third")
        raise FULL
    assert (target / "file").read_text() == "new" and names(target.parent) == ["set"]


def test_a_temporary_folder_goes_with_its_object_or_its_own_process() -> None:
    folder = TemporaryFolder("smixup-test-")
    path = folder.path
    child = os.fork()
    if child == 0:
        del folder
        os._exit(0)
    os.waitpid(child, 0)
    assert path.is_dir(), "it is not the child's"
    del folder
    assert not path.exists()
    code = "from smixup.files import TemporaryFolder; folder = TemporaryFolder('smixup-test-'); "
    code += "print(folder.path)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "smixup-test-" in done.stdout and not Path(done.stdout.strip()).exists()
