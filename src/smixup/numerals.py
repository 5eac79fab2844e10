"""Numbers as files and command lines spell them.

Python's `int` and `float` read more than anybody means: to them `1_0` is ten, and so are the digits
of other scripts. Whoever reads text asks here instead, and refuses what is none.
"""

from __future__ import annotations


def number_of(text: str) -> float | None:
    """Return the number that a text spells, which may be infinite or NaN; None if it spells none.

    >>> number_of("1.5e3"), number_of(" -2 "), number_of("1_0"), number_of("ten")
    (1500.0, -2.0, None, None)
    """
    try:
        return float(text) if _is_plain(text) else None
    except ValueError:
        return None


def whole_number_of(text: str) -> int | None:
    """Return the whole number that a text spells, None if it spells none.

    >>> whole_number_of("12"), whole_number_of("1_2"), whole_number_of("12.0")
    (12, None, None)
    """
    try:
        return int(text) if _is_plain(text) else None
    except ValueError:  # also for some thousand digits, which Python does not read
        return None


def _is_plain(text: str) -> bool:
    return "_" not in text and text.strip().isascii()
