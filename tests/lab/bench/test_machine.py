"""The machine's figures are of the right kind; how large they are is not tested."""

from __future__ import annotations

import subprocess
import sys

import pytest

from smixup.lab.bench import machine
from smixup.lab.bench.machine import matmul_rate, peak_memory, startup_seconds


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
