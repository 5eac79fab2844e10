"""The number of threads: what the user says, else one, else as many as cores are idle."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from smixup.app.cli.threads import cores, idle_cores, is_large, set_threads
from smixup.errors import UsageError


@pytest.fixture(autouse=True)
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    for name in ("SMIXUP_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "")  # so that it is as before afterwards
        monkeypatch.delenv(name)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield before
    torch.set_num_threads(before)


def machine(monkeypatch: pytest.MonkeyPatch, number: int, load: float) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(number)), raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 9.0, 9.0))


def test_the_users_number() -> None:
    set_threads(3, "REDDIT-BINARY")
    assert torch.get_num_threads() == 3
    with pytest.raises(UsageError, match="threads must be 1 or more, not 0"):
        set_threads(0)


def test_one_for_small_graphs_whatever_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, 8, 0)
    for datasets in ((), ("MOTIF",), ("NCI1", "PROTEINS"), ("no such dataset",)):
        torch.set_num_threads(2)
        set_threads(None, *datasets)
        assert torch.get_num_threads() == 1


@pytest.mark.parametrize(("load", "expected"), [(0.0, 4), (1.4, 3), (7.0, 1)])
def test_idle_cores_for_large_graphs(
    monkeypatch: pytest.MonkeyPatch, load: float, expected: int
) -> None:
    machine(monkeypatch, 4, load)
    set_threads(None, "MOTIF", "reddit-b")
    assert torch.get_num_threads() == idle_cores() == expected


def test_wide_batches_are_large_too(tmp_path: Path) -> None:
    assert is_large("REDDIT-BINARY", tmp_path)
    assert is_large("ogbg-molhiv", tmp_path, per_node=512 * 300)
    assert not is_large("ogbg-molhiv", tmp_path)
    assert not is_large("NCI1", tmp_path, per_node=256 * 32)
    assert not is_large("MOTIF", tmp_path, per_node=10**9), "its graphs are generated"


def test_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, 8, 0)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    set_threads(None, "REDDIT-BINARY")
    assert torch.get_num_threads() == 2, "torch has obeyed it already"
    monkeypatch.setenv("SMIXUP_THREADS", "3")
    set_threads(None)
    assert torch.get_num_threads() == 3
    set_threads(1)
    assert torch.get_num_threads() == 1, "the option prevails"
    for wrong in ("0", "-1", "two", "1.5"):
        monkeypatch.setenv("SMIXUP_THREADS", wrong)
        with pytest.raises(UsageError, match=f"SMIXUP_THREADS must be .* not '{wrong}'"):
            set_threads(None)


def test_numpy_takes_one_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    set_threads(4)
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    set_threads(4)
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_numpy_is_not_imported_before() -> None:
    """Its variable is read but once."""
    code = "import sys; import smixup.app.cli.main; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_cores_are_those_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 2, 5}, raising=False)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert cores() == 4


def test_where_nobody_knows_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, 4, 0)
    monkeypatch.delattr(os, "getloadavg")
    assert idle_cores() == 4
