"""Where data lives, and what every layout can say of its files, whoever published them."""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from platformdirs import user_data_path

from smixup.errors import SmixupError
from smixup.shown import shown

ROOT_VARIABLE = "SMIXUP_ROOT"


def data_root(root: Path | None = None) -> Path:
    """Return `root` if given, else the folder that `SMIXUP_ROOT` names, else the platform's user
    data folder.
    """
    if root is not None:
        return Path(root).expanduser()
    named = os.environ.get(ROOT_VARIABLE)
    return Path(named).expanduser() if named else user_data_path("smixup", appauthor=False)


class Layout(ABC):
    """Files of one dataset in its publisher's layout, somewhere on disk."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The dataset's name."""

    @abstractmethod
    def files(self) -> dict[Path, Path]:
        """Return the files that matter, and the place of each under the data root."""

    @abstractmethod
    def require(self) -> None:
        """Raise an error that names the files that are missing."""

    @abstractmethod
    def under(self, root: Path) -> Layout:
        """Return the same dataset where `files` places it under a data root."""

    @abstractmethod
    def load(self) -> None:
        """Check the files and make graphs of them once; they are under a data root."""

    def copy(self, source: Path, target: Path) -> None:
        """Bring a file to its place."""
        shutil.copyfile(source, target)


def is_plain(path: Path, top: Path) -> bool:
    """Tell whether a file is no by-product of an operating system, such as
    `__MACOSX/._NAME_A.txt`.
    """
    return path.is_file() and not any(
        part.startswith((".", "__MACOSX")) for part in path.relative_to(top).parts
    )


def require_files(paths: list[Path]) -> None:
    """Refuse a dataset of which files are missing."""
    missing = [shown(path.name) for path in paths if not path.is_file()]
    if missing:
        raise SmixupError(f"files are missing: {', '.join(missing)}.")
