"""Foreign text is short and obeys nobody; warnings name the line of the user; signals interrupt."""

from __future__ import annotations

import os
import signal
import sys
import tomllib
import warnings
from pathlib import Path
from threading import Thread

import pytest
import torch
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from rings import rings
from tiny_methods import matcher

from smixup import SMixup
from smixup.errors import NAME, SENTENCE, SmixupError, plainly, shown
from smixup.progress import ENDS, termination_as_interrupt

ROOT = Path(__file__).parents[1]


def test_every_error_is_one_short_line_that_can_be_printed() -> None:
    for text, expected in (
        ("größe 図.csv", "größe 図.csv"),
        ("a\x1b[31mb\x07", r"a\x1b[31mb\x07"),
        ("two\nlines\r\t", r"two\nlines\r\t"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("\ud800a\u2028b", r"\ud800a\u2028b"),
        (7, "7"),
    ):
        assert shown(text) == expected
    long = shown("begin" + "x" * 6000 + "end")
    assert len(long) == NAME and long.startswith("begin") and long.endswith("xend")
    text = str(SmixupError("no file '\x1b[2J" + "n" * 9000 + "\n'."))
    assert text.isprintable() and len(text) <= SENTENCE and text.startswith(r"no file '\x1b[2Jnnn")


@pytest.mark.parametrize("whole", [True, False], ids=["method", "matcher"])
def test_warnings_name_the_line_of_the_user(whole: bool) -> None:
    fitted = SMixup(matcher()) if whole else matcher()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted.fit(rings(20, lambda i: {"y": torch.tensor([i])}))
    ours = [each for each in caught if "make them float" in str(each.message)]
    assert ours and {each.filename for each in ours} == {__file__}
    assert plainly("take care.", UserWarning, "a.py", 7) == "take care.\n"
    assert plainly("old.", DeprecationWarning, "a.py", 7).startswith("a.py:7: DeprecationWarning")


@pytest.mark.skipif(sys.platform == "win32", reason="knows no SIGHUP")
def test_signals_interrupt_and_the_old_handler_returns() -> None:
    for end in ENDS:
        before = signal.getsignal(end)
        with pytest.raises(KeyboardInterrupt), termination_as_interrupt():
            os.kill(os.getpid(), end)
        assert signal.getsignal(end) is before
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # under nohup
    try:
        with termination_as_interrupt():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    done: list[bool] = []

    def work() -> None:
        with termination_as_interrupt():
            done.append(True)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done, "threads may train, too"


def test_the_lowest_versions_that_are_stated_are_those_that_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    stated = {
        canonicalize_name(each.name): Version(str(each.specifier).removeprefix(">="))
        for each in map(Requirement, [*project["dependencies"], *extras])
    }
    pins = []
    for file in ("constraints-lowest.txt", "constraints.txt"):
        lines = (ROOT / file).read_text().splitlines()
        pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
        pins.append({canonicalize_name(name): Version(version) for name, version in pairs})
    lowest, newest = pins
    assert {name: lowest.get(name) for name in stated} == stated
    assert all(newest[name] >= version for name, version in stated.items())
