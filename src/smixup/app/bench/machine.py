"""What the machine and this process can do: the scale on which to read a comparison."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import TypeVar

import torch

from smixup.app.bench.timing import seconds

Result = TypeVar("Result")
HELP = (sys.executable, "-m", "smixup", "--help")


def matmul_rate(size: int = 1024, repeat: int = 7) -> float:
    """Return the rate of a square matrix product in single precision, in GFLOP/s."""
    a, b = torch.randn(size, size), torch.randn(size, size)
    a @ b
    return 2 * size**3 / median(seconds(lambda: a @ b) for _ in range(repeat)) / 1e9


def startup_seconds(command: Sequence[str] = HELP, repeat: int = 5) -> float:
    """Return how long `smixup --help` takes from nothing."""
    run = partial(subprocess.run, command, capture_output=True, check=True)
    return median(seconds(run) for _ in range(repeat))


def reset_peak_memory() -> None:
    """Forget the peak so far, on systems that can (Linux)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> float | None:
    """Return the most memory this process has held since the last reset, in MB; None where the
    system does not tell.
    """
    if sys.platform == "win32":
        return None
    with suppress(OSError):
        status = Path("/proc/self/status").read_text()
        return float(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) * 1024 / 1e6
    from resource import RUSAGE_SELF, getrusage

    unit = 1 if sys.platform == "darwin" else 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * unit / 1e6


def memory_of(work: Callable[[], object]) -> float | None:
    """Return the most memory that this process held during a call, in MB."""
    reset_peak_memory()
    work()
    return peak_memory()


def seconds_and_memory(work: Callable[[], object]) -> tuple[float, float | None]:
    """Time one call; return its seconds, and the most memory that this process held, in MB."""
    reset_peak_memory()
    return seconds(work), peak_memory()


def in_fresh_process(work: Callable[[], Result]) -> Result:
    """Return what a call returns in a process of its own, in which nothing is left over from
    earlier ones.

    Args:
        work: what can be pickled, such as a `partial` of a module's function.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(work).result()


def anonymous_memory() -> float | None:
    """Return the memory that this process has to itself now, in MB: without mapped files, whose
    pages the system drops when it needs room; None where the system does not tell.
    """
    with suppress(OSError, IndexError):
        status = Path("/proc/self/status").read_text()
        return float(re.findall(r"RssAnon:\s+(\d+) kB", status)[0]) * 1024 / 1e6
    return None
