"""A sweep tells on standard error how far it is: a live table on a terminal, some lines
elsewhere.
"""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from smixup.app.cli import sweep_display as module
from smixup.app.cli.sweep_display import LINES, SweepDisplay, duration, summary
from smixup.app.runs.config import configure
from smixup.app.sweeps.driver import SweepStatus
from smixup.app.sweeps.job import Job, Outcome


def job(seed: int = 0) -> Job:
    return Job(f"run-{seed}", configure("MOTIF", "gin", "vanilla", seed).to_dict())


@pytest.mark.parametrize(
    ("seconds", "workers", "words"),
    [
        (None, 2, "?"),
        (0.0, 1, "0 s"),
        (59.4, 1, "59 s"),
        (59.6, 1, "1 min 00 s"),
        (125.0, 1, "2 min 05 s"),
        (7200.0, 2, "1 h 00 min"),
        (3599.7, 1, "1 h 00 min"),
        (3600.0 * 1234 + 61, 1, "1,234 h 01 min"),
    ],
)
def test_durations_as_people_say_them(seconds: float | None, workers: int, words: str) -> None:
    assert duration(seconds, workers) == words


def test_one_line_says_where_it_stands() -> None:
    status = SweepStatus(5, 2, {"a": job()}, [Outcome("b", error="no")])
    assert summary(status) == "2 of 5 done, 1 running, 1 failed"
    status.seconds_left = 61.0
    assert summary(status) == "2 of 5 done, 1 running, 1 failed, 1 min 01 s left"


def go(display: SweepDisplay, total: int, failing: tuple[int, ...] = ()) -> None:
    """Do all jobs one after the other."""
    status = SweepStatus(total, watch=display)
    for seed in range(total):
        status.start(job(seed))
        status.end(Outcome(f"run-{seed}", error="no memory" if seed in failing else None))


def test_a_log_has_a_line_for_each_of_few_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with SweepDisplay() as display:
        go(display, 3)
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(",")[0] for line in err.splitlines()] == [
        f"{done} of 3 done" for done in range(4)
    ]


def test_a_log_of_many_runs_is_short_and_ends_with_the_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with SweepDisplay() as display:
        go(display, 1000)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) <= LINES + 2
    assert lines[-1] == "1000 of 1000 done, 0 running, 0 failed"


def test_every_failure_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with SweepDisplay() as display:
        go(display, 1000, failing=(3, 4, 5))
    err = capsys.readouterr().err
    assert all(f"{number} failed" in err for number in (1, 2, 3))


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal."""
    found = io.StringIO()
    monkeypatch.setattr(
        module, "Console", lambda stderr: Console(file=found, force_terminal=True, width=100)
    )
    return found


def test_a_terminal_gets_a_live_table(screen: io.StringIO) -> None:
    with SweepDisplay() as display:
        assert display.live is not None
        status = SweepStatus(5, 1, watch=display)
        status.start(job(3))
        status.start(job(4))
        display.live.refresh()
    shown = screen.getvalue()
    for words in (
        "MOTIF, gin, vanilla",
        "1 of 5 done, 2 running, 0 failed",
        "running",
        "since",
        " 3 ",
        " 4 ",
    ):
        assert words in shown
    assert not display.live.is_started


def test_errors_are_shown_as_they_are(screen: io.StringIO) -> None:
    with SweepDisplay() as display:
        assert display.live is not None
        status = SweepStatus(2, watch=display)
        status.start(job())
        status.end(Outcome("run-0", error="cannot read [/data/x] as [red] text"))
        display.live.refresh()
    assert "failed: cannot read [/data/x] as [red] text" in screen.getvalue()


def test_the_table_goes_whatever_happens(screen: io.StringIO) -> None:
    display = SweepDisplay()
    with pytest.raises(KeyboardInterrupt), display:
        raise KeyboardInterrupt
    assert display.live is not None
    assert not display.live.is_started
