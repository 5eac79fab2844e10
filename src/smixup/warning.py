"""Warnings that point to the user's own line, however deep they arise."""

from __future__ import annotations

import contextlib
import sys
import warnings
from pathlib import Path

PASSED = ("smixup", "torch", "torch_geometric", "lightning", "pytorch_lightning", "accelerate")
"""Packages that stand between a user's line and us."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and name the nearest line that is in none of the packages in between."""
    folders = tuple(_folder(name) for name in PASSED if name in sys.modules)
    folders += (contextlib.__file__,)  # of functions that are decorated by a context
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folders):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def plainly(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Return a warning as a command shows it, for `warnings.formatwarning`: what is said to users
    is a line by itself, without the place in the code from which it came.
    """
    if issubclass(category, UserWarning):
        return f"{message}\n"
    return _usual(message, category, filename, lineno, line)


_usual = warnings.formatwarning


def _folder(name: str) -> str:
    return f"{Path(str(sys.modules[name].__file__)).parent}/"
