"""Errors that a user can act on: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral, Real

from smixup.shown import sentence, shown


class SmixupError(Exception):
    """Work that failed for a reason the user can mend; the command line prints it and exits with
    1. It is one line, whatever foreign names stand in it.
    """

    def __str__(self) -> str:
        return sentence(super().__str__())


class UsageError(SmixupError):
    """A wrong name or value; the command line prints it and exits with 2."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is not among the known ones, with the nearest of them."""
    by_lower = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), by_lower, n=1)
    hint = f" Did you mean '{by_lower[close[0]]}'?" if close else ""
    return UsageError(
        f"unknown {kind} '{shown(name)}'.{hint} Known: {', '.join(sorted(by_lower.values()))}."
    )


def require(fine: bool, name: str, value: object, allowed: str) -> None:
    """Raise the error for a value that is not allowed."""
    if not fine:
        raise UsageError(f"{name} must be {allowed}, not {shown(value)}.")


def require_number(
    name: str,
    value: object,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    whole: bool = False,
    optional: bool = False,
) -> None:
    """Raise the error for a value that is not a finite number within some bounds.

    Args:
        name: of the value.
        value: anything.
        at_least, above, at_most, below: the bounds, one for each side at most.
        whole: integers alone.
        optional: None is allowed too.
    """
    if optional and value is None:
        return
    kind, suffix = "a whole number" if whole else "a finite number", " or None" if optional else ""
    number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
    if not (isinstance(value, Real) and number and math.isfinite(value)):
        raise UsageError(f"{name} must be {kind}{suffix}, not {shown(repr(value))}.")
    at = float(value)
    fine = (
        (at_least is None or at >= at_least)
        and (above is None or at > above)
        and (at_most is None or at <= at_most)
        and (below is None or at < below)
    )
    require(fine, name, value, _bounds(at_least, above, at_most, below) + suffix)


def _bounds(
    at_least: float | None, above: float | None, at_most: float | None, below: float | None
) -> str:
    if at_least is not None and at_most is not None:
        return f"between {at_least} and {at_most}"
    if at_least is not None and below is None:
        return f"{at_least} or more"
    words = {"at least": at_least, "above": above, "at most": at_most, "below": below}
    return " and ".join(f"{word} {at}" for word, at in words.items() if at is not None)
