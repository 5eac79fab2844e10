"""One bar over several parts tells how much is done and how long the rest takes."""

from __future__ import annotations

import io
from itertools import count

import pytest
from rich.console import Console
from rich.text import Text

from smixup.app.cli import progress
from smixup.app.cli.overall import OverallProgress
from smixup.progress import Progress

PARTS = {"matcher": 10.0, "paired runs": 30.0}


def test_parts_are_weighed_by_their_time(capsys: pytest.CaptureFixture[str]) -> None:
    with OverallProgress(PARTS) as report:
        report(Progress("matcher", 5, 10))
        assert report.share == pytest.approx(5 / 40)
        report(Progress("no part", 1, 1))
        assert report.share == pytest.approx(5 / 40)
        report(Progress("paired runs", 15, 30))
        assert report.share == pytest.approx(25 / 40)
        report(Progress("paired runs", 16, 30))
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2] for line in lines] == [
        "matcher 5 of 10",
        "paired runs 15 of 30",
    ]


def test_the_rest_is_judged_by_what_was_done() -> None:
    clock = count(0.0, 20.0)
    report = OverallProgress(PARTS, lambda: next(clock))
    assert report.seconds_left == 40, "as expected, before anything is known"
    report.share = 0.25
    assert report.seconds_left == pytest.approx(20 * 3)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_neither_count_nor_time_is_cut(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        progress, "console", lambda: Console(file=screen, force_terminal=True, width=width)
    )
    with OverallProgress({"the paper's: matcher": 10, "paired runs": 130}) as report:
        report(Progress("the paper's: matcher", 0, 80))
        with report.aside():
            assert report.bar is None
        report(Progress("paired runs", 0, 30))
    lines = Text.from_ansi(screen.getvalue().replace("\r", "\n")).plain.splitlines()
    for words in ("the paper's: matcher 0 of 80", "0 %, about 2 min 20 s left"):
        assert any(words in line and len(line.rstrip()) <= width for line in lines), lines
    assert any("━" in line for line in lines) == (width >= 80)


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    token = progress.quiet.set(True)
    try:
        with OverallProgress(PARTS) as report:
            report(Progress("matcher", 5, 10))
    finally:
        progress.quiet.reset(token)
    assert capsys.readouterr() == ("", "")
