"""What paired runs that are there say, and what is still to be run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from app.studies.pretended_runs import DATA, EQUAL, Pretended

from smixup.app.studies.compare_settings import CompareSettings, arm_named
from smixup.app.studies.paired_runs import DataFacts, KeptRun, PairedRuns
from smixup.app.sweeps.job import Job

SMIXUP, CONTROL = arm_named("s-mixup"), arm_named("random-alignment")


def paired(right: dict[str, float], runs: dict[str, int], control: bool = True) -> PairedRuns:
    """Return so many runs of each arm."""
    settings = CompareSettings("MOTIF", control=control, dataset_options=DATA)
    found = PairedRuns(settings, DataFacts.of(settings), workers=2)
    pretended = Pretended(EQUAL | right)
    for arm in found.arms:
        for seed in range(runs.get(arm.name, 0)):
            done = pretended(Job.of(settings.config(arm, seed)))
            assert done.result is not None
            found.runs.setdefault(arm.name, {})[seed] = KeptRun(done.result, done.seconds)
    return found


def test_pairs_are_seeds_that_both_have() -> None:
    found = paired({}, {"vanilla": 4, "s-mixup": 3})
    assert found.pairs(SMIXUP) == 3
    del found.runs["s-mixup"][1]
    assert found.pairs(SMIXUP) == 1, "counted from the first one on"


def test_nothing_is_said_before_the_first_pair() -> None:
    found = paired({}, {"vanilla": 1})
    assert found.score(SMIXUP) is None
    assert found.log_loss(SMIXUP) is None
    assert found.alignment() is None
    assert found.open_methods() == found.methods


def test_the_control_is_open_where_the_method_helps() -> None:
    better = {"s-mixup": 0.95}
    assert paired(better, {"vanilla": 9, "s-mixup": 9}).open_control() == []
    helped = {"vanilla": 10, "s-mixup": 10}
    assert paired(better, helped).open_control() == list(range(10))
    assert paired(better, helped, control=False).open_control() == []
    assert paired({}, helped).open_control() == []
    begun = paired(better, {**helped, "random-alignment": 4})
    assert begun.open_control() == [4, 5, 6, 7, 8, 9]
    assert paired(better, {**helped, "random-alignment": 10}).open_control() == []


def test_a_pair_takes_the_runs_of_what_is_open() -> None:
    found = paired({}, {"vanilla": 2, "s-mixup": 2})
    assert found.seconds_of_a_pair() == pytest.approx((1.5 + 1.5) / 2)


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
    assert any("gin takes no features of edges" in note for note in plain.notes)
