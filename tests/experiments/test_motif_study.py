"""The study runs what is missing, keeps what is finished, and pairs its runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.experiments import motif_study
from smixup.experiments.motif_study import Case, arms, read_records, run_case, run_study, scores


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "CONDITIONS": ((9, 0.0),),
        "ALPHAS": (1.0,),
        "BACKBONES": ("gin",),
        "NUM_GRAPHS": 60,
        "EPOCHS": 2,
    }.items():
        monkeypatch.setattr(motif_study, name, value)
    quick = {"matcher.max_steps": 2, "matcher.hidden_channels": 8, "matcher.num_layers": 2}
    monkeypatch.setattr(motif_study, "MATCHERS", {"uniform": {"matcher": "uniform"}, "S-Mixup": quick})


def test_a_case_trains_every_arm_and_repeats() -> None:
    case = Case(9, 0.0, seed=1)
    records = run_case(case)
    assert [record["arm"] for record in records] == [arm.name for arm in arms()]
    assert records == run_case(case)
    assert all(0 <= record["test"] <= 1 for record in records)


def test_a_stopped_study_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "study.jsonl"
    ran: list[int] = []

    def fake(case: Case) -> list[dict[str, object]]:
        ran.append(case.seed)
        return [{"train_graphs": 9, "label_noise": 0.0, "seed": case.seed, "arm": "Vanilla", "test": case.seed / 10}]

    monkeypatch.setattr(motif_study, "run_case", fake)
    monkeypatch.setattr(motif_study, "ProcessPoolExecutor", _Here)
    run_study(file, seeds=2, workers=1)
    with file.open("a") as out:
        out.write('{"seed": 2, "cut sh')
    assert len(read_records(file)) == 2
    records = run_study(file, seeds=4, workers=1)
    assert ran == [0, 1, 2, 3]
    assert scores(records, arm="Vanilla") == [0.0, 0.1, 0.2, 0.3]


class _Here:
    """An executor that works at once, in this process."""

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, work: object, case: Case) -> object:
        from concurrent.futures import Future

        future: Future[object] = Future()
        future.set_result(work(case))  # type: ignore[operator]
        return future
