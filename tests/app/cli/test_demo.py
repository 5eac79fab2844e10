"""`smixup demo` from end to end on tiny data."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from documented import understood
from typer.testing import CliRunner

from smixup.app.cli import demo as verb
from smixup.app.cli.main import app
from smixup.app.studies import case_study as facts
from smixup.app.studies import demo
from smixup.app.studies.case_study import CaseStudy

MATCHER = {"matcher.max_steps": 1, "matcher.batch_size": 4, "matcher.num_layers": 1}
QUICK = (*demo.ARMS[:2], demo.Arm("S-Mixup", "s-mixup", MATCHER))
TINY = ["demo", "--seeds", "2", "--epochs", "1", "--labels", "12", "--pairs", "4"]
TINY += ["--workers", "1", "--out"]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "PAPER_STEPS", 1)
    monkeypatch.setattr(demo, "compare_arms", partial(demo.compare_arms, arms=QUICK))


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_plan_facts_explorer_comparison_and_the_next_command(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(app, [*TINY, str(out)])
    assert result.exit_code == 0, result.stderr
    told = result.stdout
    parts = ["Three things, about", "1. Share of the motif kept", "2. Pairs to mix by hand"]
    parts += ["3. MOTIF, 12 labels, GCN, n = 2", "Next, your own data:"]
    places = [told.index(words) for words in parts]
    assert places == sorted(places)
    for words in ("random order", "uniform", "cosine", "S-Mixup", "Vanilla", "reference"):
        assert words in told
    assert told.splitlines()[-1].strip() == verb.NEXT
    assert "left: paired runs" in result.stderr
    assert sorted(path.name for path in out.iterdir()) == ["explore.html", "report.html"]
    assert 'href="explore.html"' in (out / "report.html").read_text(encoding="utf-8")


def test_an_interrupted_demo_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: object, **named: object) -> CaseStudy:
        raise KeyboardInterrupt

    monkeypatch.setattr(facts, "case_study", stopped)
    result = CliRunner().invoke(app, [*TINY, str(tmp_path / "out")])
    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    assert not (tmp_path / "out").exists()


def test_the_next_command_is_understood() -> None:
    understood(verb.NEXT)


def test_wrong_values_say_what_is_allowed() -> None:
    result = CliRunner().invoke(app, ["demo", "--seeds", "0"])
    assert (result.exit_code, result.stderr) == (2, "smixup: seeds must be 1 or more, not 0.\n")
