"""Files and folders are there whole, or what was there before is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from smixup import files
from smixup.errors import SmixupError
from smixup.files import (
    TemporaryFolder,
    require_writable,
    swap_folder,
    whole_folder,
    write_whole,
)

FULL = OSError(28, "No space left on device")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("content", "expected"), [(b"\x00\xff", b"\x00\xff"), ("λ\n", "λ\n".encode())]
)
def test_write_whole_makes_folders_and_leaves_one_file(
    content: bytes | str, expected: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "deep" / "er" / "file"
    assert write_whole(path, content, "the file") == path
    assert path.read_bytes() == expected
    assert names(path.parent) == ["file"]


def test_write_whole_replaces_a_file(tmp_path: Path) -> None:
    for content in ("a long old text", "new"):
        write_whole(tmp_path / "file", content, "the file")
    assert (tmp_path / "file").read_text() == "new"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("place", ["write_bytes", "fsync", "replace"])
def test_write_whole_on_a_failing_disk_keeps_the_old_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_whole(tmp_path / "file", "old", "the file")

    def fail(self: object, *arguments: object) -> None:
        if isinstance(self, Path):
            self.touch()
        raise FULL

    monkeypatch.setattr(os if place == "fsync" else Path, place, fail)
    with pytest.raises(SmixupError) as raised:
        write_whole(path, "new", "the page")
    assert str(raised.value) == f"cannot write the page {path}: No space left on device."
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_write_whole_interrupted_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_whole(tmp_path / "file", "old", "the file")

    def stop(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new", "the file")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_write_whole_syncs_the_file_before_the_move_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen, fsync = tmp_path / "file", [], os.fsync

    def watched(handle: int) -> None:
        seen.append(("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file", path.exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    write_whole(path, "text", "the file")
    assert seen == [("file", False), ("folder", True)]


def test_a_folder_that_cannot_be_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def files_only(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", files_only)
    assert write_whole(tmp_path / "file", "text", "the file").read_text() == "text"


def test_write_whole_in_a_place_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(SmixupError, match=r"cannot write the page .*file/page: (Not a|File e)"):
        write_whole(tmp_path / "file" / "page", "new", "the page")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SmixupError, match=r"cannot write the page .*folder: Is a directory\."):
        write_whole(tmp_path / "folder", "new", "the page")
    assert names(tmp_path) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_write_whole_in_a_folder_of_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SmixupError, match=r"cannot write the page .*: Permission denied\."):
        write_whole(tmp_path / "page", "new", "the page")
    assert names(tmp_path) == []


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A new folder, and the one whose place it is to take."""
    for name in ("new", "target"):
        (tmp_path / name / "in").mkdir(parents=True)
        (tmp_path / name / "in" / "file").write_text(name)
    return tmp_path / "new", tmp_path / "target"


def test_swap_folder_replaces_a_folder(folders: tuple[Path, Path]) -> None:
    new, target = folders
    swap_folder(new, target)
    assert (target / "in" / "file").read_text() == "new"
    assert names(target.parent) == ["target"]


def test_swap_folder_to_a_free_place(folders: tuple[Path, Path]) -> None:
    new, target = folders
    swap_folder(new, target.with_name("other"))
    assert names(target.parent) == ["other", "target"]


@pytest.fixture
def no_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that cannot swap two folders in one step."""
    monkeypatch.setattr("smixup.files._exchange", lambda one, other: False)


@pytest.mark.usefixtures("no_exchange")
def test_swap_folder_in_two_steps(folders: tuple[Path, Path]) -> None:
    new, target = folders
    swap_folder(new, target)
    assert (target / "in" / "file").read_text() == "new"
    assert names(target.parent) == ["target"]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux can")
def test_two_folders_change_places_in_one_step(folders: tuple[Path, Path]) -> None:
    assert files._exchange(*folders)
    assert [(each / "in" / "file").read_text() for each in folders] == ["target", "new"]


@pytest.mark.usefixtures("no_exchange")
@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()])
@pytest.mark.parametrize("failing", ["new", "target"])
def test_swap_folder_that_fails_leaves_both_as_they_were(
    failing: str,
    error: BaseException,
    folders: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name == failing:
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(type(error)):
        swap_folder(*folders)
    assert names(folders[0].parent) == ["new", "target"]
    assert [(folder / "in" / "file").read_text() for folder in folders] == ["new", "target"]


def test_swap_folder_keeps_the_old_one_if_the_disk_refuses_the_new(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(handle: int) -> None:
        raise FULL

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        swap_folder(*folders)
    assert (folders[1] / "in" / "file").read_text() == "target"


def dead() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def left(name: str, state: str, process: int, host: str | None = None) -> str:
    return f".{name}.{host or files._host()}-{process}-0.{state}"


@pytest.mark.skipif(sys.platform == "win32", reason="does not ask for processes there")
def test_what_a_dead_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    gone = dead()
    kept = [
        left("page", "unfinished", os.getpid()),  # of a thread of ours
        left("page", "unfinished", gone, "0" * 8),  # of another machine
        left("other", "unfinished", gone),
        ".page.unfinished",
    ]
    for name in (left("page", "unfinished", gone), *kept):
        (tmp_path / name).touch()
    (tmp_path / "page").touch()
    folder = tmp_path / left("page", "old", gone)
    folder.mkdir()
    (folder / "file").touch()
    write_whole(tmp_path / "page", "new", "the page")
    assert names(tmp_path) == sorted([*kept, "page"])


@pytest.mark.skipif(sys.platform == "win32", reason="does not ask for processes there")
def test_a_folder_that_was_moved_aside_by_a_dead_process_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / left("set", "old", dead())
    folder.mkdir()
    (folder / "file").write_text("old")
    with pytest.raises(SmixupError), whole_folder(tmp_path / "set", "the set"):
        raise FULL
    assert names(tmp_path) == ["set"]
    assert (tmp_path / "set" / "file").read_text() == "old"


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
    assert (target / "file").read_text() == "new"
    assert names(target.parent) == ["set"]


def test_a_place_is_tried_and_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_writable(tmp_path / "not" / "there" / "page", "the page")
    require_writable(tmp_path, "the folder", folder=True)
    with pytest.raises(SmixupError, match=r"cannot write the page .*: Is a directory\."):
        require_writable(tmp_path, "the page")
    (tmp_path / "file").touch()
    with pytest.raises(SmixupError, match=r"cannot write the page .*: Not a directory\."):
        require_writable(tmp_path / "file" / "page", "the page")

    def fail(handle: int) -> None:
        raise FULL

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SmixupError, match="No space left on device"):
        require_writable(tmp_path / "page", "the page")
    assert names(tmp_path) == ["file"]


def test_a_temporary_folder_goes_with_its_object(tmp_path: Path) -> None:
    folder = TemporaryFolder("smixup-test-")
    path = folder.path
    (path / "inside").mkdir()
    assert path.is_dir()
    del folder
    assert not path.exists()


def test_a_temporary_folder_is_removed_by_its_own_process_alone() -> None:
    folder = TemporaryFolder("smixup-test-")
    child = os.fork() if hasattr(os, "fork") else 0
    if child == 0 and hasattr(os, "fork"):
        folder.remove()
        os._exit(0)
    if child:
        os.waitpid(child, 0)
    assert folder.path.is_dir()
    folder.remove()
    assert not folder.path.exists()


def test_a_temporary_folder_goes_when_the_process_ends() -> None:
    code = (
        "from smixup.files import TemporaryFolder; folder = TemporaryFolder('smixup-test-'); "
        "print(folder.path)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "smixup-test-" in done.stdout
    assert not Path(done.stdout.strip()).exists()
