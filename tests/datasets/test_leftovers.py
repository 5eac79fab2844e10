"""What a killed import left goes away, and what is in use stays."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from smixup.datasets.archives import import_archive
from smixup.datasets.catalogue import load_dataset
from smixup.datasets.leftovers import OLD, YOUNG, sweep, working_folder

KILLED = """
import os, sys
from pathlib import Path
from smixup.datasets.leftovers import working_folder

with working_folder(Path(sys.argv[1])) as folder:
    (folder / "unpacked").mkdir()
    (folder / "unpacked" / "file").write_bytes(bytes(1000))
    os.kill(os.getpid(), 9)
"""


def killed_process() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_a_folder_is_removed_however_the_work_ends(tmp_path: Path) -> None:
    with working_folder(tmp_path / "root") as folder:
        assert folder.is_dir()
    assert list((tmp_path / "root").iterdir()) == []
    with pytest.raises(KeyboardInterrupt), working_folder(tmp_path / "other" / "root"):
        raise KeyboardInterrupt
    assert not (tmp_path / "other").exists()


def test_what_a_killed_import_left_is_swept_by_the_next_one(tiny: Path, root: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(root)], check=False)
    assert list(root.glob(".import-*/unpacked/file"))
    import_archive(tiny, root)
    assert [each.name for each in root.iterdir()] == ["TINY"]


def test_the_folder_of_an_import_that_runs_is_left_alone(tmp_path: Path) -> None:
    with working_folder(tmp_path) as folder:
        age(folder, 2 * OLD)
        sweep(tmp_path)
        assert folder.is_dir()


def test_a_folder_that_is_not_locked_yet_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".import-x"
    folder.mkdir()
    sweep(tmp_path)
    assert folder.is_dir()
    age(folder, 2 * YOUNG)
    sweep(tmp_path)
    assert not folder.exists()


def test_a_dataset_that_was_moved_aside_comes_back(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    (root / "TINY").rename(root / f".TINY.{killed_process()}.old")
    assert len(load_dataset("TINY", root).graphs) == 3
    assert [each.name for each in root.iterdir()] == ["TINY"]


def test_an_old_dataset_beside_the_new_one_goes(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    (root / f".TINY.{killed_process()}.old").mkdir()
    (root / f".TINY.{os.getpid()}.old").mkdir()
    sweep(root)
    assert {each.name for each in root.iterdir()} == {"TINY", f".TINY.{os.getpid()}.old"}


def test_parts_of_downloads_stay_for_a_week(tmp_path: Path) -> None:
    for name in (".A.download", ".A.download.json", ".B.download"):
        (tmp_path / name).write_text("")
    age(tmp_path / ".B.download", 2 * OLD)
    sweep(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {".A.download", ".A.download.json"}


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    for name in (".git", ".x.y.old", "data.old", ".import", ".12.old"):
        (tmp_path / name).mkdir()
    sweep(tmp_path)
    sweep(tmp_path / "absent")
    assert len(list(tmp_path.iterdir())) == 5
