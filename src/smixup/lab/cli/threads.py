"""How many CPU threads a verb may use."""

from __future__ import annotations

import os

from smixup.errors import UsageError


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_threads(threads: int | None) -> None:
    """Limit torch to so many threads; None leaves its choice."""
    if threads is None:
        return
    if threads < 1:
        raise UsageError(f"threads must be 1 or more, not {threads}.")
    import torch

    torch.set_num_threads(threads)
