"""What a killed import left goes away, and what is in use stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from smixup.datasets.archives import import_archive
from smixup.datasets.catalogue import load_dataset
from smixup.datasets.leftovers import LONG, sweep, working_folder
from smixup.files import OLD, _beside

SIGNALS = [signal.SIGTERM, signal.SIGHUP]
KILLED = """
import os, sys
from pathlib import Path
from smixup.datasets.leftovers import working_folder

with working_folder(Path(sys.argv[1])) as folder:
    (folder / "unpacked").mkdir()
    (folder / "unpacked" / "file").write_bytes(bytes(1000))
    os.kill(os.getpid(), 9)
"""


def moved_aside(path: Path, process: int) -> Path:
    """The hidden name under which a process would move a folder aside."""
    own = _beside(path, OLD)
    return own.with_name(own.name.replace(f"-{os.getpid()}-", f"-{process}-"))


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
    assert list(root.glob(".import.*/unpacked/file"))
    import_archive(tiny, root)
    assert [each.name for each in root.iterdir()] == ["TINY"]


def test_the_folder_of_an_import_that_runs_is_left_alone(tmp_path: Path) -> None:
    with working_folder(tmp_path) as folder:
        age(folder, 2 * LONG)
        sweep(tmp_path)
        assert folder.is_dir()


def test_a_dataset_that_was_moved_aside_comes_back(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    (root / "TINY").rename(moved_aside(root / "TINY", killed_process()))
    assert len(load_dataset("TINY", root).graphs) == 3
    assert [each.name for each in root.iterdir()] == ["TINY"]


def test_an_old_dataset_beside_the_new_one_goes(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    mine = moved_aside(root / "TINY", os.getpid())
    for each in (mine, moved_aside(root / "TINY", killed_process())):
        each.mkdir()
    sweep(root)
    assert {each.name for each in root.iterdir()} == {"TINY", mine.name}


def test_parts_of_downloads_stay_for_a_week(tmp_path: Path) -> None:
    for name in (".A.download", ".A.download.json", ".B.download"):
        (tmp_path / name).write_text("")
    age(tmp_path / ".B.download", 2 * LONG)
    sweep(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {".A.download", ".A.download.json"}


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    for name in (".git", ".x.y.old", "data.old", ".import", ".12.old"):
        (tmp_path / name).mkdir()
    sweep(tmp_path)
    sweep(tmp_path / "absent")
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_an_import_that_is_told_to_end_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    with zipfile.ZipFile(tmp_path / "T.zip", "w") as archive:  # not compressed: no ratio
        archive.writestr("T_graph_indicator.txt", "1\n" * 3_000_000)
        archive.writestr("T_graph_labels.txt", "1\n")
        archive.writestr("T_A.txt", "1, 2\n" * 3_000_000)
    root = tmp_path / "root"
    root.mkdir()
    command = [sys.executable, "-m", "smixup", "data", "import", str(tmp_path / "T.zip")]
    process = subprocess.Popen([*command, "--root", str(root)], stderr=subprocess.PIPE, text=True)
    while not list(root.glob(".import.*/unpacked/*")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(number)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert told.strip().splitlines()[-1] == "interrupted"
    assert list(root.iterdir()) == []
