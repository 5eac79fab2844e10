"""Versions are those of the packages that ran."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import torch

import smixup
from smixup.app.runs.environment import commit, installed, versions


def test_versions() -> None:
    found = versions()
    assert found["smixup"] == smixup.__version__
    assert torch.__version__.startswith(str(found["torch"])), "or with +cu130 behind it"
    assert found["threads"] == torch.get_num_threads()
    assert found["commit"] == commit()
    assert all(value for name, value in found.items() if name != "commit")
    assert installed("no-such-package") is None


def test_the_commit_of_tracked_source_alone(tmp_path: Path) -> None:
    package = tmp_path / "package.py"
    package.write_text("")
    assert commit(package) is None, "no repository"
    git = ("git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    commit.cache_clear()
    assert commit(package) is None, "somebody else's repository"
    for words in (["add", "package.py"], ["commit", "-q", "-m", "second"]):
        subprocess.run([*git, *words], check=True)
    commit.cache_clear()
    found = commit(package)
    assert found is not None
    assert re.fullmatch(r"[0-9a-f]{12}", found)
    package.write_text("changed")
    commit.cache_clear()
    assert commit(package) == f"{found}-dirty"
