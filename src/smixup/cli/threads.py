"""How many CPU threads a verb may use."""

from __future__ import annotations

from smixup.errors import UsageError


def set_threads(threads: int | None) -> None:
    """Limit torch to so many threads; None leaves its choice."""
    if threads is None:
        return
    if threads < 1:
        raise UsageError(f"threads must be 1 or more, not {threads}.")
    import torch

    torch.set_num_threads(threads)
