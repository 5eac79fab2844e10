"""What a number depends on besides its configuration."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import smixup

PACKAGES = ("torch", "torch_geometric", "lightning-fabric", "torchmetrics")


def installed(package: str) -> str | None:
    """Return the version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def versions() -> dict[str, str | int | None]:
    """Return versions of everything that computes, and the number of threads."""
    import torch

    return {
        "smixup": smixup.__version__,
        "python": platform.python_version(),
        **{package: installed(package) for package in PACKAGES},
        "threads": torch.get_num_threads(),
    }
