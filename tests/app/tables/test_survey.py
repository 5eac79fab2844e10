"""A survey counts every run once and reckons with what is known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from smixup.app.runs.config import configure
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment, always
from smixup.app.tables.scope import Scope
from smixup.app.tables.survey import survey

Keep = Callable[..., str]
MOTIF = Scope(datasets=("MOTIF",), backbones=("gin",))


def test_nothing_is_known_of_an_empty_store(toy: Experiment) -> None:
    found = survey(toy, Scope(), {})
    assert [line.name for line in found.lines][:3] == [
        "MOTIF, gcn, vanilla",
        "MOTIF, gcn, m-mixup",
        "MOTIF, gcn, s-mixup",
    ]
    total = found.total
    assert (total.runs, total.done, total.failed, total.missing) == (64, 0, 0, 64)
    assert (total.left, found.errors, found.outdated) == (None, {}, 0)


def test_runs_with_teachers_have_a_line_of_their_own() -> None:
    arms = [Arm("Vanilla", "vanilla"), Arm("taught", "vanilla", changes={"teachers": 2})]
    experiment = Experiment("two", "Two", ("gin",), arms, [Column("MOTIF", "MOTIF")], seeds=3)
    lines = survey(experiment, Scope(), {}).lines
    expected = ["MOTIF, gin, vanilla", "MOTIF, gin, vanilla, 2 teachers"]
    assert [(line.name, line.runs) for line in lines] == [(name, 3) for name in expected]


def test_done_failed_missing_and_how_long(toy: Experiment, keep: Keep, store: Store) -> None:
    vanilla, mixup, other = toy.grid(MOTIF)
    for config, seconds in zip(vanilla.configs, (1.0, 2.0, 3.0, 6.0), strict=True):
        keep(config, seconds=seconds)
    for config in mixup.configs[:3]:
        keep(config, seconds=10.0)
    keep(mixup.configs[3], error="no memory")
    keep(mixup.configs[4], error="no memory")
    keep(other.configs[0], error="no data")
    found = survey(toy, MOTIF, store.records())
    counts = {line.name: (line.runs, line.done, line.failed, line.missing) for line in found.lines}
    assert counts["MOTIF, gin, vanilla"] == (4, 4, 0, 0)
    assert counts["MOTIF, gin, m-mixup"] == (8, 3, 2, 3)
    assert counts["MOTIF, gin, s-mixup"] == (4, 0, 1, 3)
    seconds = {line.name: (line.seconds, line.left) for line in found.lines}
    assert seconds["MOTIF, gin, vanilla"] == (3.0, 0.0)
    assert seconds["MOTIF, gin, m-mixup"] == (10.0, 50.0), "failed runs will be run again"
    assert seconds["MOTIF, gin, s-mixup"] == pytest.approx((42 / 7, 4 * 42 / 7)), (
        "from other runs on the dataset"
    )
    assert found.errors == {"no memory": 2, "no data": 1}
    assert found.total.left == pytest.approx(50.0 + 24.0)


def test_each_run_is_reckoned_by_its_own_length(keep: Keep, store: Store) -> None:
    columns = [Column(f"{epochs} epochs", "MOTIF", always(epochs=epochs)) for epochs in (1, 100)]
    experiment = Experiment(
        "two", "Two lengths", ("gin",), [Arm("Vanilla", "vanilla")], columns, seeds=3
    )
    short, long = experiment.grid(Scope())
    keep(short.configs[0], seconds=1.0)
    left = survey(experiment, Scope(), store.records()).total.left
    assert left == pytest.approx(2 * 1.0 + 3 * 100.0), "a short run foretells long ones"
    keep(long.configs[0], seconds=50.0)
    (line,) = survey(experiment, Scope(), store.records()).lines
    assert line.left == pytest.approx(2 * 1.0 + 2 * 50.0)


def test_a_run_that_two_cells_share_counts_once(keep: Keep, store: Store) -> None:
    arms = [Arm("Vanilla", "vanilla"), Arm("again", "vanilla")]
    experiment = Experiment("twice", "Twice", ("gin",), arms, [Column("MOTIF", "MOTIF")], seeds=2)
    keep(experiment.runs(Scope())[0])
    total = survey(experiment, Scope(), store.records()).total
    assert (total.runs, total.done) == (2, 1)


def test_runs_of_other_code_are_told_apart(toy: Experiment, store: Store) -> None:
    ours, theirs = toy.runs(MOTIF)[0], configure("MOTIF", "gin", "vanilla", 0, epochs=77)
    with store.writing() as writer:
        for id, config in (("of-older-code", ours), ("of-another-experiment", theirs)):
            writer.keep(Job(id, config.to_dict()), Outcome(id, error="it does not matter"))
    found = survey(toy, MOTIF, store.records())
    assert (found.outdated, found.total.done, found.total.failed, found.errors) == (1, 0, 0, {})
