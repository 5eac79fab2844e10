"""Can the sign of the gain be foretold, on a dataset that was not used to find the rule?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smixup.lab.pages.results.committed_records import CommittedRecords
from smixup.lab.pages.results.few_labels import HELPS
from smixup.lab.pages.results.words import markdown_table
from smixup.lab.tables.judged import Judgement, compare_rows
from smixup.lab.tables.result import ResultTable

FEATURES = ("the number of labels (log2)", "the error of Vanilla (%)", "GIN rather than GCN")
DRAWS = 2000
FEWEST = 3


@dataclass(frozen=True)
class Case:
    """One cell: what is known before, and the gain."""

    dataset: str
    features: tuple[float, ...]
    gain: float


def rule_of_thumb(committed: CommittedRecords) -> str:
    """Fit a line to all datasets but one, foretell the gains on that one, and compare signs with
    those of guessing.
    """
    table = committed.table("few-labels")
    found = compare_rows(table, committed.kept, *HELPS[0])
    return foretelling([_case(table, each) for each in found.cells])


def foretelling(cases: Sequence[Case]) -> str:
    """Say in words how well the gains of each dataset are foretold from those of the others."""
    datasets = list(dict.fromkeys(case.dataset for case in cases))
    if len(datasets) < FEWEST:
        return "Too few datasets were run to ask."
    foretold = np.concatenate([_foretold(cases, each) for each in datasets])
    gains = np.array([case.gain for each in datasets for case in cases if case.dataset == each])
    right = float((np.sign(foretold) == np.sign(gains)).mean())
    always = max(float((gains > 0).mean()), float((gains < 0).mean()))
    chance = _by_chance(foretold, gains, right)
    told = "It foretells the sign" if right > always and chance < 0.05 else "There is no rule yet"
    words = (
        f"From {', '.join(FEATURES[:-1])} and the backbone, a line fitted to all datasets but one "
        f"says the sign of the gain on the one left out in {100 * right:.0f} % of {len(gains)} "
        f"cells; saying the same everywhere would be right in {100 * always:.0f} %, and shuffled "
        f"gains do as well in {100 * chance:.0f} % of draws. **{told}.** What the line weighs, in "
        "points per standard deviation of the feature:"
    )
    weights = zip(FEATURES, _line(cases)[0], strict=True)
    rows = [[name, f"{weight:+.2f}"] for name, weight in weights]
    return f"{words}\n\n{markdown_table(['feature', 'weight'], rows)}"


def _case(table: ResultTable, cell: Judgement) -> Case:
    dataset, _, labels = cell.column.rpartition("-")
    vanilla = table.cell(cell.backbone, table.reference, cell.column).summary("accuracy")
    assert vanilla is not None, "the comparison has it"
    features = (np.log2(float(labels)), 100 - vanilla.mean, float(cell.backbone == "gin"))
    return Case(dataset, features, cell.estimate.mean)


def _foretold(cases: Sequence[Case], left_out: str) -> NDArray[np.float64]:
    known = [case for case in cases if case.dataset != left_out]
    asked = np.array([case.features for case in cases if case.dataset == left_out])
    mean, scale = _scales(known)
    weights, level = _line(known)
    return (asked - mean) / scale @ weights + level


def _line(cases: Sequence[Case]) -> tuple[NDArray[np.float64], float]:
    mean, scale = _scales(cases)
    x = (np.array([case.features for case in cases]) - mean) / scale
    y = np.array([case.gain for case in cases])
    level = float(y.mean())
    # One case's worth of shrinkage: there are few datasets.
    weights = np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ (y - level))
    return weights.astype(np.float64), level


def _scales(cases: Sequence[Case]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x = np.array([case.features for case in cases])
    spread = x.std(0)
    return x.mean(0), np.where(spread > 0, spread, 1.0)


def _by_chance(foretold: NDArray[np.float64], gains: NDArray[np.float64], right: float) -> float:
    random = np.random.default_rng(0)
    shuffled = (random.permutation(gains) for _ in range(DRAWS))
    hits = [float((np.sign(foretold) == np.sign(each)).mean()) >= right for each in shuffled]
    return float(np.mean(hits))
