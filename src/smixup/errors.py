"""Errors that a user can act on: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SmixupError(Exception):
    """Work that failed for a reason the user can mend; the command line prints it and exits with
    1.
    """


class UsageError(SmixupError):
    """A wrong name or value; the command line prints it and exits with 2."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is not among the known ones, with the nearest of them."""
    by_lower = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), by_lower, n=1)
    hint = f" Did you mean '{by_lower[close[0]]}'?" if close else ""
    return UsageError(
        f"unknown {kind} '{name}'.{hint} Known: {', '.join(sorted(by_lower.values()))}."
    )


def require(fine: bool, name: str, value: object, allowed: str) -> None:
    """Raise the error for a value that is not allowed."""
    if not fine:
        raise UsageError(f"{name} must be {allowed}, not {value}.")
