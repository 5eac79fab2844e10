"""The number of threads is set, or left alone."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch

from smixup.errors import UsageError
from smixup.lab.cli.threads import cores, set_threads


@pytest.fixture(autouse=True)
def threads() -> Iterator[int]:
    before = torch.get_num_threads()
    yield before
    torch.set_num_threads(before)


def test_set(threads: int) -> None:
    set_threads(None)
    assert torch.get_num_threads() == threads
    set_threads(1)
    assert torch.get_num_threads() == 1
    with pytest.raises(UsageError, match="threads must be 1 or more, not 0"):
        set_threads(0)


def test_cores_are_those_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert cores() == 4
