"""The lowest versions that pyproject.toml allows are those with which CI runs the tests."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
FOR_USERS = ("matching", "classical", "cluster", "slurm", "large", "chem", "tables")


def stated() -> dict[str, Version]:
    """The lowest version of everything that a user may install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    requirements = map(
        Requirement,
        [
            *project["dependencies"],
            *(each for name in FOR_USERS for each in extras[name]),
        ],
    )
    return {
        canonicalize_name(each.name): Version(str(each.specifier).removeprefix(">="))
        for each in requirements
    }


def pinned(file: str) -> dict[str, Version]:
    lines = (ROOT / file).read_text().splitlines()
    pins = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): Version(version) for name, version in pins}


def test_the_lowest_versions_are_those_that_are_stated() -> None:
    lowest = pinned("constraints-lowest.txt")
    assert {name: lowest.get(name) for name in stated()} == stated()


def test_the_pinned_versions_are_allowed() -> None:
    newest = pinned("constraints.txt")
    assert all(newest[name] >= version for name, version in stated().items())
