"""What earlier versions wrote is read, and means what it meant."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from golden import make as golden

import smixup

FOLDERS = sorted(each for each in golden.HOME.iterdir() if (each / golden.VALUES).is_file())


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy, because going on with a run writes its checkpoint."""
    return Path(shutil.copytree(request.param, tmp_path / "golden"))


def test_there_are_files_of_this_version() -> None:
    assert smixup.__version__ in [each.name for each in FOLDERS]


def test_files_of_earlier_versions_mean_what_they_meant(folder: Path) -> None:
    kept = json.loads((folder / golden.VALUES).read_text(encoding="utf-8"))
    assert_same(json.loads(json.dumps(golden.read(folder))), kept, "")


def test_they_are_small(folder: Path) -> None:
    sizes = {each.name: each.stat().st_size for each in folder.rglob("*") if each.is_file()}
    assert max(sizes.values()) < 25_000, sizes


def test_files_of_today_mean_the_same(tmp_path: Path) -> None:
    golden.make(tmp_path / "new")
    kept = golden.HOME / smixup.__version__ / golden.VALUES
    found = (tmp_path / "new" / golden.VALUES).read_text(encoding="utf-8")
    assert_same(json.loads(found), json.loads(kept.read_text(encoding="utf-8")), "")


def assert_same(found: Any, kept: Any, where: str) -> None:
    """Compare numbers up to the rounding of another machine, everything else to the letter."""
    if isinstance(kept, dict):
        assert {*kept} <= {*found}, where  # later versions may know more
        for name, value in kept.items():
            assert_same(found[name], value, f"{where}.{name}")
    elif isinstance(kept, list):
        assert len(found) == len(kept), where
        for place, value in enumerate(kept):
            assert_same(found[place], value, f"{where}[{place}]")
    elif isinstance(kept, float):
        assert found == pytest.approx(kept, rel=1e-3, abs=1e-4), where
    else:
        assert found == kept, where
