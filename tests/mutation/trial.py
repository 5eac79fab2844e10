"""Tries mutants: which tests run a line is seen once, then every mutant meets those tests in a copy
of the process, where its code stands in the place of the module's.
Nothing is imported twice, and a mutant meets the fastest tests first, so that most of them cost
milliseconds.
"""

from __future__ import annotations

import functools
import gc
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType
from typing import Any, NoReturn

import pytest
from _pytest.runner import runtestprotocol

from .changes import Mutant, mutants, mutated, source_of

SECONDS = 120
"""A mutant that takes longer than this does not end."""
NOT_TRIED = 77


@dataclass
class Trial:
    """A plugin of pytest that tries a sample of mutants in the place of running the tests.

    Attributes:
        targets: modules to change, as paths below the package.
        sample: how many mutants.
        seed: of the sample.
        killed, survived: what was found.
    """

    targets: Sequence[str]
    sample: int
    seed: int = 0
    killed: list[Mutant] = field(default_factory=list)
    survived: list[Mutant] = field(default_factory=list)
    known: int = 0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        found = [each for target in self.targets for each in mutants(target)]
        self.known = len(found)
        chosen = random.Random(self.seed).sample(found, min(self.sample, len(found)))
        seen = Seen({str(source_of(target)) for target in self.targets})
        items: Any = session.items
        if failed := [item.nodeid for item in items if not seen.passes(item)]:
            sys.exit(f"without any change, {failed[0]} fails: mend it first.")
        if is_killed(None, items):
            sys.exit(
                "the tests do not pass twice in one process: find the one that leaves a trace."
            )
        for number, mutant in enumerate(chosen, 1):
            tests = seen.tests_of(mutant)
            dead = is_killed(mutant, tests)
            (self.killed if dead else self.survived).append(mutant)
            verdict = "killed  " if dead else "SURVIVED" if tests else "NOT RUN "
            say(f"{number:4} {verdict} {mutant.target}:{mutant.line}  {mutant.text}")
        return True


@dataclass
class Seen:
    """Which lines of some files the tests run, and how long they take."""

    files: set[str]
    lines: dict[tuple[str, int], list[tuple[float, pytest.Item]]] = field(default_factory=dict)

    def passes(self, item: pytest.Item) -> bool:
        """Run a test, and tell whether it passes."""
        run: set[tuple[str, int]] = set()

        def line(frame: FrameType, event: str, _: object) -> Any:
            run.add((frame.f_code.co_filename, frame.f_lineno))
            return line

        def call(frame: FrameType, event: str, _: object) -> Any:
            return line if frame.f_code.co_filename in self.files else None

        began = time.perf_counter()
        sys.settrace(call)
        try:
            passed = passes(item)
        finally:
            sys.settrace(None)
        for place in run:
            self.lines.setdefault(place, []).append((time.perf_counter() - began, item))
        return passed

    def tests_of(self, mutant: Mutant) -> list[pytest.Item]:
        """Return the tests that run any line of a change, the fastest first."""
        path = str(source_of(mutant.target))
        found: dict[pytest.Item, float] = {}
        for line in range(mutant.line, mutant.last + 1):
            found |= {item: seconds for seconds, item in self.lines.get((path, line), [])}
        return sorted(found, key=found.__getitem__)


def passes(item: pytest.Item) -> bool:
    """Run a test, with all that it needs, however often it was run before."""
    item._initrequest()  # type: ignore[attr-defined]
    reports = runtestprotocol(item, log=False, nextitem=None)
    return not any(each.failed for each in reports)


def is_killed(mutant: Mutant | None, tests: Sequence[pytest.Item]) -> bool:
    """Tell whether any of the tests notices a change, or none, in a copy of this process."""
    child = os.fork()
    if not child:
        _try(mutant, tests)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == NOT_TRIED:
        raise RuntimeError(f"{mutant} cannot be put in place")
    return code != 0


def _try(mutant: Mutant | None, tests: Sequence[pytest.Item]) -> NoReturn:
    """End this process, with 1 if a test fails."""
    code = NOT_TRIED
    try:
        os.setpgrp()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS if mutant else 0)
        if mutant is not None:
            put_in_place(mutant)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        code = 1
        code = 0 if all(map(passes, tests)) else 1
    except BaseException:
        if code == NOT_TRIED:
            traceback.print_exc()
    finally:
        os._exit(code)


def put_in_place(mutant: Mutant) -> None:
    """Give the functions of a module the code of a mutant, wherever they are known."""
    path = str(source_of(mutant.target))
    whole = compile(mutated(mutant.target, mutant.number)[0], path, "exec")
    new = {_key(code): code for code in _codes(whole)}
    for each in gc.get_objects():
        if type(each) is functools._lru_cache_wrapper:
            each.cache_clear()
        elif type(each) is FunctionType and each.__code__.co_filename == path:
            each.__code__ = new[_key(each.__code__)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
