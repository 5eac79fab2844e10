"""Processes that find torch and PyG loaded.

A process that is spawned loads both anew, which takes seconds. These are forked from a server that
has them, and are as good as spawned in what matters here: they inherit nothing from the tests, get
all they work with pickled, and import `smixup` themselves. Their environment is that of the server,
which starts with the first of them.

    start_ranks(rank, (folder,))                          # for torch.multiprocessing.spawn
    DataLoader(data, num_workers=2, multiprocessing_context=WARM)
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

import torch

WARM = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
"""The name of the start method; there are no such servers on Windows."""

if WARM == "forkserver":  # what is not installed is left out
    multiprocessing.set_forkserver_preload(["torch_geometric", "pytest"])


def start_ranks(function: Callable[..., None], arguments: tuple[Any, ...], number: int = 2) -> None:
    """Call a function in so many processes at once, its number first; wait for all of them."""
    torch.multiprocessing.start_processes(function, arguments, number, start_method=WARM)
