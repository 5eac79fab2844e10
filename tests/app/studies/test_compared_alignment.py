"""The matcher that a comparison has fitted, measured on graphs that it has not seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.app.studies.compare import compare_dataset
from smixup.app.studies.compare_settings import CompareSettings
from smixup.app.studies.compared_alignment import alignment_quality
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm

QUICK = {"matcher.max_steps": 1, "matcher.batch_size": 4, "matcher.num_layers": 1}
CONTROL = Arm("control", "s-mixup", {"matcher": "random-order", "matcher.partial": True})


def settings(*arms: Arm) -> CompareSettings:
    changes = {"epochs": 1}
    data = {"num_graphs": 36}
    return CompareSettings(
        "MOTIF", arms, seeds=1, num_folds=3, changes=changes, dataset_options=data
    )


@pytest.mark.slow
def test_the_kept_matcher_stands_beside_controls(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    found = compare_dataset(settings(CONTROL, Arm("s-mixup", "s-mixup", QUICK)), file)
    kept = sorted((file.with_name("runs.db.workspace") / "matchers").iterdir())
    measured = alignment_quality(found.pairs, Store(file))
    assert list(measured) == ["learned", "random order", "uniform"]
    assert sorted((file.with_name("runs.db.workspace") / "matchers").iterdir()) == kept, (
        "not fitted"
    )


@pytest.mark.slow
def test_without_a_matcher_nothing_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "runs.db"
    found = compare_dataset(settings(CONTROL), file)
    assert alignment_quality(found.pairs, Store(file)) == {}
