"""Whatever step of a write fails, or is the last: the old state or the new one, never else, no
leftovers, one sentence.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

import pytest
import torch

from smixup.datasets import load_dataset
from smixup.errors import SmixupError
from smixup.graphs import open_packed, pack
from smixup.saved import CheckpointFile

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="lets copies of this process die")
MOST_STEPS = 200


class Disk:
    """Within a `with` block, every opening for writing, write, fsync, rename and mkdir is a step;
    at the k-th `fail` is called. A write that fails has written half.
    """

    def __init__(self, k: int, fail: Callable[[], None]) -> None:
        self.k, self.fail, self.steps = k, fail, 0

    def step(self, first: Callable[[], object] = lambda: None) -> None:
        self.steps += 1
        if self.steps == self.k:
            first()
            self.fail()

    def __enter__(self) -> Self:
        self.patches = ExitStack()
        for name in ("fsync", "rename", "replace", "mkdir"):
            self._patch(os, name, getattr(os, name))
        for module in (io, builtins):
            opened = patch.object(module, "open", self._opened(module.open))
            self.patches.enter_context(opened)
        return self

    def __exit__(self, *error: object) -> None:
        self.patches.close()

    def _patch(self, module: Any, name: str, real: Callable[..., Any]) -> None:
        def step(*arguments: Any, **options: Any) -> Any:
            self.step()
            return real(*arguments, **options)

        self.patches.enter_context(patch.object(module, name, step))

    def _opened(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *others: Any, **options: Any) -> Any:
            stream = real(file, mode, *others, **options)
            if not set(mode) & set("wax+") or isinstance(file, int):
                return stream
            self.step(stream.close)
            written = stream.write

            def half(content: Any) -> None:
                written(content[: len(content) // 2])
                stream.close()

            def write(content: Any) -> Any:
                self.step(lambda: half(content))
                return written(content)

            return _Written(stream, write)

        return opened


class _Written:
    """A file whose writes are steps."""

    def __init__(self, stream: Any, write: Callable[[Any], Any]) -> None:
        self.stream, self.write = stream, write

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stream.close()


Case = tuple[Callable[[int], object], Callable[[], object]]


def checkpoint(folder: Path) -> Case:
    file = CheckpointFile(folder / "run.safetensors", "a")
    weights = {number: {"weight": torch.full((50,), float(number))} for number in (1, 2)}
    return lambda number: file.write(weights[number], {"epoch": number}), lambda: file.read()[1]


def packed(folder: Path) -> Case:
    graphs = {number: load_dataset("MOTIF", num_graphs=9 * number).graphs for number in (1, 2)}
    return (
        lambda number: pack(graphs[number], folder / "set"),
        lambda: open_packed(folder / "set")[:].fingerprint(),
    )


@pytest.fixture(params=[checkpoint, packed])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    (tmp_path / "here").mkdir()
    return request.param(tmp_path / "here")


def test_the_old_state_or_the_new_one(case: Case, tmp_path: Path) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write, state = case
    write(2)
    new = state()
    for k in range(1, MOST_STEPS):
        write(1)
        old = state()
        with Disk(k, full) as disk:
            try:
                write(2)
            except SmixupError as refusal:
                assert str(refusal).endswith((".", "again")), "what was not done is said"
                assert state() == old
            else:
                assert state() == new
        if disk.steps < k:
            assert k > 4
            assert len(list((tmp_path / "here").iterdir())) == 1, "nothing is left over"
            return
    raise AssertionError("it never ends")


@pytest.mark.nightly
def test_a_process_that_dies(case: Case) -> None:
    write, state = case
    write(2)
    new = state()
    for k in range(1, MOST_STEPS):
        write(1)
        old, child = state(), os.fork()
        if not child:
            with Disk(k, lambda: os.kill(os.getpid(), signal.SIGKILL)):
                write(2)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert state() in (old, new)
        write(2)
        assert state() == new
        if os.waitstatus_to_exitcode(status) == 0:
            return
    raise AssertionError("it never ends")
