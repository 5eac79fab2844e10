"""What a plan could see follows from the graphs that it tests, and from what was seen before."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from statistics import stdev

import numpy as np
import pytest

from smixup.app.evidence.power import Plan, detectable, trainings_needed
from smixup.app.runs.config import configure
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm
from smixup.app.tables.comparison import Difference
from smixup.app.tables.definitions.motif import drawn
from smixup.app.tables.experiment import Changes, Column, Experiment, always
from smixup.app.tables.planned_power import (
    NONE_LEFT,
    NOT_KNOWN,
    OFFICIAL,
    UNLIMITED,
    PlannedPower,
    Seen,
    plan_of,
    planned_power,
)
from smixup.app.tables.protocol import repeated_folds
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope

Keep = Callable[..., str]
FEW = {"split": "few", "train_graphs": 50}
GRAPHS = {"dataset_options": {"num_graphs": 300}}


def of(changes: Callable[[int], Changes], seeds: int, dataset: str = "MOTIF") -> Plan | str:
    return plan_of([configure(dataset, seed=seed, **changes(seed)) for seed in range(seeds)])


@pytest.mark.parametrize(
    ("changes", "seeds", "plan"),
    [
        (always(**GRAPHS), 10, Plan(300, 10, 30)),
        (always(**GRAPHS, split_seed=0), 10, Plan(300, 1, 30, initialisations=10)),
        (always(**GRAPHS, **FEW), 20, Plan(300, 20, 200)),
        (always(**GRAPHS, **FEW, validation_graphs=10), 20, Plan(300, 20, 240)),
        (repeated_folds(10, **GRAPHS), 20, Plan.of_folds(300, 10, repeats=2)),
        (repeated_folds(5, 3, **GRAPHS), 15, Plan.of_folds(300, 5, 1, initialisations=3)),
        (repeated_folds(10, **GRAPHS), 7, Plan(300, 7, 30)),
        (repeated_folds(5, 3, **GRAPHS), 7, Plan(300, 5, 60, 1, folds=5)),
        (drawn(20, 0.0), 10, Plan(UNLIMITED, 10, 150)),
        (drawn(20, 0.0), 1, Plan(1500, 1, 150)),
    ],
)
def test_a_plan_is_read_from_the_configurations(
    changes: Callable[[int], Changes], seeds: int, plan: Plan
) -> None:
    assert of(changes, seeds) == plan


def test_the_folds_of_the_study_are_five_whatever_the_rounds(tmp_path: Path) -> None:
    imdb = Scope(datasets=("IMDB-BINARY",), backbones=("gcn",), methods=("SubMix",))
    (found,) = planned_power(experiment_named("icml2026"), imdb, {}, tmp_path)
    assert (found.runs, found.plan) == (15, Plan.of_folds(1000, 5, 1, initialisations=3))


def test_what_cannot_be_told_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMIXUP_ROOT", str(tmp_path))
    assert of(always(), 3, "ogbg-molhiv") == OFFICIAL
    assert of(always(), 3, "MUTAG") == NOT_KNOWN
    assert of(always(**FEW | {"train_graphs": 150}, **GRAPHS), 3) == NONE_LEFT
    found = PlannedPower("MUTAG", 3, None, NOT_KNOWN)
    assert (found.detectable, found.runs_needed()) == (None, None)


def test_graphs_drawn_anew_leave_no_floor() -> None:
    """With fresh graphs at every seed the variance is (s_g^2 + q) / (T n) + s_t^2 / T."""
    plan = of(drawn(20, 0.0), 10)
    assert isinstance(plan, Plan)
    variance = (0.07**2 + 0.1) / (10 * 150) + 0.015**2 / 10
    assert plan.error()[0] == pytest.approx(math.sqrt(variance), rel=1e-3)
    assert trainings_needed(plan, 0.001) is not None


def columns(*changes: Callable[[int], Changes]) -> Experiment:
    arms = [Arm("Vanilla", "vanilla"), Arm("M-Mixup", "m-mixup"), Arm("SubMix", "submix")]
    named = [Column(f"column {place}", "MOTIF", each) for place, each in enumerate(changes)]
    return Experiment("two", "Two", ("gcn", "gin"), arms, named, seeds=8)


def fill(experiment: Experiment, keep: Keep, scope: Scope) -> dict[tuple[str, str], list[float]]:
    """Keep random scores of a part of an experiment; return those of each cell."""
    random, scores = np.random.default_rng(0), {}
    for cell in experiment.grid(scope):
        found = scores[cell.backbone, cell.row] = list(random.normal(0.8, 0.03, len(cell.configs)))
        for config, test in zip(cell.configs, found, strict=True):
            keep(config, test=float(test))
    return scores


def test_without_runs_noise_is_assumed() -> None:
    first, second = planned_power(columns(always(**GRAPHS), drawn(20, 0.0)), Scope(seeds=5), {})
    plan = Plan(300, 5, 30)
    assert (first.column, first.runs, first.plan, first.seen) == ("column 0", 5, plan, None)
    assert first.detectable == detectable(plan)
    assert first.runs_needed() == trainings_needed(plan, 0.01)
    assert second.column == "column 1"


def test_one_comparison_that_was_run_tells_what_the_table_tells(keep: Keep, store: Store) -> None:
    experiment, part = columns(always(**GRAPHS)), Scope(backbones=("gin",), methods=("SubMix",))
    scores = fill(experiment, keep, part)
    (found,) = planned_power(experiment, Scope(), store.records())
    table = Difference.between(scores["gin", "SubMix"], scores["gin", "Vanilla"])
    assert found.seen is not None
    assert found.seen.pairs == 8
    assert found.detectable == pytest.approx(table.detectable)


def test_rows_and_backbones_are_pooled(keep: Keep, store: Store) -> None:
    experiment = columns(always(**GRAPHS))
    scores = fill(experiment, keep, Scope(seeds=4))
    (found,) = planned_power(experiment, Scope(), store.records())
    differences = [
        np.subtract(scores[backbone, row], scores[backbone, "Vanilla"])
        for backbone in ("gcn", "gin")
        for row in ("M-Mixup", "SubMix")
    ]
    expected = math.sqrt(np.mean([np.var(each, ddof=1) for each in differences]))
    assert found.seen == Seen(pytest.approx(expected), 16)
    assert found.plan is not None
    assert found.plan.splits == 8, "four more are planned"


def test_runs_that_share_a_split_count_as_one(keep: Keep, store: Store) -> None:
    experiment = columns(repeated_folds(4, initialisations=2, **GRAPHS))
    scores = fill(experiment, keep, Scope(backbones=("gcn",), methods=("SubMix",)))
    (found,) = planned_power(experiment, Scope(), store.records())
    pairs = np.subtract(scores["gcn", "SubMix"], scores["gcn", "Vanilla"])
    by_fold = pairs.reshape(2, 4).mean(0)
    assert found.plan == Plan.of_folds(300, 4, 1, initialisations=2)
    assert found.seen == Seen(pytest.approx(stdev(by_fold)), 8)


def test_two_splits_or_equal_scores_tell_no_noise(keep: Keep, store: Store) -> None:
    experiment = columns(always(**GRAPHS))
    fill(experiment, keep, Scope(seeds=2))
    assert planned_power(experiment, Scope(), store.records())[0].seen is None
    for config in experiment.runs(Scope()):
        keep(config, test=0.5)
    assert planned_power(experiment, Scope(), store.records())[0].seen is None


@pytest.mark.parametrize("deviation", [0.0001, 0.01, 0.03, 0.3])
@pytest.mark.parametrize("plan", [Plan(300, 8, 30), Plan.of_folds(300, 10, 1, 2)])
def test_runs_that_are_needed_suffice_and_fewer_do_not(deviation: float, plan: Plan) -> None:
    seen = Seen(deviation, 20)
    needed = PlannedPower("c", 8, plan, seen=seen).runs_needed()
    assert needed is not None
    step = max(plan.folds, 1)
    splits = needed // plan.initialisations
    assert splits % step == 0

    def found(number: int) -> float:
        shorter = Plan(plan.graphs, number, plan.tested, plan.initialisations, plan.folds)
        visible = PlannedPower("c", 8, shorter, seen=seen).detectable
        assert visible is not None
        return visible

    assert found(splits) <= 0.01
    if splits > step:
        assert found(splits - step) > 0.01


def test_too_few_runs_see_nothing() -> None:
    (found,) = planned_power(columns(always(**GRAPHS)), Scope(seeds=2), {})
    assert found.detectable == math.inf
