"""The study's numbers: by hand, as others computed them, and all of them from its files where these
are at hand.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest
from scipy.stats import ttest_rel

from smixup.app.tables.published_2026 import (
    AGAIN,
    CELLS,
    DATASETS,
    DIFFERENCES,
    FIRST,
    METHODS,
    ROUNDS,
    Folds,
    difference_by_fold,
    mean_over_folds,
    read_folds,
)
from smixup.errors import SmixupError, UsageError

BACKBONES = ("gcn", "gin")

# Means over the twelve cells, as others have computed them from the same files.
POOLED = {
    "Vanilla": 70.29,
    "ifMixup": 70.58,
    "SubMix": 70.69,
    "GED-Mixup": 70.54,
    "M-Mixup": 69.49,
    "G-Mixup": 69.41,
    "GeoMix": 69.11,
    "S-Mixup": 68.11,
}
# Paired differences, GCN / GIN, in the order of DATASETS.
PAIRED = {
    "SubMix": "+1.6/+0.3 +0.8/+0.4 -0.6/-0.4 +1.0/+1.2 -1.1/-0.1 +1.1/+0.6",
    "GED-Mixup": "+3.2/-1.6 -0.4/+0.8 +0.2/-0.4 +1.6/-1.6 -0.2/-0.2 +1.2/+0.4",
    "ifMixup": "+3.0/-0.3 -0.5/-0.3 -0.3/-1.5 +3.1/+0.2 -0.8/-0.2 +1.1/+0.1",
    "M-Mixup": "+1.2/-2.5 -1.7/+0.4 -2.2/-3.0 -1.7/+1.3 -3.1/+0.1 +1.3/+0.3",
    "GeoMix": "-2.8/-2.6 +1.4/-1.3 -6.1/-0.2 -0.2/-0.5 -1.9/-0.6 +0.6/+0.1",
    "S-Mixup": "+1.8/-3.6 -4.2/-1.3 -0.4/-1.9 -4.1/-13.3 -5.7/-1.2 -1.0/-2.4",
}
DECIDED = {
    ("gcn", "ifMixup", "MUTAG"),
    ("gcn", "GeoMix", "IMDB-MULTI"),
    ("gcn", "S-Mixup", "IMDB-MULTI"),
    ("gin", "S-Mixup", "PROTEINS"),
}


@pytest.fixture(scope="module")
def folds(archive: Callable[[str], Path]) -> Folds:
    return read_folds(archive("icml2026"))


@pytest.mark.parametrize("method", POOLED)
def test_pooled_means(method: str) -> None:
    cells = [CELLS[backbone, method, dataset] for backbone in BACKBONES for dataset in DATASETS]
    assert fmean(cell.mean for cell in cells) == pytest.approx(POOLED[method], abs=0.01)


@pytest.mark.parametrize("method", PAIRED)
def test_paired_differences(method: str) -> None:
    for dataset, both in zip(DATASETS, PAIRED[method].split(), strict=True):
        for backbone, number in zip(BACKBONES, both.split("/"), strict=True):
            found = DIFFERENCES[backbone, method, dataset]
            # A half may have been rounded either way.
            assert found.mean == pytest.approx(float(number), abs=0.0551)
            assert found.decided == ((backbone, method, dataset) in DECIDED)


def test_the_pooled_difference_of_s_mixup() -> None:
    gains = [cell.mean for (_, method, _), cell in DIFFERENCES.items() if method == "S-Mixup"]
    assert len(gains) == 12
    assert fmean(gains) == pytest.approx(-3.1, abs=0.05)


def test_every_cell_is_that_of_the_files(folds: Folds) -> None:
    assert set(folds) == set(CELLS)
    for place, cell in CELLS.items():
        assert mean_over_folds(folds, *place) == pytest.approx(cell.mean, abs=0.00501), place
    for place, cell in DIFFERENCES.items():
        found = difference_by_fold(folds, *place)
        assert found.number == cell.number
        assert (found.mean, found.low, found.high, found.detectable) == pytest.approx(
            (cell.mean, cell.low, cell.high, cell.detectable), abs=0.0201
        ), place


def test_intervals_agree_with_scipy(folds: Folds) -> None:
    place = ("gin", "S-Mixup", "PROTEINS")
    assert folds[place] == pytest.approx({1: 59.64, 3: 59.46, 4: 68.02}, abs=0.005)
    vanilla = folds["gin", "Vanilla", "PROTEINS"]
    tested = ttest_rel(list(folds[place].values()), [vanilla[fold] for fold in folds[place]])
    interval = tested.confidence_interval(0.95)
    found = difference_by_fold(folds, *place)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def write(file: Path, rows: list[dict[str, str]], delimiter: str = ",") -> None:
    with file.open("w", encoding="utf-8-sig", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def line(method: str, fold: int, score: str, value: float) -> dict[str, str]:
    place = {"model_name": "GCN", "dataset_name": "MUTAG", "method_name": method}
    return place | {"fold": str(fold), score: str(value)}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Files in the study's manner: two folds of three methods, one of which was run again."""
    means, one = "avg_test_acc_fold", "test_acc"
    first = [line(m, fold, means, 0.5 + fold / 10) for m in ("", "s_mixup") for fold in (0, 1)]
    write(tmp_path / FIRST, first, delimiter=";")
    write(tmp_path / AGAIN, [line("s_mixup", 1, means, 0.75)])
    for name in ROUNDS:
        rounds = [line("submix", 0, one, value) for value in (0.1, 0.2, 0.6)]
        write(tmp_path / name, rounds)
    return tmp_path


def test_rounds_are_averaged_and_what_was_run_again_replaces_the_first(small: Path) -> None:
    folds = read_folds(small)
    assert folds["gcn", "Vanilla", "MUTAG"] == pytest.approx({0: 50.0, 1: 60.0})
    assert folds["gcn", "S-Mixup", "MUTAG"] == pytest.approx({1: 75.0})
    assert folds["gcn", "SubMix", "MUTAG"] == pytest.approx({0: 30.0})
    assert difference_by_fold(folds, "gcn", "S-Mixup", "MUTAG").mean == pytest.approx(15.0)


def test_files_that_are_not_there_or_are_others(small: Path) -> None:
    (small / AGAIN).unlink()
    with pytest.raises(SmixupError, match=f"{AGAIN} is not that of github uma-pi1/mixup"):
        read_folds(small)
    write(small / AGAIN, [line("unheard_of", 0, "avg_test_acc_fold", 0.5)])
    with pytest.raises(SmixupError, match="unheard_of"):
        read_folds(small)


def test_a_cell_that_the_study_has_not(small: Path) -> None:
    with pytest.raises(UsageError, match="unknown cell of the study 'gin, S-Mixup, MUTAG'"):
        mean_over_folds(read_folds(small), "gin", "S-Mixup", "MUTAG")
    assert len(set(METHODS.values())) == len(METHODS)
