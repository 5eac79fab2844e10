"""A bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import redirect_stderr

import pytest

from smixup.progress import Progress, TerminalBar, within

FIT = """
import sys
from smixup import GraphMatcher, SMixup, load_dataset, silent

train = load_dataset("MOTIF", num_graphs=20).graphs.floating().renumbered()
matcher = GraphMatcher(max_steps=4, evaluate_every=2, hidden_channels=8, num_layers=1)
SMixup(matcher, partners=2).fit(train)
print("from here on nothing", file=sys.stderr, flush=sys.stderr.isatty())
SMixup(matcher, partners=2).fit(train, silent)
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def left(text: str) -> list[str]:
    """Return what follows the last return of every line, which a terminal shows in the end."""
    return [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")[:-1]]


def shown(*steps: tuple[object, ...]) -> tuple[str, list[str]]:
    report = TerminalBar()
    with redirect_stderr(Terminal()) as terminal:
        for step in steps:
            report(Progress(*step))  # type: ignore[arg-type]
    return terminal.getvalue(), left(terminal.getvalue())


def test_every_stage_has_a_bar() -> None:
    metrics = {"copies found": 0.75}
    text, (line,) = shown(*(("matcher", done, 3) for done in range(3)), ("matcher", 3, 3, metrics))
    assert "matcher:   0%" in text and "0/3" in text
    assert re.fullmatch(r"matcher: 100%.* 3/3 .* steps/s, copies found 0\.750\]", line)
    stages = [("matcher", "steps"), ("aligning", "pairs")]
    _, lines = shown(*((stage, done, 7, {}, unit) for stage, unit in stages for done in (0, 7)))
    assert [line.partition(":")[0] for line in lines] == ["matcher", "aligning"]
    text, lines = shown(*(("matcher", done, 8) for done in (0, 5, 0, 8)))
    assert text.count("0/8") == 2 and len(lines) == 2, "what was broken off begins anew"
    _, (line,) = shown(("matcher", 0, 100), ("matcher", 25, 100), ("matcher", 50, 50))
    assert "50/50" in line, "a stage may end early"
    told: list[Progress] = []
    within("seed 3", told.append)(Progress("training", 1, 2, {"loss": 0.5}))
    assert told == [Progress("seed 3: training", 1, 2, {"loss": 0.5})]
    report, elsewhere = TerminalBar(), io.StringIO()
    for place in (elsewhere, None):
        with redirect_stderr(place):
            report(Progress("matcher", 1, 1))
    assert elsewhere.getvalue() == ""


@pytest.mark.nightly
def test_a_user_sees_what_a_fit_does() -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    try:
        subprocess.run([sys.executable, "-c", FIT], stderr=slave, check=True)
        os.set_blocking(master, False)
        seen, mark, after = os.read(master, 2**20).decode().partition("from here on nothing")
    finally:
        os.close(master)
        os.close(slave)
    matcher, aligning = left(seen)  # a fit within a fit tells once
    assert re.search(r"matcher: 100%.* 4/4 .*copies found \d\.\d+", matcher)
    assert re.search(r"aligning: 100%.* 40/40 .* pairs/s", aligning)
    assert mark and after.strip() == ""
    piped = subprocess.run([sys.executable, "-c", FIT], capture_output=True, check=True)
    assert (piped.stdout, piped.stderr.strip()) == (b"", b"from here on nothing")
