"""The demo trains paired arms and keeps what its page shows."""

from __future__ import annotations

import shlex

import pytest
from typer.testing import CliRunner

from smixup.datasets import load_dataset
from smixup.errors import UsageError
from smixup.lab.cli.main import app
from smixup.lab.runs.run import run
from smixup.lab.studies.demo import ARMS, DemoResult, DemoSettings, example, run_demo
from smixup.lab.tables.arm import Arm
from smixup.matching import Uniform
from smixup.progress import Progress

QUICK = (
    ARMS[0],
    Arm(
        "quick",
        "s-mixup",
        {"matcher.max_steps": 1, "matcher.batch_size": 4, "matcher.num_layers": 1},
    ),
)
SETTINGS = DemoSettings(seeds=2, epochs=2, num_graphs=36, quality_pairs=8)


@pytest.fixture(scope="module")
def result() -> DemoResult:
    return run_demo(SETTINGS, arms=QUICK)


def test_all_arms_run_at_all_seeds(result: DemoResult) -> None:
    assert [arm.name for arm in result.arms] == ["Vanilla", "quick"]
    assert [len(arm.histories) for arm in result.arms] == [2, 2]
    assert all(history.epochs == 2 for arm in result.arms for history in arm.histories)
    assert set(result.quality) == {"learned", "random order", "uniform"}
    assert result.difference(result.arms[0]).mean == 0


def test_a_run_of_the_demo_is_an_ordinary_run(result: DemoResult) -> None:
    config = SETTINGS.config(QUICK[1], 1)
    assert run(config).curves == result.arms[1].histories[1].curves


def test_seeds_have_graphs_of_their_own(result: DemoResult) -> None:
    one, two = (SETTINGS.config(ARMS[0], seed).dataset_options for seed in (0, 1))
    assert one != two
    assert result.arms[0].histories[0].curves != result.arms[0].histories[1].curves


def test_examples_are_one_pair_alike_and_one_not(result: DemoResult) -> None:
    alike, different = result.examples
    assert alike.left.y.equal(alike.right.y)
    assert not different.left.y.equal(different.right.y)
    same = load_dataset("MOTIF", num_graphs=12).graphs
    with pytest.raises(UsageError, match="no pair"):
        example(Uniform(), same[(same.labels == 0).nonzero().squeeze(1)], alike=False)


def test_stages_are_named_by_arm_and_seed() -> None:
    stages: list[Progress] = []
    run_demo(DemoSettings(seeds=1, epochs=1, num_graphs=36, quality_pairs=4), stages.append, QUICK)
    assert {"Vanilla, seed 0: training", "quick, seed 0: training"} <= {
        progress.stage for progress in stages
    }


@pytest.mark.parametrize("arm", ARMS)
def test_commands_are_understood(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def fake(dataset: object, config: object, *others: object, **more: object) -> object:
        seen.append(config)
        raise UsageError("stop here")

    monkeypatch.setattr("smixup.lab.runs.run.train_on", fake)
    done = CliRunner().invoke(app, shlex.split(SETTINGS.command(arm, 1))[1:])
    assert "stop here" in done.stderr
    assert seen == [SETTINGS.config(arm, 1)]


def test_too_little_is_an_error() -> None:
    with pytest.raises(UsageError, match="seeds must be 1 or more"):
        DemoSettings(seeds=0)
    with pytest.raises(UsageError, match="graphs must be 18 or more"):
        DemoSettings(num_graphs=10)
