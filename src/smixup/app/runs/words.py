"""Numbers as people and JSON read them."""

from __future__ import annotations

import math
from typing import Any


def counted(number: int, thing: str) -> str:
    """Return `1 seed` or `3 seeds`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def capital(sentence: str) -> str:
    """Return a sentence with a capital at its beginning.

    >>> capital("random one-to-one helps.")
    'Random one-to-one helps.'
    """
    return sentence[:1].upper() + sentence[1:]


def decimal(value: float | None, digits: int, absent: str = "-") -> str:
    """Return a number with so many digits after the point, or what stands for none."""
    return absent if value is None else f"{value:z.{digits}f}"


def signed(value: float, digits: int) -> str:
    """Return a difference with its sign, `+1.5` or `-1.5`; what rounds to zero has none, `0.0`."""
    shown = f"{value:z.{digits}f}"
    return shown if float(shown) == 0 else f"{value:+.{digits}f}"


def signed_interval(low: float, high: float, digits: int) -> str:
    """Return `[-0.3, +1.5]`."""
    return f"[{signed(low, digits)}, {signed(high, digits)}]"


def plus_minus(mean: float, deviation: float | None, digits: int) -> str:
    """Return `0.60 ± 0.10`; the mean alone if there is no deviation, as of one run."""
    words = decimal(mean, digits)
    known = deviation is not None and not math.isnan(deviation)
    return f"{words} ± {deviation:.{digits}f}" if known else words


def duration(seconds: float | None, workers: int = 1) -> str:
    """Return seconds, shared among workers, as people say them."""
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds / workers), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def finite(value: Any) -> Any:
    """Return a value with null for every number that JSON cannot write, however deep it lies."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def counted_attributes(number: int) -> str:
    """Return how many node attributes there are, in words."""
    return counted(number, "node attribute")


def unused_attributes(number: int) -> str:
    """Return what to tell of node attributes that are no features, and how they become some."""
    return f"{counted_attributes(number)}, not used: --data attributes=true"
