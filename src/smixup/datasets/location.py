"""Where data lives."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

ROOT_VARIABLE = "SMIXUP_ROOT"


def data_root(root: Path | None = None) -> Path:
    """Return `root` if given, else the folder that `SMIXUP_ROOT` names, else the platform's user
    data folder.
    """
    if root is not None:
        return Path(root).expanduser()
    named = os.environ.get(ROOT_VARIABLE)
    return Path(named).expanduser() if named else user_data_path("smixup", appauthor=False)
