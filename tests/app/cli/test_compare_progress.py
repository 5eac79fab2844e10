"""What is said while a comparison goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from app.studies.pretended_runs import DATA, EQUAL, Pretended

from smixup.app.cli.compare_progress import Watch, outlook
from smixup.app.studies.compare_settings import CompareSettings
from smixup.app.studies.paired_runs import DataFacts, KeptRun, PairedRuns
from smixup.app.sweeps.job import Job
from smixup.progress import Progress

FACTS = DataFacts("MOTIF", 120, 3, "accuracy", 0.1, 96, ("two graphs are alike.",))


def looking_ahead(tmp_path: Path, **changes: object) -> str:
    """Return what is said once a first paired run is done: Vanilla takes 10 s, the method 30 s."""
    settings = CompareSettings("MOTIF", ("drop-edge",), dataset_options=DATA, **changes)  # type: ignore[arg-type]
    pretended = Pretended(EQUAL, {"vanilla": 9.5, "drop-edge": 29.5})
    pairs = PairedRuns(settings, FACTS, workers=2, spent=20.0)
    assert outlook(pairs) == ""
    for arm in pairs.arms:
        done = pretended(Job.of(settings.config(arm, 0)))
        assert done.result is not None
        pairs.runs[arm.name] = {0: KeptRun(done.result, done.seconds)}
    return outlook(pairs)


def test_when_the_first_verdict_will_be_there(tmp_path: Path) -> None:
    begins = "A paired run takes about 20 s: the first verdict, after 10, "
    assert looking_ahead(tmp_path) == f"{begins}is about 3 min 00 s away."
    assert looking_ahead(tmp_path, budget=250.0) == f"{begins}is about 3 min 00 s away."
    short = f"{begins}needs a --budget of about 3 min 20 s, or fewer --epochs."
    assert looking_ahead(tmp_path, budget=100.0) == short
    assert looking_ahead(tmp_path, seeds=5) == f"{begins}needs more than --seeds 5."


def test_methods_first_then_the_control(capsys: pytest.CaptureFixture[str]) -> None:
    settings = CompareSettings("MOTIF", dataset_options=DATA)
    pairs, told = PairedRuns(settings, FACTS), list[Progress]()
    watch, pretended = Watch(told.append), Pretended(EQUAL | {"s-mixup": 0.95})
    watch(pairs)
    assert capsys.readouterr().err == "two graphs are alike.\n"
    for arm in pairs.arms:
        for seed in range(10):
            done = pretended(Job.of(settings.config(arm, seed)))
            assert done.result is not None
            pairs.runs.setdefault(arm.name, {})[seed] = KeptRun(done.result, done.seconds)
            watch(pairs)
    lines = [(each.stage, each.done, each.total) for each in told]
    assert lines[:11] == [("paired runs", done, 30) for done in range(10)] + [
        ("runs of random-alignment", 0, 10)
    ]
    assert lines[11:20] == [("runs of random-alignment", done, 10) for done in range(1, 10)]
