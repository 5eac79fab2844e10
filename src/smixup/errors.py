"""Errors and warnings that a user can act on: one sentence that says what is wrong, where, and what
to do.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

NAME, SENTENCE = 80, 1500
"""Letters that are shown of a name, and of a whole error."""
PASSED = ("smixup", "torch", "torch_geometric", "lightning", "pytorch_lightning", "accelerate")
"""Packages that stand between a user's line and us."""


class SmixupError(Exception):
    """Work that failed for a reason the user can mend; the command line prints it and exits with
    1. It is one line, whatever foreign names stand in it.
    """

    def __str__(self) -> str:
        return shown(super().__str__(), SENTENCE)


class UsageError(SmixupError, ValueError):
    """A wrong name or value; the command line prints it and exits with 2."""


class Interrupted(SmixupError):  # noqa: N818 (an event, not a defect)
    """Somebody stopped the work (Ctrl-C, SIGTERM, or a terminal that was closed)."""

    exit_code = 130


def import_optional(module: str, package: str, extra: str) -> ModuleType:
    """Import a module of a package that only an extra installs, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise SmixupError(
            f"this needs {package}, which is missing: pip install 'smixup[{extra}]'."
        ) from error


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is not among the known ones, with the nearest of them."""
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(str(name).lower(), by_lower, n=1)  # a file may hold anything
    hint = f" Did you mean '{by_lower[close[0]]}'?" if close else ""
    return UsageError(
        f"unknown {kind} '{shown(name)}'.{hint} Known: {', '.join(sorted(by_lower.values()))}."
    )


def require(fine: bool, name: str, value: object, allowed: str) -> None:
    """Raise the error for a value that is not allowed."""
    if not fine:
        raise UsageError(f"{name} must be {allowed}, not {shown(value)}.")


def shown(text: object, most: int = NAME) -> str:
    r"""Return foreign text on one line: what a terminal might obey is spelled out, and the middle
    of a long one is left out.

    >>> shown("a\x1b[31mb"), shown("a" * 100, 11)
    ('a\\x1b[31mb', 'aaaaaaa...a')
    """
    letters = _cut(str(text), most)
    return _cut("".join(a if a.isprintable() else ascii(a)[1:-1] for a in letters), most)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = (most - 3) // 8
    return f"{text[: most - 3 - end]}...{text[len(text) - end :]}"


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and name the nearest line that is in none of the packages in between."""
    files = (str(sys.modules[name].__file__) for name in PASSED if name in sys.modules)
    # contextlib stands before functions that are decorated by a context
    passed = (*(f"{Path(file).parent}/" for file in files), contextlib.__file__)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(passed):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


_with_place = warnings.formatwarning


def plainly(message: Warning | str, category: type[Warning], *place: Any, **named: Any) -> str:
    """Return a warning as a command shows it, for `warnings.formatwarning`: what is said to users
    is a line by itself, without the place in the code from which it came.
    """
    is_ours = issubclass(category, UserWarning)
    return f"{message}\n" if is_ours else _with_place(message, category, *place, **named)
