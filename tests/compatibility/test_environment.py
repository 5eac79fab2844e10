"""Environments of the matrix: what they install, and how their tests are counted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compatibility import environment as module
from compatibility.environment import ROOT, Environment, Row, counted
from compatibility.part import EXTRAS, FILES


def test_the_files_of_the_part_are_there() -> None:
    for name in FILES:
        path, _, test = name.partition("::")
        assert (ROOT / path).exists(), name
        assert f"def {test}(" in (ROOT / path).read_text() if test else True, name


def test_ends_of_tests_are_counted() -> None:
    output = "1 failed earlier\n=== 3 failed, 421 passed, 2 skipped in 60.1s ===\n"
    assert counted(output) == {"failed": 3, "passed": 421, "skipped": 2}
    assert counted("1 passed, 1 error in 3s") == {"passed": 1, "error": 1}
    assert counted("") == {}


@pytest.mark.parametrize(
    ("counts", "right"),
    [
        ({"passed": 3}, True),
        ({"passed": 3, "failed": 1}, False),
        ({}, False),
        ({"error": 1}, False),
    ],
)
def test_a_row_is_right_if_tests_passed_and_none_failed(
    counts: dict[str, int], right: bool
) -> None:
    assert Row({}, "newest", "PyPI", counts).right is right


def test_torch_may_be_another(tmp_path: Path) -> None:
    lowest = Environment(tmp_path, "python3", "lowest")
    assert "torch==2.4.0" in lowest._constraints()
    other = Environment(tmp_path, "python3", "lowest", torch="2.13.0")._constraints()
    assert [line for line in other if line.startswith("torch==")] == ["torch==2.13.0"]
    assert "torch-geometric==2.6.0" in other
    of_system = Environment(tmp_path, "python3", "pinned", system=True)._constraints()
    assert not any(line.startswith("torch==") for line in of_system)
    assert Environment(tmp_path, "python3", "newest")._constraints() == []


def test_wheels_alone_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(module, "_run", lambda *command: commands.append(command))
    monkeypatch.setattr(module.shutil, "rmtree", lambda *_, **__: None)
    Environment(tmp_path, "python3.12", "newest", torch="2.14.1").install()
    made, filled = commands
    assert made[:3] == ("python3.12", "-m", "venv")
    assert filled[filled.index("--only-binary") :][:2] == ("--only-binary", ":all:")
    assert f"{ROOT}[{','.join(EXTRAS)}]" in filled
    assert (tmp_path / "constraints.txt").read_text() == "torch==2.14.1\n"


def test_a_kept_environment_gets_todays_smixup_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(module, "_run", lambda *command: commands.append(command))
    Environment(tmp_path, "python3.12", "newest").renew()
    assert commands[0][-3:] == ("--no-deps", "--force-reinstall", str(ROOT))


def test_versions_are_those_that_are_installed() -> None:
    asked = subprocess.run(
        [sys.executable, "-c", module.ASK, "pytest"], capture_output=True, text=True, check=True
    )
    found = json.loads(asked.stdout)
    assert found["pytest"] == pytest.__version__
    assert found["python"].startswith("3.")
