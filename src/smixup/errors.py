"""Errors that a user can act on: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType

from smixup.shown import sentence, shown


class SmixupError(Exception):
    """Work that failed for a reason the user can mend; the command line prints it and exits with
    1. It is one line, whatever foreign names stand in it.
    """

    def __str__(self) -> str:
        return sentence(super().__str__())


class UsageError(SmixupError):
    """A wrong name or value; the command line prints it and exits with 2."""


class MissingPackageError(SmixupError):
    """A package that only an extra installs is not there."""


def import_optional(module: str, package: str, extra: str) -> ModuleType:
    """Import a module of a package that only an extra installs, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(
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
