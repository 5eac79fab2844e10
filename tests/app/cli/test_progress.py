"""Progress is a bar on a terminal, and few lines elsewhere; never on standard output."""

from __future__ import annotations

import io
import pickle

import pytest
from rich.console import Console
from rich.text import Text

from smixup.app.cli import progress as module
from smixup.app.cli.progress import LiveBar, PlainLines, ProgressDisplay, fitting
from smixup.progress import Progress


def test_plain_lines_are_few_and_end_with_the_last_step(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay() as report:
        for done in range(1, 502):
            report(Progress("training", done, 501, {"loss": 1 / done}))
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert len(lines) == 10
    assert lines[-1] == "training 501/501  loss 0.0020"


def test_the_first_line_comes_before_the_first_step(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay() as report:
        assert capsys.readouterr().err == "", "wrong use is answered with one line"
        report(Progress("matcher", 0, 120))
        assert capsys.readouterr().err == "matcher 0/120\n"
        report(Progress("matcher", 1, 120))
        assert capsys.readouterr().err == ""


def test_stages_that_report_now_and_then_are_shown_too(capsys: pytest.CaptureFixture[str]) -> None:
    report = PlainLines()
    for _ in range(2):
        for done in (25, 50, 200):
            report(Progress("matcher", done, 200))
    assert (
        capsys.readouterr().err.split()
        == ["matcher", "25/200", "matcher", "50/200", "matcher", "200/200"] * 2
    )


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        module, "console", lambda: Console(file=screen, force_terminal=True, width=100)
    )
    with ProgressDisplay() as report:
        assert isinstance(report.shown, LiveBar)
        assert report.shown.status is not None, "something is seen at once"
        for stage in ("matching", "training"):
            report(Progress(stage, 1, 2))
            assert report.shown.bar is not None
            assert report.shown.status is None
            report(Progress(stage, 2, 2, {"loss": 0.5}))
            assert report.shown.bar is None, "a finished stage leaves nothing running"
        report(Progress("again", 1, 2))
    assert report.shown.bar is None, "an interrupted stage neither"
    assert "matching" in screen.getvalue()
    assert "loss 0.5000" in screen.getvalue()


@pytest.mark.parametrize("kind", [LiveBar, PlainLines])
def test_an_idle_display_can_go_to_another_process(kind: type[LiveBar] | type[PlainLines]) -> None:
    assert isinstance(pickle.loads(pickle.dumps(kind())), kind)


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    token = module.quiet.set(True)
    try:
        with ProgressDisplay() as report:
            report(Progress("matcher", 0, 120))
            report(Progress("matcher", 120, 120))
    finally:
        module.quiet.reset(token)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_count_and_time_left_are_never_cut(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        module, "console", lambda: Console(file=screen, force_terminal=True, width=width)
    )
    metrics = {"triplet accuracy": 0.9, "copies found": 0.5, "loss": 1.0}
    with ProgressDisplay() as report:
        for done in (0, 60, 120):
            report(Progress("S-Mixup, seed 10: matcher", done, 120, metrics))
    lines = Text.from_ansi(screen.getvalue().replace("\r", "\n")).plain.splitlines()
    shown = [line.rstrip() for line in lines if "120/120" in line]
    assert shown and all("0:00:00" in line and len(line) <= width for line in shown)
    assert all(("triplet accuracy 0.9000" in line) == (width == 120) for line in shown)
    assert not any("…" in line for line in lines)


def test_metrics_that_do_not_fit_are_left_out_whole() -> None:
    metrics = {"loss": 0.5, "accuracy": 0.25}
    assert fitting(metrics, 100) == "loss 0.5000  accuracy 0.2500"
    assert fitting(metrics, 20) == "loss 0.5000"
    assert fitting(metrics, 3) == ""
