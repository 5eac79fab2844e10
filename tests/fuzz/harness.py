"""Hands damaged files to a reader, and judges what comes of it.

A reader refuses by a `SmixupError` of one sentence, or accepts what an independent, plain reading
finds, too. Anything else is a finding: another exception, something silently wrong, more than ten
seconds, more than a gigabyte, or files that were left behind.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import time
import traceback
import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from smixup.errors import SmixupError
from smixup.memory import set_budget

from .mutators import Files, damaged

SECONDS = 10.0
MEMORY = 1 << 30
BUDGET = "256MB"
LONGEST = 1500
REFUSED, RIGHT = "refused", "accepted and right"
KEPT = 3
"""Inputs that are written down of each kind of finding."""


ANY = object()
"""A plain reading that cannot tell: whatever was read is right."""


class Malformed(Exception):  # noqa: N818 (an event, not a defect)
    """A plain reading does not know what the files mean."""


class Subject(ABC):
    """A reader, files that it reads, and an independent reading of such files."""

    name: str

    def __init__(self, work: Path) -> None:
        """Make good files; `work` is a folder of one's own."""
        self.work = work

    @abstractmethod
    def good(self) -> Sequence[Files]:
        """Return files that the reader accepts."""

    @abstractmethod
    def read(self, folder: Path) -> Any:
        """Return what the reader makes of files, as plain values."""

    @abstractmethod
    def plain(self, files: Files) -> Any:
        """Return what a plain reading makes of them, or raise `Malformed`."""

    def damage(self, random: Random, files: Files) -> Files:
        """Return files with something wrong."""
        return damaged(random, files)

    def fits(self, found: Any, expected: Any, told: Sequence[str]) -> bool:
        """Tell whether what was read is right; `told` are the warnings that came with it."""
        return same(found, expected)

    def watched(self, folder: Path) -> Sequence[Path]:
        """Return folders in which a refusal may leave nothing."""
        return [folder]


class Slow(BaseException):
    """A reader took too long; nobody catches this."""


@dataclass
class Tally:
    """What came of many inputs.

    Attributes:
        counts: by verdict.
        findings: by kind, the numbers of the inputs.
        slowest: seconds of one input.
    """

    counts: Counter[str] = field(default_factory=Counter)
    findings: dict[str, list[int]] = field(default_factory=dict)
    slowest: float = 0.0

    @property
    def inputs(self) -> int:
        return sum(self.counts.values())

    @property
    def found(self) -> int:
        """How many findings there are."""
        return sum(map(len, self.findings.values()))


@dataclass
class Fuzzer:
    """Goes through the inputs of one subject; input i of a seed is always the same."""

    subject: Subject
    seed: int
    findings: Path | None = None
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.good = [dict(each) for each in self.subject.good()]

    def run(self, seconds: float = 1e9, inputs: int = 10**9) -> None:
        """Go on for some time, or for so many inputs."""
        end = time.monotonic() + seconds
        with _limited():
            for _ in range(inputs):
                if time.monotonic() >= end:
                    break
                self.one(self.tally.inputs)

    def one(self, number: int) -> str:
        """Try one input, and return the verdict."""
        files = self.files(number)
        began = time.monotonic()
        verdict, kind = self.judged(files)
        self.tally.slowest = max(self.tally.slowest, time.monotonic() - began)
        self.tally.counts[verdict] += 1
        if kind:
            self._write_down(number, verdict, kind, files)
        return verdict

    def files(self, number: int) -> Files:
        """Return an input; to be judged before the next is made."""
        random = Random(f"{self.seed}/{self.subject.name}/{number}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what an archive says that gets two files of one name
            return self.subject.damage(random, random.choice(self.good))

    def again(self) -> None:
        """Judge the findings once more; forget those that were mended since."""
        with _limited():
            for numbers in self.tally.findings.values():
                numbers[:] = [each for each in numbers if self.judged(self.files(each))[1]]
        self.tally.findings = {kind: each for kind, each in self.tally.findings.items() if each}

    def judged(self, files: Files) -> tuple[str, str]:
        """Return the verdict on a reader's answer, and the kind of finding, if it is one."""
        folder = self.subject.work / "input"
        clear(folder)
        try:
            write(folder, files)
        except (OSError, ValueError):
            return "no file system has such files", ""
        before = {each: listing(each) for each in self.subject.watched(folder)}
        try:
            with _in_time(), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = self.subject.read(folder)
        except SmixupError as reason:
            left = [each for each in before if listing(each) != before[each]]
            if left:
                return "left something behind", f"left something in {left[0].name}"
            return _sentence(str(reason))
        except Slow:
            return "slow", "slow"
        except MemoryError:
            return "out of memory", f"MemoryError {place()}"
        except Exception as error:
            return "another exception", f"{type(error).__name__} {place()}"
        try:
            expected = self.subject.plain(files)
        except Exception as reason:  # `Malformed`, or a plain reading that stumbled
            return "accepted what is malformed", f"accepted: {reason!r:.70}"
        if not self.subject.fits(found, expected, [str(each.message) for each in told]):
            return "silently wrong", "silently wrong"
        return RIGHT, ""

    def _write_down(self, number: int, verdict: str, kind: str, files: Files) -> None:
        numbers = self.tally.findings.setdefault(kind, [])
        numbers.append(number)
        if self.findings is None or len(numbers) > KEPT:
            return
        self.findings.mkdir(parents=True, exist_ok=True)
        about = {"reader": self.subject.name, "seed": self.seed, "input": number}
        with (self.findings / "findings.jsonl").open("a") as stream:
            stream.write(json.dumps(about | {"verdict": verdict, "kind": kind}) + "\n")
        write(self.findings / f"{self.subject.name}-{self.seed}-{number}", files)


def clear(folder: Path) -> None:
    """Leave an empty folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with os.scandir(folder) as entries:
        for each in entries:
            if each.is_dir(follow_symlinks=False):
                shutil.rmtree(each)
            else:
                Path(each).unlink()


def write(folder: Path, files: Files) -> None:
    """Write files below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        if "/" in name:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def listing(folder: Path) -> list[str]:
    """Return the names of everything below a folder."""
    return sorted(_below(folder)) if folder.is_dir() else []


def _below(folder: Path | str) -> Iterator[str]:
    """Do what `rglob` does in a third of the time: this is asked twice for each input."""
    with os.scandir(folder) as entries:
        for each in entries:
            yield each.path
            if each.is_dir(follow_symlinks=False):
                yield from _below(each.path)


def same(found: Any, expected: Any) -> bool:
    """Tell whether plain values are alike; NaN is like NaN."""
    return expected is ANY or found == expected or repr(found) == repr(expected)


def place() -> str:
    """Return where the exception that is being handled arose, in our code and in the end."""
    import sys

    frames = traceback.extract_tb(sys.exc_info()[2])
    ours = [each for each in frames if "smixup" in each.filename and "tests" not in each.filename]
    at = ours[-1] if ours else frames[-1]
    return f"{Path(at.filename).name}:{at.lineno} {at.name}"


def _sentence(told: str) -> tuple[str, str]:
    """Judge the words of a refusal."""
    fine = told.isprintable() and 10 <= len(told) <= LONGEST and told.rstrip()[-1:] in ".?!"
    return (REFUSED, "") if fine else ("refused in no sentence", f"no sentence: {told[:60]!r}")


@contextmanager
def _in_time() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Slow

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _limited() -> Iterator[None]:
    """Let the process have a gigabyte more than it has, and readers take a quarter of that."""
    status = Path("/proc/self/status")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    if status.exists():
        line = next(each for each in status.read_text().splitlines() if each.startswith("VmData"))
        limit = int(line.split()[1]) * 1024 + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (limit, before[1]))
    set_budget(BUDGET)
    try:
        yield
    finally:
        set_budget(None)
        resource.setrlimit(resource.RLIMIT_DATA, before)
