"""Foreign text: shown in a sentence, and read as a number.

Whoever wrote a file chose its names and cells, so that they may be very long, and may hold what a
terminal obeys. Python's `int` and `float` read more than anybody means: to them `1_0` is ten, and
so are the digits of other scripts.
"""

from __future__ import annotations

NAME = 80
"""Letters of a name that are shown."""
SENTENCE = 1500
"""Letters of a whole error."""


def shown(text: object, most: int = NAME) -> str:
    r"""Return foreign text on one line: what cannot be printed is spelled out, and the middle of a
    long one is left out.

    >>> shown("a\x1b[31mb")
    'a\\x1b[31mb'
    >>> shown("a" * 100, 11)
    'aaaaaaa...a'
    """
    plain = _printable(_cut(str(text), most))
    return _cut(plain, most)


def sentence(text: str) -> str:
    """Return an error on one line, whatever names stand in it."""
    return shown(text, SENTENCE)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = (most - 3) // 8
    return f"{text[: most - 3 - end]}...{text[len(text) - end :]}"


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def number_of(text: str) -> float | None:
    """Return the number that a text spells, which may be infinite or NaN; None if it spells none.

    >>> number_of("1.5e3"), number_of(" -2 "), number_of("1_0"), number_of("ten")
    (1500.0, -2.0, None, None)
    """
    try:
        return float(text) if _is_plainly_written(text) else None
    except ValueError:
        return None


def whole_number_of(text: str) -> int | None:
    """Return the whole number that a text spells, None if it spells none.

    >>> whole_number_of("12"), whole_number_of("1_2"), whole_number_of("12.0")
    (12, None, None)
    """
    try:
        return int(text) if _is_plainly_written(text) else None
    except ValueError:  # also for some thousand digits, which Python does not read
        return None


def _is_plainly_written(text: str) -> bool:
    return "_" not in text and text.strip().isascii()
