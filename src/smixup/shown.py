"""Foreign text in a sentence: names of files, columns and members, and cells that are no numbers.

Whoever wrote a file chose them, so that they may be very long, and may hold what a terminal obeys.
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
    return "".join(each if each.isprintable() else _escaped(each) for each in text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
