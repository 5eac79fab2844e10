"""A bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from contextlib import redirect_stderr

import pytest

from smixup.progress import Progress, TerminalBar, within

FIT = """
import sys
import torch
from torch_geometric.data import Data
from smixup import GraphMatcher, SMixup, from_pyg, silent

def cycle(n, y):
    i = torch.arange(n)
    ends = torch.stack([torch.cat([i, (i + 1) % n]), torch.cat([(i + 1) % n, i])])
    return Data(x=torch.ones(n, 1), edge_index=ends, y=torch.tensor([y]))

train = [cycle(5 + k % 3, k % 2) for k in range(20)]

def fit(*report):
    matcher = GraphMatcher(max_steps=4, evaluate_every=2, hidden_channels=8, num_layers=1)
    SMixup(matcher, partners=2).fit(from_pyg(train).renumbered(), *report)

fit()
"""
SILENT = """
print("from here on nothing", file=sys.stderr, flush=True)
fit(silent)
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(*steps: Progress) -> tuple[str, list[str]]:
    """Return all that a bar writes, and what is left on the screen of it: what follows the last
    return of every line.
    """
    report = TerminalBar()
    with redirect_stderr(Terminal()) as terminal:
        for step in steps:
            report(step)
    text = terminal.getvalue()
    return text, [line.rpartition("\r")[2] for line in text.split("\n")[:-1]]


def test_a_stage_ends_in_one_line() -> None:
    found = {"copies found": 0.75}
    text, lines = shown(
        *(Progress("matcher", done, 3) for done in range(3)), Progress("matcher", 3, 3, found)
    )
    assert "matcher:   0%" in text
    assert "0/3" in text
    (line,) = lines
    assert re.fullmatch(r"matcher: 3 steps, \d+\.\d s, copies found 0\.750", line)


def test_every_stage_has_a_bar_of_its_own() -> None:
    stages = (("matcher", "steps"), ("aligning", "pairs"))
    _, (first, second) = shown(
        *(Progress(stage, done, 7, unit=unit) for stage, unit in stages for done in (0, 7))
    )
    assert first.startswith("matcher: 7 steps, ")
    assert second.startswith("aligning: 7 pairs, ")


def test_a_stage_that_was_broken_off_begins_anew() -> None:
    text, lines = shown(*(Progress("matcher", done, 8) for done in (0, 5, 0, 8)))
    assert text.count("0/8") == 2
    assert [line.startswith("matcher: 8 steps") for line in lines] == [True]


def test_a_stage_may_end_early() -> None:
    _, lines = shown(*(Progress("matcher", *step) for step in ((0, 100), (25, 100), (50, 50))))
    assert [line.startswith("matcher: 50 steps") for line in lines] == [True]


@pytest.mark.parametrize("elsewhere", [io.StringIO(), None])
def test_nothing_where_there_is_no_terminal(elsewhere: io.StringIO | None) -> None:
    report = TerminalBar()
    with redirect_stderr(elsewhere):
        report(Progress("matcher", 0, 1))
        report(Progress("matcher", 1, 1))
    assert elsewhere is None or elsewhere.getvalue() == ""


def on_a_terminal(code: str) -> str:
    """Run Python with standard error on a terminal, and return what was seen there."""
    master, slave = pty.openpty()
    try:
        subprocess.run([sys.executable, "-c", code], stderr=slave, check=True)
        os.set_blocking(master, False)
        try:
            return os.read(master, 2**20).decode()
        except BlockingIOError:
            return ""
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.slow
def test_a_user_sees_what_a_fit_does() -> None:
    seen, mark, silent = on_a_terminal(FIT + SILENT).partition("from here on nothing")
    assert re.search(r"matcher: 4 steps, .* s, .*copies found \d\.\d+", seen)
    assert re.search(r"aligning: 40 pairs, ", seen)
    assert seen.count("matcher: 4 steps") == 1, "a fit within a fit tells once"
    assert mark
    assert silent.strip() == ""
    piped = subprocess.run([sys.executable, "-c", FIT], capture_output=True, check=True)
    assert (piped.stdout, piped.stderr) == (b"", b"")


def test_stages_within_a_part_carry_its_name() -> None:
    told: list[Progress] = []
    within("seed 3", told.append)(Progress("training", 1, 2, {"loss": 0.5}))
    assert told == [Progress("seed 3: training", 1, 2, {"loss": 0.5})]
