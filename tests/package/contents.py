"""What a wheel and a source archive must hold, and must not."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
LARGEST = {"wheel": 2_000_000, "sdist": 20_000_000}
"""Bytes of the archives; more would be data that slipped in. The source archive has the records of
experiments, so that its tests and docs are whole.
"""
IN_SDIST = (
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "SECURITY.md"),
    *("CONTRIBUTING.md", "Makefile", "constraints.txt", "constraints-lowest.txt"),
    *("tests/conftest.py", "docs/conf.py", "examples/first_steps.py", ".ci/run"),
    *(".github/workflows/ci.yml", ".pre-commit-config.yaml"),
)
FOREIGN = ("__pycache__", ".pyc", ".db", ".coverage")
MADE = (".git/", ".venv/", "dist/", "runs/", "site/")
KEPT = "tests/golden/"  # small stores that earlier versions wrote


def names_in(archive: Path) -> list[str]:
    """Return the files of a wheel or a source archive; those of the latter without its folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as sdist:
        return [member.name.partition("/")[2] for member in sdist if member.isfile()]


def faults_of_wheel(names: Iterable[str], size: int) -> list[str]:
    """Return what is wrong with a wheel, a sentence each."""
    names = set(names)
    told = [f"{name} is missing" for name in sorted(package_files() - names)]
    outside = [name for name in names if not name.startswith(("smixup/", "smixup-"))]
    told += [f"{name} is outside of the package" for name in sorted(outside)]
    for ending in ("licenses/LICENSE", "METADATA", "entry_points.txt"):
        if not any(name.endswith(f".dist-info/{ending}") for name in names):
            told.append(f"dist-info/{ending} is missing")
    return told + _foreign(names) + _too_large("wheel", size)


def faults_of_sdist(names: Iterable[str], size: int) -> list[str]:
    """Return what is wrong with a source archive, a sentence each."""
    names = set(names)
    wanted = {*IN_SDIST, *(f"src/{name}" for name in package_files())}
    told = [f"{name} is missing" for name in sorted(wanted - names)]
    return told + _foreign(names) + _too_large("sdist", size)


def package_files() -> set[str]:
    """Return all files of the package: modules, `py.typed`, the explorer's page and scripts."""
    source = ROOT / "src"
    found = (path.relative_to(source) for path in (source / "smixup").rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def _foreign(names: Iterable[str]) -> list[str]:
    ours = (name for name in names if not name.startswith(KEPT))
    odd = [name for name in ours if name.startswith(MADE) or any(part in name for part in FOREIGN)]
    return [f"{name} does not belong there" for name in sorted(odd)]


def _too_large(kind: str, size: int) -> list[str]:
    return [f"{size:,} bytes are too many for a {kind}"] if size > LARGEST[kind] else []
