"""How large files that come in may be: a sentence in time where one is larger.

What is read into memory is held against the budget of `smixup.memory`, which a user may raise;
what is unpacked to disk against `Unpacked`, which a user may lift.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from smixup.errors import SmixupError
from smixup.memory import in_words
from smixup.shown import shown

BLOCK = 1 << 20
UNPACKED, RATIO, SMALL = 4 << 30, 100, 64 << 20
"""Bytes that an archive may unpack to, and how many times its own size, unless it is small."""


def require_regular(path: Path) -> None:
    """Refuse what is neither a file nor a folder, such as a pipe or a device, which may never
    end.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise SmixupError(f"{shown(path, 300)} is neither a file nor a folder.")


@dataclass
class Unpacked:
    """Counts what comes out of an archive.

    Attributes:
        packed: bytes of the archive.
        unlimited: whether any size is allowed.
        size: bytes so far.
    """

    packed: int
    unlimited: bool = False
    size: int = 0

    def add(self, size: int) -> None:
        """Count more bytes; refuse what no dataset needs."""
        self.size += size
        if self.unlimited:
            return
        if self.size > UNPACKED or self.size > max(SMALL, RATIO * self.packed):
            raise SmixupError(
                f"the archive has {in_words(self.packed)} and unpacks to {in_words(self.size)} or "
                "more: if you trust it, allow that by --large (in Python large=True)."
            )
