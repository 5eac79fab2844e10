"""Paired runs, in sequence until decided, enough or out of time, and what is said of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from app.compare.pretended import BETTER, EQUAL, Pretended, asked, compared, run

from smixup.app.compare import pairs as running
from smixup.app.compare.evidence import Answer, Measure
from smixup.app.compare.pairs import (
    DECIDED,
    ENOUGH,
    OUT_OF_TIME,
    DataFacts,
    PairedRuns,
    differences,
    run_pairs,
    score_measure,
)
from smixup.app.compare.settings import Arm, CompareSettings, arm_named
from smixup.app.compare.verdicts import HEADER
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.words import finite
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


def runs(share: float, number: int = 12, metric: str = "accuracy") -> list[RunResult]:
    pretended = Pretended({"x": share}, metric=metric)
    return [pretended.result("x", seed % 10, seed) for seed in range(number)]


def test_words_for_differences() -> None:
    units = {"accuracy": (True, True), "r2": (True, False), "rmse": (False, False)}
    measures = {name: score_measure(name, []) for name in units}
    assert {name: (m.higher_is_better, m.points) for name, m in measures.items()} == units
    errors = [replace(run, test=test) for run, test in zip(runs(0.5, 2), (4.0, 6.0), strict=True)]
    points, error = score_measure("accuracy", errors), score_measure("mae", errors)
    assert (points.amount(0.0131), points.limit()) == ("+1.3 points", "2 points")
    assert (error.amount(-0.25), error.limit()) == ("-0.250", "0.1"), "2 % of Vanilla's"
    assert score_measure("accuracy", [], 0.005).limit() == "0.5 points"
    loss = Measure("log loss", False, False, 0.1)
    assert (loss.amount(0.01), loss.limit()) == ("+0.010", "0.1")


def test_accuracy_is_compared_graph_by_graph_and_other_scores_run_by_run() -> None:
    ours, theirs = runs(0.9), runs(0.6)
    table = differences(ours, theirs, loss=False)
    means = [a.test - b.test for a, b in zip(ours, theirs, strict=True)]
    assert table is not None and table.shape == (12, 120)
    assert np.nanmean(table, 1) == pytest.approx(means)
    rocauc = differences(runs(0.9, metric="rocauc"), runs(0.6, metric="rocauc"), loss=False)
    assert rocauc is not None and rocauc.shape == (12,)


def test_log_loss_is_that_after_the_temperature_of_each_run() -> None:
    """At a temperature of 0.05, rounding of kept logits would be twenty times as large: differences
    are those of the means, which runs computed themselves.
    """
    ours, theirs = runs(0.9), runs(0.6)
    table = differences(ours, theirs, loss=True)
    assert table is not None
    told = from_bytes(ours[0].predictions), from_bytes(theirs[0].predictions)
    assert table[0] == pytest.approx(told[0].log_loss(1.0) - told[1].log_loss(1.0), nan_ok=True)
    ours = [replace(run, temperature=0.05, scaled_loss=run.scaled_loss + 0.25) for run in ours]
    table = differences(ours, theirs, loss=True)
    means = [a.scaled_loss - b.scaled_loss for a, b in zip(ours, theirs, strict=True)]
    assert table is not None and np.nanmean(table, 1) == pytest.approx(means)
    rocauc = runs(0.9, metric="rocauc")
    one_by_one = differences(rocauc, rocauc, loss=True)
    assert one_by_one is not None and one_by_one.shape == (12,)
    assert differences(runs(0.9, metric="mae"), theirs, loss=True) is None


def test_what_helps_is_recommended(store: Path) -> None:
    found = compared(store, asked("s-mixup", "drop-edge", control=True, seeds=10), right=BETTER)
    assert found.recommended == "s-mixup"
    assert found.headline == "Train with s-mixup: it helps on MOTIF."
    helps, cannot, *losses, alignment = found.sentences()
    assert helps.startswith("s-mixup helps: accuracy +") and helps.endswith("after 10 paired runs.")
    assert cannot.startswith("cannot tell yet whether drop-edge helps: accuracy ")
    assert all("log loss" in each for each in losses) and len(losses) == 2
    assert alignment.startswith("the alignment helps: accuracy +")
    assert "over random-alignment" in alignment
    assert "--method s-mixup" in found.command and found.command.endswith(" --out model/")
    assert found.rows()[-2][0] == "random-alignment" and found.rows()[-2][5] == "control"


TOLD = [  # shares that are right, settings, what is recommended, and the first sentence
    ({"s-mixup": 0.1}, {}, "vanilla", "s-mixup hurts: accuracy -"),
    ({"vanilla": 0.95}, {}, "s-mixup", "s-mixup helps: mae -"),
    ({}, {"margin": 0.4}, "vanilla", "s-mixup makes no difference larger than 40 points: "),
    ({}, {"seeds": 2}, "vanilla", "cannot tell yet whether s-mixup helps: accuracy "),
]


@pytest.mark.parametrize(("right", "settings", "recommended", "words"), TOLD)
def test_what_is_told(
    store: Path, right: dict[str, float], settings: dict[str, Any], recommended: str, words: str
) -> None:
    metric = "mae" if "mae" in words else "accuracy"
    found = compared(store, asked(**settings), right=EQUAL | right, metric=metric)
    assert found.recommended == recommended and f"--method {recommended}" in found.command
    assert found.sentences()[0].startswith(words)
    assert (found.verdicts[0].log_loss is None) == (metric == "mae")
    waits = "Train without augmentation for now" in found.headline
    assert waits == ("cannot tell" in words)


def test_of_two_that_help_the_one_that_gains_more(store: Path) -> None:
    right = EQUAL | {"s-mixup": 0.8, "drop-edge": 0.97}
    found = compared(store, asked("s-mixup", "drop-edge"), right=right)
    assert all(each.answer is Answer.HELPS for each in found.verdicts)
    assert found.recommended == "drop-edge"


def test_runs_beyond_the_last_look_are_told_apart(store: Path) -> None:
    """12 runs, and a verdict after 10: a reader sees both numbers, and is told why they differ."""
    found = compared(store, asked(seeds=12))
    assert found.paired == 12 and "after 10 paired runs" in found.sentences()[0]
    assert found.rest == (
        "Verdicts are given after 10, 15, 20, ... paired runs: these rest on the first 10."
    )
    assert found.rest in str(found)
    assert [compared(store, asked(seeds=seeds)).rest for seeds in (3, 10)] == ["", ""]


def test_the_table_has_a_row_per_method_and_outcome(store: Path) -> None:
    found = compared(store, asked("s-mixup", "drop-edge", seeds=3))
    rows = found.rows()
    assert {len(row) for row in rows} == {len(HEADER)}
    assert [row[:2] for row in rows] == [
        *(("vanilla", "accuracy"), ("", "log loss")),
        *(("s-mixup", "accuracy"), ("", "log loss")),
        *(("drop-edge", "accuracy"), ("", "log loss")),
    ]
    text = str(found)
    assert all(row[2] in text for row in rows)
    assert "3 paired runs, all paired runs that were asked for are done." in text
    vanilla, method, difference = (
        float(rows[place][column]) for place, column in ((0, 2), (2, 2), (2, 3))
    )
    assert method - vanilla == pytest.approx(difference, abs=0.11)


def test_costs_and_failures_are_told_in_words_and_in_json(store: Path) -> None:
    settings = asked("s-mixup", "drop-edge", seeds=2)
    failing = {"drop-edge": "no edges."}
    found = compared(store, settings, errors=failing, seconds={"vanilla": 2.0, "s-mixup": 5.0})
    assert (found.verdicts[0].ratio, found.verdicts[0].preparation) == (2.5, 0.0)
    assert "2.5x + 0 s" in str(found)
    assert "drop-edge could not be run: no edges." in found.sentences()
    assert found.rows()[-1][5] == "failed"
    told = json.loads(json.dumps(finite(found.to_dict())))
    assert told["methods"]["drop-edge"]["ratio"] is None
    score = told["methods"]["s-mixup"]["score"]
    brief = score["verdict"], score["more_runs_needed"], score["low"], len(score["differences"])
    assert brief == ("cannot tell yet", 8, None, 2)
