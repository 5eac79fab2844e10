"""Numbers as people and JSON read them."""

from __future__ import annotations

import math
from typing import Any


def counted(number: int, thing: str) -> str:
    """Return `1 seed` or `3 seeds`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def capital(sentence: str) -> str:
    """Return a sentence with a capital at its beginning."""
    return sentence[:1].upper() + sentence[1:]


def decimal(value: float | None, digits: int, absent: str = "-") -> str:
    """Return a number with so many digits after the point, or what stands for none."""
    return absent if value is None else f"{value:z.{digits}f}"


def signed(value: float, digits: int) -> str:
    """Return a difference with its sign, `+1.5` or `-1.5`; what rounds to zero has none, `0.0`."""
    rounded = f"{value:z.{digits}f}"
    return rounded if float(rounded) == 0 else f"{value:+.{digits}f}"


def finite(value: Any) -> Any:
    """Return a value with null for every number that JSON cannot write, however deep it lies."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
