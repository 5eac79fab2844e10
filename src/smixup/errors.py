"""Errors that a user can act on: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SmixupError(Exception):
    """Work that failed for a reason the user can mend; the command line prints it and exits with 1."""


class UsageError(SmixupError):
    """A wrong name or value; the command line prints it and exits with 2."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is not among the known ones, with the nearest of them."""
    names = sorted(known)
    close = get_close_matches(name.lower(), [known.lower() for known in names], n=1)
    hint = next((f"; did you mean {known}?" for known in names if close and known.lower() == close[0]), "")
    return UsageError(
        f"unknown {kind} '{name}'{hint} Known: {', '.join(names)}"
        if hint
        else f"unknown {kind} '{name}'; known: {', '.join(names)}"
    )
