"""What is said of one method: its size, its cost, and why it could not be run."""

from __future__ import annotations

from pathlib import Path

from app.studies.pretended_runs import DATA, EQUAL, Pretended, compared

from smixup.app.studies.compare import compare_dataset
from smixup.app.studies.compare_settings import CompareSettings
from smixup.app.sweeps.in_process import InProcess


def test_no_difference_is_told_with_its_size(tmp_path: Path) -> None:
    settings = CompareSettings(
        "MOTIF", ("s-mixup",), dataset_options=DATA, seeds=30, margin=0.4, loss_margin=5.0
    )
    engine = InProcess(Pretended(EQUAL))
    found = compare_dataset(settings, tmp_path / "runs.db", engine=engine)
    score, loss = found.sentences()
    assert score.startswith("s-mixup makes no difference larger than 40 points: accuracy ")
    assert loss.startswith("s-mixup makes no difference larger than 5: log loss ")
    assert "within 40 points" in str(found)


def test_one_more_run_is_one(tmp_path: Path) -> None:
    settings = CompareSettings("MOTIF", dataset_options=DATA, seeds=9, margin=0.4)
    engine = InProcess(Pretended(EQUAL))
    found = compare_dataset(settings, tmp_path / "runs.db", engine=engine)
    assert found.sentences()[0].endswith("after 9 paired runs; needs about 1 more paired run.")


def test_the_cost_is_told_beside_vanilla(tmp_path: Path) -> None:
    found = compared(
        tmp_path, "s-mixup", right={}, seeds=3, seconds={"vanilla": 2.0, "s-mixup": 5.0}
    )
    cost = found.verdicts[0].cost
    assert cost is not None
    assert (cost.ratio, cost.preparation, str(cost)) == (2.5, 0.0, "2.5x + 0 s")


def test_a_method_that_failed_is_told(tmp_path: Path) -> None:
    found = compared(
        tmp_path, "s-mixup", "drop-edge", right={}, seeds=2, errors={"drop-edge": "no edges."}
    )
    assert "drop-edge could not be run: no edges." in found.sentences()
    assert found.rows()[-1][5] == "failed"
    assert "cannot tell whether s-mixup helps" in found.headline
