"""The demo trains paired arms, as ordinary runs, and says beforehand how many."""

from __future__ import annotations

import shlex

import pytest
from typer.testing import CliRunner

from smixup.app.cli.main import app
from smixup.app.runs.run import run
from smixup.app.studies.demo import ARMS, Compared, DemoSettings, compare_arms
from smixup.app.sweeps.in_process import InProcess
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.tables.arm import Arm
from smixup.errors import SmixupError, UsageError
from smixup.progress import Progress

QUICK = (
    ARMS[0],
    Arm(
        "quick",
        "s-mixup",
        {"matcher.max_steps": 1, "matcher.batch_size": 4, "matcher.num_layers": 1},
    ),
)
SETTINGS = DemoSettings(seeds=2, epochs=2, labels=12, test_graphs=20)


@pytest.fixture(scope="module")
def told() -> list[Progress]:
    return []


@pytest.fixture(scope="module")
def result(told: list[Progress]) -> Compared:
    return compare_arms(SETTINGS, told.append, arms=QUICK)


def test_all_arms_run_at_all_seeds(result: Compared, told: list[Progress]) -> None:
    assert [arm.name for arm in result.arms] == ["Vanilla", "quick"]
    assert [len(arm.runs) for arm in result.arms] == [2, 2]
    assert all(run.epochs == 2 for arm in result.arms for run in arm.runs)
    assert result.difference(result.arms[0]).mean == 0
    assert [(each.done, each.total) for each in told] == [(n, 4) for n in range(5)]


def test_a_run_of_the_demo_is_an_ordinary_run(result: Compared) -> None:
    again = run(SETTINGS.config(QUICK[1], 1))
    assert again.test == result.arms[1].runs[1].test
    assert again.curves["train_loss"] == result.arms[1].runs[1].curves["train_loss"]


def test_seeds_have_graphs_of_their_own(result: Compared) -> None:
    one, two = (SETTINGS.config(ARMS[0], seed).dataset_options for seed in (0, 1))
    assert one != two
    first, second = result.arms[0].runs
    assert first.curves["train_loss"] != second.curves["train_loss"]


def test_methods_are_compared_with_each_other_too(result: Compared) -> None:
    vanilla, quick = result.arms
    there, back = result.difference(quick), result.difference(vanilla, quick)
    assert there.mean == pytest.approx(-back.mean)


def test_a_run_that_fails_is_named() -> None:
    broken = InProcess(lambda job: Outcome(job.id, error="out of luck."))
    with pytest.raises(SmixupError, match="Vanilla failed at seed 0: out of luck"):
        compare_arms(SETTINGS, engine=broken, arms=QUICK)


def test_the_plan_grows_with_the_work() -> None:
    seconds = SETTINGS.seconds()
    assert DemoSettings(seeds=4, epochs=2, labels=12).seconds() == pytest.approx(2 * seconds)
    assert DemoSettings(seeds=2, epochs=20, labels=12).seconds() > seconds
    assert DemoSettings(seeds=2, epochs=2, labels=100).seconds() > seconds


def test_the_control_differs_in_its_alignment_alone() -> None:
    control, ours = (DemoSettings().config(arm, 0).to_dict() for arm in ARMS[1:])
    assert {name for name in ours if ours[name] != control[name]} == {"method_settings"}
    assert control["method_settings"] == {"matcher": "random-order", "matcher.partial": True}
    assert Job.of(DemoSettings().config(ARMS[0], 0)).workspace is None


@pytest.mark.parametrize("arm", ARMS)
def test_commands_are_understood(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def fake(dataset: object, config: object, *others: object, **more: object) -> object:
        seen.append(config)
        raise UsageError("stop here")

    monkeypatch.setattr("smixup.app.runs.model.train_on", fake)
    done = CliRunner().invoke(app, shlex.split(SETTINGS.command(arm, 1))[1:])
    assert "stop here" in done.stderr
    assert seen == [SETTINGS.config(arm, 1)]


def test_too_little_is_an_error() -> None:
    with pytest.raises(UsageError, match="seeds must be 1 or more"):
        DemoSettings(seeds=0)
    with pytest.raises(UsageError, match="labels must be 6 or more"):
        DemoSettings(labels=3)
