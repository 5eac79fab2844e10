"""What a plan could see, as people read it."""

from __future__ import annotations

import pytest

from smixup.app.cli.power_display import print_power
from smixup.app.evidence.power import Plan
from smixup.app.tables.planned_power import NOT_KNOWN, UNLIMITED, PlannedPower, Seen


def shown(capsys: pytest.CaptureFixture[str], power: PlannedPower) -> str:
    print_power([power])
    return " ".join(capsys.readouterr().out.split())


def test_assumed_noise(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, PlannedPower("PROTEINS-50", 20, Plan(1113, splits=20, tested=1013)))
    assert "1013 of 1113" in text
    assert "1.31" in text
    assert "assumed" in text


def test_noise_that_was_seen_and_new_graphs(capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(UNLIMITED, splits=10, tested=3000)
    text = shown(capsys, PlannedPower("MOTIF", 10, plan, seen=Seen(0.02, 10)))
    assert "3000, new ones" in text
    assert "of 10 pairs" in text


def test_what_cannot_be_told_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, PlannedPower("MINE", 10, None, NOT_KNOWN))
    assert "not told" in text
    assert "--root names the folder" in text


def test_too_few_runs_see_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, PlannedPower("MUTAG", 2, Plan(188, splits=2, tested=88)))
    assert "none" in text
    assert "no number suffices" in text
