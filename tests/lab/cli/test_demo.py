"""`smixup demo` from end to end on tiny data."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from smixup.lab.cli.main import app
from smixup.lab.studies import demo
from smixup.progress import Progress, Report

MATCHER = {"matcher.max_steps": 1, "matcher.batch_size": 4, "matcher.num_layers": 1}
QUICK = (*demo.ARMS[:2], demo.Arm("S-Mixup", "s-mixup", MATCHER))
TINY = ["demo", "--seeds", "2", "--epochs", "1", "--graphs", "36", "--out"]


@pytest.mark.slow
def test_a_table_on_stdout_progress_on_stderr_and_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "run_demo", partial(demo.run_demo, arms=QUICK))
    result = CliRunner().invoke(app, [*TINY, str(tmp_path / "out")])
    assert result.exit_code == 0, result.stderr
    for words in ("Vanilla", "Random", "S-Mixup", "reference", "interval"):
        assert words in result.stdout
    assert "training 1/1" in result.stderr
    assert "training" not in result.stdout.replace("training graphs", "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "explore.html",
        "report.html",
    ]
    assert 'href="explore.html"' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_interrupted_demo_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(settings: demo.DemoSettings, report: Report) -> demo.DemoResult:
        def stop(progress: Progress) -> None:
            raise KeyboardInterrupt

        return demo_run(settings, stop, QUICK)

    demo_run = demo.run_demo
    monkeypatch.setattr(demo, "run_demo", stopped)
    result = CliRunner().invoke(app, [*TINY, str(tmp_path / "out")])
    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    assert not (tmp_path / "out").exists()


def test_wrong_values_say_what_is_allowed() -> None:
    result = CliRunner().invoke(app, ["demo", "--seeds", "0"])
    assert (result.exit_code, result.stderr) == (2, "smixup: seeds must be 1 or more, not 0.\n")
