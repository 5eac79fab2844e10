"""What a number depends on besides its configuration."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import smixup

PACKAGES = ("torch", "torch_geometric", "lightning-fabric", "torchmetrics")


def installed(package: str) -> str | None:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


@cache
def commit(source: Path = Path(smixup.__file__)) -> str | None:
    """Return the commit of the source, with `-dirty` behind it if files differ; None if the source
    is not under version control.
    """
    # A package that was installed may lie within the repository of somebody's project.
    tracked = ("ls-files", "--error-unmatch", source.name)
    described = ("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    try:
        _git(source.parent, *tracked)
        return _git(source.parent, *described).strip()
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def versions() -> dict[str, str | int | None]:
    """Return versions of everything that computes, the commit, and the number of threads."""
    import torch

    return {
        "smixup": smixup.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        **{package: installed(package) for package in PACKAGES},
        "threads": torch.get_num_threads(),
    }
