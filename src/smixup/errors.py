"""Errors that a user can act on: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from smixup.shown import sentence, shown

SHOWN_DIGITS = 40


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


def require_number(
    name: str,
    value: object,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    limit: float | None = None,
    whole: bool = False,
    optional: bool = False,
) -> None:
    """Raise the error for a value that is not a finite number within some bounds.

    Args:
        name: of the value.
        value: anything.
        at_least, above, at_most, below: the bounds, one for each side at most.
        limit: another upper bound, far beyond what makes sense; named where it is crossed.
        whole: integers alone.
        optional: None is allowed too.
    """
    if optional and value is None:
        return
    at: Any = value  # an integer may be too long for a float, and can be compared with one
    number = _is_number(value, whole)
    inside = number and (
        (at_least is None or at >= at_least)
        and (above is None or at > above)
        and (at_most is None or at <= at_most)
        and (below is None or at < below)
    )
    if inside and (limit is None or at <= limit):
        return  # the words below take longer than all of this, and are hardly ever needed
    allowed = bounds_in_words(at_least, above, at_most, below) + (" or None" if optional else "")
    if not number:
        kind, comma = "a whole number" if whole else "a finite number", "," * allowed[:1].isdigit()
        allowed = f"{kind}{comma} {allowed.strip()}".strip()
    elif inside:
        allowed = f"at most {_written(limit or 0)}"
    raise UsageError(f"{name} must be {allowed}, not {_shown(value)}.")


def bounds_in_words(
    at_least: float | None, above: float | None, at_most: float | None, below: float | None
) -> str:
    """Return bounds in words, such as "between 0 and 1"."""
    if at_least is not None and at_most is not None:
        return f"between {_written(at_least)} and {_written(at_most)}"
    if at_least is not None and below is None:
        return f"{_written(at_least)} or more"
    words = {"at least": at_least, "above": above, "at most": at_most, "below": below}
    return " and ".join(f"{word} {_written(at)}" for word, at in words.items() if at is not None)


def _is_number(value: object, whole: bool) -> bool:
    """Tell whether a value is a finite number, or a whole one. An integer is finite, and may be too
    long to be asked as a float.
    """
    if isinstance(value, bool):
        return False
    if isinstance(value, Integral):
        return True
    return not whole and isinstance(value, Real) and math.isfinite(value)


def _shown(value: object) -> str:
    """Return a value as Python writes it, if that is short."""
    if isinstance(value, int) and abs(value) >= 10**SHOWN_DIGITS:
        return f"a number of more than {SHOWN_DIGITS} digits"
    text = f"{value}" if isinstance(value, Real) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _written(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) and abs(bound) < 1e20 else f"{bound:,}"
