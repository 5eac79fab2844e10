"""How much memory may be used, and a sentence in time where it would not be enough.

Example::

    from smixup.memory import set_budget

    set_budget("4GB")            # or SMIXUP_MEMORY=4GB

By default it is half of what is free when it is first asked for. Tables of pairs, stored alignments
and batches for evaluation are made so small, or so few at a time, that each takes a part of it.
What cannot be made smaller is refused before it is tried.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from smixup.errors import SmixupError, UsageError

VARIABLE = "SMIXUP_MEMORY"
SHARE = 0.5
CONTROL_GROUP = Path("/sys/fs/cgroup")
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
    return min(_of_machine(), _of_container())


def in_words(size: float) -> str:
    """Return bytes as people say them: `3.2 GB`, `450 MB`."""
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{max(size / 2**20, 1):.0f} MB"


def require_room(need: float, what: str, remedy: str) -> None:
    """Refuse what needs more than the budget.

    Args:
        need: bytes.
        what: needs them, such as "graph 17 with 50,000 nodes".
        remedy: what to do, apart from allowing more.
    """
    if need > budget():
        raise SmixupError(
            f"{what} needs about {in_words(need)} of memory, and {in_words(budget())} may be used: "
            f"{remedy}, or allow more ({VARIABLE})."
        )


def _of_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 2**10
    except OSError:
        pass
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 4 * 2**30  # a small machine, where the system does not tell


def _of_container() -> int:
    """Return what is left of a control group's limit; a file that is missing limits nothing."""
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            return int((CONTROL_GROUP / limit).read_text()) - int(
                (CONTROL_GROUP / used).read_text()
            )
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return 2**62
