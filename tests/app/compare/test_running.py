"""Runs in sequence: paired, kept, stopped when decided, when there are enough, or in time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from app.compare.pretended import BETTER, EQUAL, Pretended, asked, run

from smixup.app.compare import pairs as running
from smixup.app.compare.evidence import Answer
from smixup.app.compare.pairs import DECIDED, ENOUGH, OUT_OF_TIME, DataFacts, PairedRuns, run_pairs
from smixup.app.compare.settings import Arm, CompareSettings, arm_named
from smixup.app.workers import Job, Outcome
from smixup.errors import Interrupted, SmixupError, UsageError

SMIXUP = arm_named("s-mixup")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "compare.db"


def both(seeds: Iterable[int]) -> list[tuple[str, int]]:
    return [(name, seed) for seed in seeds for name in ("vanilla", "s-mixup")]


def test_a_method_that_helps_is_run_until_that_is_clear(store: Path) -> None:
    pretended = Pretended(BETTER)
    found = run(asked(), store, pretended)
    verdict = found.verdict(SMIXUP)
    assert verdict is not None and verdict.by_graph
    assert (verdict.answer, found.stopped) == (Answer.HELPS, DECIDED)
    assert verdict.runs < 30
    assert pretended.done == both(range(verdict.runs))
    again = Pretended(BETTER)
    assert run(asked(), store, again).stopped == DECIDED
    assert again.done == [], "what is in the store is enough"


def test_the_control_is_run_where_s_mixup_helps_and_on_its_seeds(store: Path) -> None:
    pretended = Pretended(BETTER)
    found = run(asked(control=True), store, pretended)
    number = found.pairs(SMIXUP)
    controls = [("random-order", seed) for seed in range(number)]
    assert pretended.done == both(range(number)) + controls
    alignment = found.alignment()
    assert alignment is not None
    assert (alignment.answer, found.stopped) == (Answer.HELPS, DECIDED)
    again = Pretended(BETTER)
    assert run(asked(control=True), store, again).alignment() is not None
    assert again.done == []


@pytest.mark.parametrize(("right", "control"), [(EQUAL, True), (BETTER, False)])
def test_the_control_is_not_run_without_need(
    store: Path, right: dict[str, float], control: bool
) -> None:
    """And a method that is decided waits for nobody."""
    pretended = Pretended(right)
    found = run(asked("drop-edge", "s-mixup", seeds=15, control=control), store, pretended)
    assert found.alignment() is None
    assert "random-order" not in {name for name, _ in pretended.done}
    pairs = [found.pairs(arm) for arm in found.methods]
    assert (pairs, found.stopped) == ([15, 10 if right is BETTER else 15], ENOUGH)


def test_a_control_may_be_a_method_and_takes_nothing_if_it_fails(store: Path) -> None:
    pretended = Pretended(BETTER)
    found = run(asked("s-mixup", "random-alignment", control=True, seeds=10), store, pretended)
    assert pretended.done[:3] == [("vanilla", 0), ("s-mixup", 0), ("random-order", 0)]
    assert found.control is None and found.alignment() is not None
    pretended = Pretended(BETTER, errors={"random-order": "no luck."})
    found = run(asked(control=True), store.with_name("other.db"), pretended)
    assert (found.failed, found.stopped) == ({"random-alignment": "no luck."}, DECIDED)
    assert pretended.done.count(("random-order", 0)) == 1
    settings = replace(asked(), methods=("drop-edge", Arm("again", "drop-edge")))
    with pytest.raises(UsageError, match="again and drop-edge are the same runs"):
        run(settings, store, Pretended())


def test_a_control_that_does_not_fit_into_the_budget_is_left_out(store: Path) -> None:
    """Ten pairs of 40 s decide; of the control's runs, expected to take 30 s like S-Mixup's, one
    fits into what is left.
    """
    pretended = Pretended(BETTER, {"vanilla": 9.5, "s-mixup": 29.5, "random-order": 29.5})
    found = run(asked(control=True, budget=445.0), store, pretended)
    assert (found.pairs(SMIXUP), found.stopped) == (10, OUT_OF_TIME)
    assert pretended.done[20:] == [("random-order", 0)]


def test_nothing_is_begun_that_would_not_fit_into_the_budget(store: Path) -> None:
    """A run of Vanilla takes 10 s, one of the method 30 s: two pairs fit into 100 s, not three; and
    two more into another 100 s.
    """
    pretended = Pretended(EQUAL, {"vanilla": 9.5, "s-mixup": 29.5})
    for pairs in (2, 4):
        found = run(asked(budget=100.0), store, pretended)
        assert (found.stopped, found.pairs(SMIXUP)) == (OUT_OF_TIME, pairs)
        assert found.elapsed() == 80.0


def test_a_method_that_fails_is_left_out_with_its_reason(store: Path) -> None:
    pretended = Pretended(errors={"drop-edge": "no edges to drop."})
    found = run(asked("drop-edge", "s-mixup", seeds=3), store, pretended)
    assert found.failed == {"drop-edge": "no edges to drop."}
    assert [found.pairs(arm) for arm in found.methods] == [0, 3]
    assert [place for place in pretended.done if place[0] == "drop-edge"] == [("drop-edge", 0)]
    for name in ("vanilla", "s-mixup"):
        with pytest.raises(SmixupError, match=f"{name} cannot be run on MOTIF: out of luck"):
            run(asked(), store.with_name(name), Pretended(errors={name: "out of luck."}))


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Interrupted])
def test_who_stops_it_is_told_how_to_go_on(store: Path, kind: type[BaseException]) -> None:
    """Also if the run at work was the one to notice, which speaks of its own checkpoint."""

    class Stopped(Pretended):
        def outcome(self, job: Job) -> Outcome:
            raise kind("after epoch 20: repeat with --resume.")

    with pytest.raises(Interrupted, match=r"are in .*compare\.db: repeat the command to go on\."):
        run(asked(), store, Stopped())


def test_several_workers_take_what_is_next_as_they_are_free(store: Path) -> None:
    """Two at once, which end in turns out of order; what is decided is not begun any more."""
    pretended = Pretended(BETTER)

    def two_at_once(jobs: Iterable[Job], workers: int, **others: Any) -> Any:
        running_jobs, coming = list[Job](), iter(jobs)
        while True:
            while len(running_jobs) < 2 and (job := next(coming, None)) is not None:
                running_jobs.append(job)
            if not running_jobs:
                return
            yield pretended.outcome(running_jobs.pop(-(len(pretended.done) % 2)))

    with patch.object(running, "run_jobs", lambda *args, **others: two_at_once(*args, **others)):
        found = run_pairs(asked(), store, workers=2)
    assert (found.stopped, sorted(pretended.done)) == (DECIDED, sorted(set(pretended.done)))
    assert 10 <= found.pairs(SMIXUP) <= 11


def test_pairs_are_seeds_that_both_have_from_the_first_one_on(store: Path) -> None:
    found = run(asked(seeds=4), store, Pretended())
    found.workers = 2
    assert found.outlook() == (
        "A paired run takes about 2 s: the first verdict, after 10, is about 9 s away."
    )
    del found.runs["s-mixup"][1]
    assert found.pairs(SMIXUP) == 1
    empty = PairedRuns(found.settings, found.facts)
    assert (empty.verdict(SMIXUP), empty.alignment()) == (None, None)
    assert empty.open_methods() == empty.methods


def test_data_with_bonds_are_told_of_only_where_they_are_left_out(tmp_path: Path) -> None:
    pytest.importorskip("rdkit", reason="rdkit is not installed")
    rows = [f"{'C' * place}{end},{kind}" for place in range(1, 9) for kind, end in enumerate("ON")]
    (tmp_path / "mine.csv").write_text("\n".join(["smiles,active", *rows]))
    options = {"target": "active"}
    settings = CompareSettings(str(tmp_path / "mine.csv"), num_folds=4, dataset_options=options)
    facts = DataFacts.of(settings)
    assert facts.edge_features > 0
    assert not any("leaves out" in note for note in facts.notes)
    plain = DataFacts.of(replace(settings, backbone="gin"))
    assert any("gin leaves out" in note for note in plain.notes)
