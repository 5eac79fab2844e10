"""A disk on which the k-th step fails, and the loop that lets every step fail once.

```python
for found in every_fault(lambda: write_whole(path, "new", "the page")):
    assert path.read_text() in ("old", "new")
```
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any, Self
from unittest.mock import patch

from smixup.errors import SmixupError

Operation = Callable[[], object]
MOST = 400
"""Steps of an operation; more are an operation that never ends."""


def disk_error(number: int) -> Callable[[], OSError]:
    return lambda: OSError(number, os.strerror(number))


ERRORS: dict[str, Callable[[], BaseException]] = {
    "ENOSPC": disk_error(errno.ENOSPC),
    "EIO": disk_error(errno.EIO),
    "EACCES": disk_error(errno.EACCES),
    "MemoryError": MemoryError,
}


def die() -> BaseException:
    """End this process as a power cut would: nothing is tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


class Disk:
    """Within a `with` block, every opening for writing, write, fsync, rename and mkdir is a step;
    the k-th fails. A write that fails has written half.
    """

    def __init__(self, k: int, error: Callable[[], BaseException]) -> None:
        self.k, self.error, self.steps, self.failed = k, error, 0, ""

    def step(self, name: str) -> bool:
        """Count a step, and tell whether it is the one that fails."""
        self.steps += 1
        if self.steps == self.k:
            self.failed = name
        return self.steps == self.k

    def __enter__(self) -> Self:
        self.patches = ExitStack()
        for name in ("fsync", "rename", "replace", "mkdir"):
            self._patch(os, name)
        for module in (io, builtins):
            self.patches.enter_context(patch.object(module, "open", self._opened(module.open)))
        return self

    def __exit__(self, *error: object) -> None:
        self.patches.close()

    def _patch(self, module: Any, name: str) -> None:
        real = getattr(module, name)

        def step(*arguments: Any, **options: Any) -> Any:
            if self.step(name):
                raise self.error()
            return real(*arguments, **options)

        self.patches.enter_context(patch.object(module, name, step))

    def _opened(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, mode: str = "r", *others: Any, **options: Any) -> Any:
            if not set(mode) & set("wax+") or isinstance(file, int):
                return real(file, mode, *others, **options)
            if self.step("open"):
                raise self.error()
            return Written(real(file, mode, *others, **options), self)

        return opened


class Written:
    """A file whose writes are steps."""

    def __init__(self, file: Any, disk: Disk) -> None:
        self.file, self.disk = file, disk

    def write(self, content: Any) -> int:
        if self.disk.step("write"):
            self.file.write(content[: len(content) // 2])
            self.file.flush()
            raise self.disk.error()
        return int(self.file.write(content))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.file.close()


@dataclass(frozen=True)
class Fault:
    """What came of an operation of which one step failed.

    Attributes:
        error: the kind of error.
        step: what failed, such as "write".
        told: the sentence, empty if the operation succeeded nevertheless.
    """

    error: str
    step: str
    told: str = ""


def every_fault(operation: Operation) -> Iterator[Fault]:
    """Yield after each run of an operation in which one step failed, for all steps and errors,
    until it runs without; whatever fails must be told in one sentence.
    """
    for name, error in ERRORS.items():
        for k in count(1):
            assert k < MOST, "the operation does not end"
            disk, told = Disk(k, error), ""
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                try:
                    with disk:
                        operation()
                except SmixupError as refusal:
                    told = str(refusal)
                    assert told.endswith((".", "again")), told
                    assert "\n" not in told
                except MemoryError:
                    assert name == "MemoryError"
                    told = name
            if not disk.failed:
                assert not told, f"nothing failed, and still: {told}"
                break
            yield Fault(name, disk.failed, told)


def every_death(operation: Operation, every: int = 1) -> Iterator[int]:
    """Yield after each run of an operation in a process that died at its k-th step, for every so
    many steps, until it lives.
    """
    for k in count(1, every):
        assert k < MOST, "the operation does not end"
        child = os.fork()
        if not child:
            code = 1
            try:
                with Disk(k, die):
                    operation()
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        yield k
