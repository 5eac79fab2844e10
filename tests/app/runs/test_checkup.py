"""A machine that is ready has nothing to hear; what is missing is one sentence each."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import pytest

from smixup.app.runs import checkup as module
from smixup.app.runs.checkup import Finding, checkup

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "free_memory", lambda: 8 << 30)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: Usage(9 << 30, 0, 9 << 30))


def test_all_is_well(tmp_path: Path) -> None:
    assert checkup({"tables": ("numpy",)}, tmp_path / "not" / "made") == []


def test_too_little_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "free_memory", lambda: 1 << 30)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: Usage(1, 1, 1 << 20))
    memory, disk = checkup({}, tmp_path)
    assert memory == Finding("1.0 GB of memory is free; close other programs.", True)
    assert disk == Finding(f"1 MB of the disk of {tmp_path} is free; make room.", True)


def test_packages_too_old_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = ["numpy>=99", "no-such-thing>=2", "nothing>=1; extra == 'dev'"]
    monkeypatch.setattr(module, "requires", lambda name: needed)
    old, missing = checkup({}, tmp_path)
    assert old.serious and old.text.endswith(", not >=99: pip install 'numpy>=99'.")
    assert missing.text == "no-such-thing is not installed: pip install 'no-such-thing>=2'."


def test_a_root_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "access", lambda path, mode: False)
    (there,) = checkup({}, tmp_path)
    (unmade,) = checkup({}, tmp_path / "new")
    assert not there.serious, "data that is there can be read"
    assert unmade.serious and "name another by SMIXUP_ROOT" in unmade.text


def test_extras_say_what_for_and_stand_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "requires", lambda name: ["no-such-thing>=2"])
    first, second = checkup({"chem": ("no-such-package",)}, tmp_path)
    assert first.serious
    assert second == Finding("for molecules from SMILES: pip install 'smixup[chem]'.", False)


def test_every_extra_but_the_command_line_says_what_for() -> None:
    from smixup.app.cli.doctor import EXTRAS

    assert {*module.NEEDS} == {*EXTRAS} - {"lab"}
