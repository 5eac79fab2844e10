"""Runs in sequence: paired, kept, stopped when decided, when there are enough, or in time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from app.studies.pretended_runs import DATA, GRAPHS, Pretended

from smixup.app.evidence.decision import Answer
from smixup.app.studies.compare_settings import VANILLA, CompareSettings, arm_named
from smixup.app.studies.paired_runs import DECIDED, ENOUGH, OUT_OF_TIME, PairedRuns
from smixup.app.studies.running_pairs import run_pairs
from smixup.app.sweeps.in_process import InProcess
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm
from smixup.errors import SmixupError, UsageError
from smixup.interrupt import Interrupted

EQUAL = {"vanilla": 0.5, "s-mixup": 0.5, "drop-edge": 0.5, "random-order": 0.5}
BETTER = EQUAL | {"s-mixup": 0.95}


def settings(*methods: str, control: bool = False, **changes: Any) -> CompareSettings:
    shared: dict[str, Any] = {"dataset_options": DATA, "control": control}
    return CompareSettings("MOTIF", methods or ("s-mixup",), **shared, **changes)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "compare.db")


def run(asked: CompareSettings, store: Store, pretended: Pretended, **others: Any) -> PairedRuns:
    return run_pairs(asked, store, InProcess(pretended), **others)


def test_a_method_that_helps_is_run_until_that_is_clear(store: Store) -> None:
    pretended = Pretended(BETTER)
    found = run(settings(), store, pretended)
    judged = found.score(arm_named("s-mixup"))
    assert judged is not None
    assert (judged.decision.answer, found.stopped) == (Answer.HELPS, DECIDED)
    assert judged.by_graph
    number = judged.decision.bounds.runs
    assert number < 30
    assert pretended.done == [
        (name, seed) for seed in range(number) for name in ("vanilla", "s-mixup")
    ]


def test_every_graph_is_tested_once_in_ten_runs_and_methods_share_the_split() -> None:
    asked = settings("s-mixup", "random-alignment", "drop-edge")
    for seed in range(20):
        configs = [asked.config(arm, seed) for arm in (VANILLA, *asked.arms)]
        places = {(each.seed, each.fold, each.split_seed, each.split) for each in configs}
        assert places == {(seed, seed % 10, seed // 10, "fold")}


def test_a_method_that_is_decided_waits_for_nobody(store: Store) -> None:
    pretended = Pretended(BETTER)
    found = run(settings("s-mixup", "drop-edge", seeds=15), store, pretended)
    pairs = {arm.name: found.pairs(arm) for arm in found.methods}
    assert (pairs["s-mixup"], pairs["drop-edge"], found.stopped) == (10, 15, ENOUGH)
    assert ("s-mixup", 10) not in pretended.done


def test_the_control_is_run_where_s_mixup_helps_and_on_its_seeds(store: Store) -> None:
    pretended = Pretended(BETTER)
    found = run(settings(control=True), store, pretended)
    number = found.pairs(arm_named("s-mixup"))
    assert pretended.done[: 2 * number] == [
        (name, seed) for seed in range(number) for name in ("vanilla", "s-mixup")
    ]
    assert pretended.done[2 * number :] == [("random-order", seed) for seed in range(number)]
    asked = found.alignment()
    assert asked is not None
    assert (asked.decision.answer, found.stopped) == (Answer.HELPS, DECIDED)
    again = Pretended(BETTER)
    assert run(settings(control=True), store, again).alignment() is not None
    assert again.done == []


@pytest.mark.parametrize(
    ("right", "asked"),
    [(EQUAL, {}), (BETTER, {"control": False}), (EQUAL | {"drop-edge": 0.95}, {})],
)
def test_the_control_is_not_run_without_need(
    store: Store, right: dict[str, float], asked: dict[str, bool]
) -> None:
    pretended = Pretended(right)
    methods = settings("drop-edge", "s-mixup", seeds=15, **{"control": True, **asked})
    assert run(methods, store, pretended).alignment() is None
    assert "random-order" not in {name for name, _ in pretended.done}


def test_a_control_that_is_a_method_is_compared_from_the_start(store: Store) -> None:
    pretended = Pretended(BETTER)
    found = run(settings("s-mixup", "random-alignment", control=True, seeds=10), store, pretended)
    assert pretended.done[:3] == [("vanilla", 0), ("s-mixup", 0), ("random-order", 0)]
    assert found.control is None
    assert found.alignment() is not None


def test_a_control_that_fails_takes_nothing_from_the_verdict(store: Store) -> None:
    pretended = Pretended(BETTER, errors={"random-order": "no luck."})
    found = run(settings(control=True), store, pretended)
    assert found.failed == {"random-alignment": "no luck."}
    assert found.stopped == DECIDED
    assert pretended.done.count(("random-order", 0)) == 1


def test_a_control_that_does_not_fit_into_the_budget_is_left_out(store: Store) -> None:
    """Ten pairs of 40 s decide; of the control's runs, expected to take 30 s like S-Mixup's, one
    fits into what is left.
    """
    now = [0.0]
    pretended = Pretended(BETTER, {"vanilla": 9.5, "s-mixup": 29.5, "random-order": 29.5})

    def work(job: Job) -> Outcome:
        outcome = pretended(job)
        now[0] += outcome.seconds
        return outcome

    asked = settings(control=True, budget=445.0)
    found = run_pairs(asked, store, InProcess(work), clock=lambda: now[0])
    assert (found.pairs(arm_named("s-mixup")), found.stopped) == (10, OUT_OF_TIME)
    assert pretended.done[20:] == [("random-order", 0)]


def test_a_second_call_goes_on_from_the_first(store: Store) -> None:
    run(settings(seeds=4), store, Pretended(EQUAL))
    again = Pretended(EQUAL)
    found = run(settings(seeds=6), store, again)
    assert again.done == [(name, seed) for seed in (4, 5) for name in ("vanilla", "s-mixup")]
    fresh = run(settings(seeds=6), Store(store.path.with_name("new.db")), Pretended(EQUAL))
    arm = arm_named("s-mixup")
    ours, theirs = found.score(arm), fresh.score(arm)
    assert ours is not None and theirs is not None
    assert ours.decision == theirs.decision
    assert found.runs[arm.name][0].result.curves == fresh.runs[arm.name][0].result.curves


def test_what_is_in_the_store_is_enough(store: Store) -> None:
    run(settings(), store, Pretended(BETTER))
    again = Pretended(BETTER)
    assert run(settings(), store, again).stopped == DECIDED
    assert again.done == []


def test_nothing_is_begun_that_would_not_fit_into_the_budget(store: Store) -> None:
    """A run of Vanilla takes 10 s, one of the method 30 s: two pairs fit into 100 s, not three; and
    two more into another 100 s.
    """
    now = [0.0]
    pretended = Pretended(EQUAL, {"vanilla": 9.5, "s-mixup": 29.5})

    def work(job: Job) -> Outcome:
        outcome = pretended(job)
        now[0] += outcome.seconds
        return outcome

    for pairs in (2, 4):
        engine, begun = InProcess(work), now[0]
        found = run_pairs(settings(budget=100.0), store, engine, clock=lambda: now[0])
        assert (found.stopped, found.pairs(found.methods[0])) == (OUT_OF_TIME, pairs)
        assert now[0] - begun == found.spent == 80.0


def test_a_method_that_fails_is_left_out_with_its_reason(store: Store) -> None:
    pretended = Pretended(EQUAL, errors={"drop-edge": "no edges to drop."})
    found = run(settings("drop-edge", "s-mixup", seeds=3), store, pretended)
    assert found.failed == {"drop-edge": "no edges to drop."}
    assert [found.pairs(arm) for arm in found.methods] == [0, 3]
    assert pretended.done.count(("drop-edge", 0)) == 1
    assert ("drop-edge", 1) not in pretended.done


@pytest.mark.parametrize("name", ["vanilla", "s-mixup"])
def test_if_nothing_is_left_to_compare_it_is_an_error(store: Store, name: str) -> None:
    with pytest.raises(SmixupError, match=f"{name} cannot be run on MOTIF: out of luck"):
        run(settings(), store, Pretended(EQUAL, errors={name: "out of luck."}))


def test_scores_without_predictions_are_compared_run_by_run(store: Store) -> None:
    found = run(settings(seeds=10), store, Pretended(EQUAL, metric="rocauc"))
    judged, loss = found.score(found.methods[0]), found.log_loss(found.methods[0])
    assert judged is not None and loss is not None
    assert not judged.by_graph and not loss.by_graph


def test_an_error_has_no_log_loss(store: Store) -> None:
    found = run(settings(seeds=2), store, Pretended(EQUAL, metric="mae"))
    assert found.log_loss(found.methods[0]) is None


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Interrupted])
def test_who_stops_it_is_told_how_to_go_on(store: Store, kind: type[BaseException]) -> None:
    """Also if the run at work was the one to notice, which speaks of its own checkpoint."""

    def work(job: Job) -> Outcome:
        raise kind("after epoch 20: repeat with --resume.")

    with pytest.raises(Interrupted, match=r"are in .*compare\.db: repeat the command to go on\."):
        run_pairs(settings(), store, InProcess(work))


def test_two_names_of_the_same_runs_are_refused(store: Store) -> None:
    asked = replace(settings(), methods=("drop-edge", Arm("again", "drop-edge")))
    with pytest.raises(UsageError, match="again and drop-edge are the same runs"):
        run(asked, store, Pretended(EQUAL))


def test_what_is_known_of_the_data(store: Store) -> None:
    facts = run(settings(seeds=1), store, Pretended(EQUAL)).facts
    assert (facts.name, facts.graphs, facts.classes, facts.metric) == (
        "MOTIF",
        GRAPHS,
        3,
        "accuracy",
    )
    assert facts.test_over_train == pytest.approx(1 / 8)
