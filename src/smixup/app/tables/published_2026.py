"""What "Is Graph Mixup Beneficial?" (ICML 2026) reports, cell by cell, and its folds read from its
files.

The source is github uma-pi1/mixup at c52c648, folder R/data. Each of five outer folds was trained
three times; a cell is the mean over its folds. S-Mixup was finished on three or four folds only in
some cells: there a mean is no fair neighbour of Vanilla's, and the paired difference is.

What stands here are means; the values of single folds are read from the study's files, which are
not part of this package.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from scipy.stats import t as student

from smixup.app.evidence.estimate import CONFIDENCE
from smixup.app.tables.comparison import Difference, detectable_difference
from smixup.app.tables.published import IMDB_B, IMDB_M, NCI1, PROTEINS, PublishedTable, read_rows
from smixup.errors import SmixupError, unknown_name

DATASETS = ("MUTAG", "ENZYMES", IMDB_B, PROTEINS, IMDB_M, NCI1)
BASELINE = "Vanilla"
METHODS = {
    "": BASELINE,
    "if_mixup": "ifMixup",
    "submix": "SubMix",
    "ged_mixup": "GED-Mixup",
    "emb_mixup": "M-Mixup",
    "g_mixup": "G-Mixup",
    "geomix": "GeoMix",
    "s_mixup": "S-Mixup",
    "fgw_mixup": "FGWMixup",
}
"""The names of methods in the study's files, and ours; a baseline has none."""

Place = tuple[str, str, str]
"""A backbone, a method by our name, a dataset."""
Folds = Mapping[Place, Mapping[int, float]]
"""Test accuracy in percent, mean over three rounds, by place and outer fold."""
Differences = Mapping[Place, Difference]

FIRST = "mixup-results-folds.csv"
"""Means by fold, separated by semicolons, without IMDB-MULTI and NCI1."""
AGAIN = "s_mixup-g_mixup-results-folds-new.csv"
"""S-Mixup and G-Mixup run once more: these replace what `FIRST` says of them."""
ROUNDS = (
    "new-gcn-baseline-results.csv",
    "new-gcn-method-results.csv",
    "other-baseline-results.csv",
    "other-method-results.csv",
)
"""IMDB-MULTI and NCI1, a line for each of three rounds."""


def read_folds(folder: Path) -> Folds:
    """Read the fold results that the study published beside its code.

    ```python
    folds = read_folds(Path("icml2026"))
    folds["gin", "S-Mixup", "PROTEINS"]                       # {1: 59.64, 3: 59.46, 4: 68.02}
    difference_by_fold(folds, "gin", "S-Mixup", "PROTEINS")   # mean -13.34
    ```

    Args:
        folder: with the CSV files of R/data.
    """
    found: dict[Place, dict[int, list[float]]] = {}
    for place, fold, accuracy in _lines(folder):
        found.setdefault(place, {}).setdefault(fold, []).append(100 * accuracy)
    return {
        place: {fold: fmean(rounds) for fold, rounds in sorted(folds.items())}
        for place, folds in found.items()
    }


def _lines(folder: Path) -> Iterator[tuple[Place, int, float]]:
    again = list(_rows(folder / AGAIN, "avg_test_acc_fold"))
    replaced = {place[1] for place, *_ in again}
    first = _rows(folder / FIRST, "avg_test_acc_fold", delimiter=";")
    yield from (line for line in first if line[0][1] not in replaced)
    yield from again
    for name in ROUNDS:
        yield from _rows(folder / name, "test_acc")


def _rows(file: Path, score: str, delimiter: str = ",") -> Iterator[tuple[Place, int, float]]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines, delimiter=delimiter):
                method = METHODS[row["method_name"]]
                place = (row["model_name"].lower(), method, row["dataset_name"])
                yield place, int(row["fold"]), float(row[score])
    except (OSError, KeyError, ValueError) as error:
        raise SmixupError(
            f"{file} is not that of github uma-pi1/mixup at c52c648, R/data ({error}): fetch it "
            "again."
        ) from error


def mean_over_folds(folds: Folds, *place: str) -> float:
    """Return the mean of a cell over the folds that it has."""
    return fmean(_cell(folds, *place).values())


def difference_by_fold(folds: Folds, backbone: str, method: str, dataset: str) -> Difference:
    """Return how much higher a method scores than no mixing, on the folds that both have, with
    Student's interval.
    """
    ours, vanilla = (_cell(folds, backbone, each, dataset) for each in (method, BASELINE))
    shared = sorted(ours.keys() & vanilla.keys())
    return Difference.between([ours[fold] for fold in shared], [vanilla[fold] for fold in shared])


def _cell(folds: Folds, *place: str) -> Mapping[int, float]:
    if place not in folds:
        raise unknown_name("cell of the study", ", ".join(place), map(", ".join, folds))
    return folds[place]  # type: ignore[index]


CELLS: PublishedTable = read_rows(
    DATASETS,
    gcn={
        "Vanilla": "78.42 4.69, 72.56 3.92, 68.80 2.88, 71.83 8.66, 46.31 1.23, 80.35 1.39",
        "ifMixup": "81.43 4.76, 72.06 2.82, 68.53 2.34, 74.88 3.85, 45.47 1.76, 81.43 0.76",
        "SubMix": "80.03 6.89, 73.39 5.23, 68.20 2.94, 72.87 6.81, 45.20 3.10, 81.48 0.79",
        "GED-Mixup": "81.64 6.68, 72.11 5.17, 68.97 2.72, 73.44 5.03, 46.16 2.47, 81.58 0.41",
        "M-Mixup": "79.66 4.88, 70.89 4.17, 66.60 2.66, 70.09 7.70, 43.18 2.97, 81.63 0.80",
        "G-Mixup": "82.48 4.97, 68.28 5.39, 69.40 1.66, 74.13 3.52, 45.73 2.18, 80.83 0.82",
        "GeoMix": "75.63 11.59, 74.00 3.86, 62.67 7.65, 71.65 9.72, 44.40 1.62, 80.98 0.77",
        "S-Mixup": "80.21 6.25, 67.29 11.24, 70.06 3.37, 72.26 5.38, 40.58 3.78, 79.39 4.42",
    },
    gin={
        "Vanilla": "84.41 2.00, 70.33 3.48, 70.77 1.01, 69.91 10.79, 48.09 1.42, 81.65 1.36",
        "ifMixup": "84.09 4.63, 70.06 3.31, 69.30 1.98, 70.12 11.20, 47.91 1.66, 81.74 1.05",
        "SubMix": "84.75 5.62, 70.72 5.17, 70.40 1.30, 71.08 7.94, 47.96 1.77, 82.21 1.28",
        "GED-Mixup": "82.84 4.75, 71.17 2.83, 70.40 2.30, 68.30 12.02, 47.89 1.83, 82.04 1.64",
        "M-Mixup": "81.89 3.90, 70.78 3.32, 67.77 3.83, 71.26 6.63, 48.22 1.65, 81.96 1.27",
        "G-Mixup": "80.49 2.26, 69.17 2.69, 65.90 8.96, 68.62 11.72, 47.02 2.70, 80.84 2.03",
        "GeoMix": "81.78 6.17, 69.00 3.83, 70.53 1.28, 69.46 10.01, 47.49 1.43, 81.74 1.39",
        "S-Mixup": "80.83 1.89, 68.96 3.63, 69.29 5.75, 62.37 4.89, 46.84 1.95, 79.25 3.57",
    },
) | read_rows(["MUTAG"], gcn={"FGWMixup": "76.82 5.24"}, gin={"FGWMixup": "82.81 3.17"})
"""Mean and standard deviation over the folds, in percent."""


def read_differences(columns: Sequence[str], **backbones: Mapping[str, str]) -> Differences:
    """Return differences whose rows, by backbone and method, are written as `1.80 4.47 5`: mean,
    half the width of the interval, and the number of folds, once per column.
    """
    return {
        (backbone, method, dataset): _difference(*map(float, cell.split()))
        for backbone, rows in backbones.items()
        for method, row in rows.items()
        for dataset, cell in zip(columns, row.split(","), strict=True)
    }


def _difference(mean: float, half: float, number: float) -> Difference:
    folds = int(number)
    deviation = half * math.sqrt(folds) / float(student.ppf((1 + CONFIDENCE) / 2, folds - 1))
    seen = detectable_difference(deviation, folds)
    return Difference(mean, mean - half, mean + half, folds, seen)


DIFFERENCES: Differences = read_differences(
    DATASETS,
    gcn={
        "ifMixup": "3.02 1.49 5,-0.50 3.65 5,-0.27 5.65 5,3.05 6.16 5,-0.84 1.58 5,1.08 1.82 5",
        "SubMix": "1.62 3.48 5,0.83 4.22 5,-0.60 5.39 5,1.04 3.39 5,-1.11 2.89 5,1.13 1.99 5",
        "GED-Mixup": "3.22 3.77 5,-0.44 4.00 5,0.17 1.40 5,1.61 6.85 5,-0.16 2.43 5,1.23 1.64 5",
        "M-Mixup": "1.25 2.96 5,-1.67 4.04 5,-2.20 3.59 5,-1.74 2.72 5,-3.13 4.00 5,1.28 2.22 5",
        "G-Mixup": "4.06 6.46 5,-4.28 4.37 5,0.60 3.74 5,2.30 6.90 5,-0.58 2.88 5,0.48 2.05 5",
        "GeoMix": "-2.78 10.79 5,1.44 3.18 5,-6.13 11.86 5,-0.18 1.60 5,-1.91 1.78 5,0.63 1.99 5",
        "S-Mixup": "1.80 4.47 5,-4.24 14.98 4,-0.44 10.18 3,-4.06 21.98 3"
        ",-5.73 3.25 5,-0.96 5.40 5",
    },
    gin={
        "ifMixup": "-0.32 4.90 5,-0.28 4.74 5,-1.47 1.98 5,0.21 1.92 5,-0.18 1.52 5,0.09 1.04 5",
        "SubMix": "0.34 7.87 5,0.39 3.45 5,-0.37 0.96 5,1.16 4.00 5,-0.13 1.33 5,0.55 2.03 5",
        "GED-Mixup": "-1.57 4.34 5,0.83 1.22 5,-0.37 3.10 5,-1.61 2.24 5,-0.20 2.17 5,0.39 1.34 5",
        "M-Mixup": "-2.52 6.00 5,0.44 2.12 5,-3.00 4.45 5,1.34 5.88 5,0.13 1.55 5,0.31 0.71 5",
        "G-Mixup": "-3.92 3.54 5,-1.17 2.34 5,-4.87 11.34 5,-1.29 2.83 5,-1.07 2.77 5,-0.81 2.02 5",
        "GeoMix": "-2.63 6.81 5,-1.33 5.61 5,-0.23 1.06 5,-0.45 2.70 5,-0.60 1.29 5,0.09 0.50 5",
        "S-Mixup": "-3.58 4.12 5,-1.32 6.87 4,-1.87 9.03 4,-13.34 13.32 3"
        ",-1.24 2.93 5,-2.41 5.63 5",
    },
)
"""How much higher a method scores than Vanilla, paired by fold: `difference_by_fold` of all six
datasets.
"""
