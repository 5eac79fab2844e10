"""How much memory may be used, and a sentence in time where it would not be enough: half of what
is free when it is first asked for, or what `SMIXUP_MEMORY=4GB` says.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from smixup.errors import SmixupError, UsageError

VARIABLE = "SMIXUP_MEMORY"
SHARE = 0.5
CONTROL_GROUP = Path("/sys/fs/cgroup")  # of a container
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_budget: int | None = None


def set_budget(size: int | str | None) -> None:
    """Allow so many bytes, such as `"4GB"`; None goes back to the default."""
    global _budget
    _budget = None if size is None else parse_size(size)


def budget() -> int:
    """Return how many bytes may be used."""
    global _budget
    if _budget is None:
        named = os.environ.get(VARIABLE)
        _budget = parse_size(named) if named else int(SHARE * free_memory())
    return _budget


def share_of_budget(share: float, most: int) -> int:
    """Return a share of the budget in bytes, `most` at most."""
    return min(int(share * budget()), most)


def cells_at_once(most: int, bytes_per_cell: int) -> int:
    """Return how many cells of tables are made at once: `most`, or as many as an eighth of the
    budget holds, one at least.
    """
    return max(1, share_of_budget(0.125, most * bytes_per_cell) // bytes_per_cell)


def parse_size(size: int | str) -> int:
    """Return bytes: `4GB`, `500 MB`, `1.5G`, or a number of bytes."""
    parts = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([KMGT]?)(i?B)?\s*", str(size), re.IGNORECASE)
    number = float(parts[1]) * UNITS[parts[2].upper()] if parts else 0
    if number < 1:
        raise UsageError(f"the memory must be a size such as 4GB or 500MB, not '{size}'.")
    return int(number)


def free_memory() -> int:
    """Return the bytes that nobody uses, within the limits of a container."""
    free = 4 * 2**30  # a small machine, where the system does not tell
    if hasattr(os, "sysconf"):
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError):
        available = re.search(r"MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text())
        free = int(available[1]) * 2**10 if available else free
    with suppress(OSError, ValueError):  # no such file, or "max"
        files = (CONTROL_GROUP / f"memory.{name}" for name in ("max", "current"))
        limit, used = (int(file.read_text()) for file in files)
        free = min(free, limit - used)
    return free


def in_words(size: float) -> str:
    """Return bytes as people say them: `3.2 GB`, `450 MB`."""
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{max(size / 2**20, 1):.0f} MB"


def require_room(need: float, what: str, remedy: str) -> None:
    """Refuse what needs more bytes than the budget; `remedy` says what to do, apart from allowing
    more.
    """
    if need > budget():
        raise SmixupError(
            f"{what} needs about {in_words(need)} of memory, and {in_words(budget())} may be used: "
            f"{remedy}, or allow more ({VARIABLE})."
        )
