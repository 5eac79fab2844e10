"""The machine's figures are of the right kind; how large they are is not tested."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from smixup.app.bench import machine
from smixup.app.bench.machine import (
    anonymous_memory,
    in_fresh_process,
    matmul_rate,
    memory_of,
    peak_memory,
    seconds_and_memory,
    startup_seconds,
)


def test_matmul_rate_counts_two_operations_per_cell_and_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(machine, "seconds", lambda work: 0.5)
    assert matmul_rate(size=100) == pytest.approx(2 * 100**3 / 0.5 / 1e9)


def test_startup_runs_the_command() -> None:
    assert startup_seconds([sys.executable, "-c", "pass"], repeat=1) > 0
    with pytest.raises(subprocess.CalledProcessError):
        startup_seconds([sys.executable, "-c", "raise SystemExit(3)"], repeat=1)


def test_peak_memory_is_in_megabytes() -> None:
    peak = peak_memory()
    assert peak is None or 20 < peak < 100_000


def test_memory_is_that_of_the_call() -> None:
    if anonymous_memory() is None:
        pytest.skip("this system does not forget a peak")
    large = memory_of(lambda: np.ones(10**7 * 3))
    _, small = seconds_and_memory(lambda: np.ones(10**3))
    assert large is not None
    assert small is not None
    assert 200 < large - small < 300


def test_a_fresh_process_is_another_one_and_hands_back_what_it_returns() -> None:
    assert in_fresh_process(os.getpid) != os.getpid()
    with pytest.raises(ZeroDivisionError):
        in_fresh_process(partial(divmod, 1, 0))


def test_mapped_files_are_not_a_process_s_own_memory(tmp_path: Path) -> None:
    before = anonymous_memory()
    if before is None:
        pytest.skip("this system does not tell")
    (tmp_path / "a").write_bytes(bytes(100_000_000))
    mapped = np.memmap(tmp_path / "a", mode="r")
    assert mapped.sum() == 0
    assert anonymous_memory() < before + 50  # type: ignore[operator]
    fresh = mmap.mmap(-1, 100_000_000, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held = np.frombuffer(fresh, np.uint8)  # not what another test has given back
    held[:] = 1
    assert anonymous_memory() > before + 80  # type: ignore[operator]
    assert held.sum() > 0
