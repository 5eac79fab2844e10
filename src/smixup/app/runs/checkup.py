"""Is this machine ready? Sentences on what is missing, too old or too small, with what to do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement

from smixup.app.runs.environment import installed
from smixup.memory import free_memory, in_words

NEEDS = {
    "matching": "the matchers fgw, spectral and ipfp, FGWMixup and GeoMix",
    "chem": "molecules from SMILES",
    "cluster": "comparisons on a Ray cluster",
}
"""What each extra is for."""

LEAST_MEMORY, LEAST_DISK = 2 << 30, 1 << 30


@dataclass(frozen=True)
class Finding:
    """One sentence of a checkup.

    Attributes:
        text: what was found, and what to do.
        serious: whether work will fail; otherwise only something cannot be used.
    """

    text: str
    serious: bool


def checkup(extras: Mapping[str, tuple[str, ...]], root: Path) -> list[Finding]:
    """Return what stands in the way, the serious first; nothing if all is well."""
    found = [*_packages(), *_places(root), *_extras(extras)]
    return sorted(found, key=lambda each: not each.serious)


def _packages() -> Iterator[Finding]:
    """Yield packages that are installed in a version that was never tried."""
    for requirement in map(Requirement, requires("smixup") or []):
        name, wanted = requirement.name, requirement.specifier
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        here = installed(name)
        if here is None:
            yield Finding(f"{name} is not installed: pip install '{name}{wanted}'.", True)
        elif not wanted.contains(here, prereleases=True):
            yield Finding(f"{name} is {here}, not {wanted}: pip install '{name}{wanted}'.", True)


def _places(root: Path) -> Iterator[Finding]:
    """Yield what memory and disk lack."""
    free = free_memory()
    if free < LEAST_MEMORY:
        yield Finding(f"{in_words(free)} of memory is free; close other programs.", True)
    there = next(each for each in (root, *root.parents) if each.exists())
    if not os.access(there, os.W_OK):
        words = f"nothing can be written to the data root {root}; name another by SMIXUP_ROOT."
        yield Finding(words, not root.exists())
    left = shutil.disk_usage(there).free
    if left < LEAST_DISK:
        yield Finding(f"{in_words(left)} of the disk of {root} is free; make room.", True)


def _extras(extras: Mapping[str, tuple[str, ...]]) -> Iterator[Finding]:
    """Yield what cannot be used for want of a package."""
    for extra, packages in extras.items():
        if extra in NEEDS and not all(map(installed, packages)):
            yield Finding(f"for {NEEDS[extra]}: pip install 'smixup[{extra}]'.", False)
