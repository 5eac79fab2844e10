"""Archives are told from broken ones."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from package import contents
from package.contents import faults_of_sdist, faults_of_wheel, names_in, package_files

DIST_INFO = {f"smixup-9.dist-info/{each}" for each in ("METADATA", "entry_points.txt")}
WHEEL = package_files() | DIST_INFO | {"smixup-9.dist-info/licenses/LICENSE"}
SDIST = {*contents.IN_SDIST, *(f"src/{name}" for name in package_files())}


def test_the_package_has_what_is_no_module() -> None:
    pages = "smixup/app/explorer"
    assert {"smixup/py.typed", f"{pages}/page.html", f"{pages}/page.js"} <= package_files()


def test_right_archives_have_no_faults() -> None:
    assert faults_of_wheel(WHEEL, 10) == []
    assert faults_of_sdist(SDIST | {"tests/golden/0.1.0/store.db"}, 10) == []


@pytest.mark.parametrize("name", ["smixup/py.typed", "smixup/app/explorer/page.css"])
def test_what_is_missing_is_named(name: str) -> None:
    assert faults_of_wheel(WHEEL - {name}, 10) == [f"{name} is missing"]
    assert faults_of_sdist(SDIST - {f"src/{name}"}, 10) == [f"src/{name} is missing"]


def test_a_wheel_without_its_licence() -> None:
    assert faults_of_wheel(package_files() | DIST_INFO, 10) == [
        "dist-info/licenses/LICENSE is missing"
    ]


def test_what_does_not_belong_there_is_named() -> None:
    assert faults_of_wheel(WHEEL | {"tests/test_main.py"}, 10) == [
        "tests/test_main.py is outside of the package"
    ]
    for name in ("runs/store.db", "src/smixup/__pycache__/a.pyc", "site/index.html"):
        assert faults_of_sdist(SDIST | {name}, 10) == [f"{name} does not belong there"]


def test_data_that_slipped_in_is_too_large() -> None:
    assert faults_of_wheel(WHEEL, 5_000_000) == ["5,000,000 bytes are too many for a wheel"]
    assert faults_of_sdist(SDIST, 10**8) == ["100,000,000 bytes are too many for a sdist"]


def test_names_of_both_kinds(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a")
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as wheel:
        wheel.write(file, "smixup/a.txt")
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as sdist:
        sdist.add(file, "smixup-9/src/a.txt")
    assert names_in(tmp_path / "x.whl") == ["smixup/a.txt"]
    assert names_in(tmp_path / "x.tar.gz") == ["src/a.txt"]
