"""Can the sign of the gain be foretold, on a dataset that was not used to find the rule?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.few_labels import HELPS
from smixup.app.pages.results.words import listed, markdown_table
from smixup.app.runs.words import signed
from smixup.app.tables.judged import Judgement
from smixup.app.tables.result import ResultTable

FEATURES = ("the number of labels (log2)", "the error of Vanilla (%)", "GIN rather than GCN")
DESCRIBED = {
    "nodes": "nodes of a graph (log2)",
    "self_match": "copies that the matcher finds again (%)",
    "separation": "triplets that the matcher puts in order (%)",
    "distortion": "mixes away from where their ratio puts them (%)",
}
"""What a line of `FILE` says of a dataset."""

FILE = "datasets_described.jsonl"
DRAWS = 2000
FEWEST = 3
CLEARLY = 0.1


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
    found = committed.compare(table, *HELPS[0])
    described = described_datasets(committed.folder / FILE)
    cases = [_case(table, each, described) for each in found.cells]
    known = all(case.dataset in described for case in cases)
    names = (*FEATURES, *DESCRIBED.values()) if known and described else FEATURES
    shown = [replace(case, features=case.features[: len(names)]) for case in cases]
    return foretelling(shown, names)


def foretelling(cases: Sequence[Case], names: Sequence[str] = FEATURES) -> str:
    """Say in words how well the gains of each dataset are foretold from those of the others, by
    each feature alone and by all together.
    """
    if len({case.dataset for case in cases}) < FEWEST:
        return "Too few datasets were run to ask."
    gains = np.array([case.gain for case in cases])
    always = max(float((gains > 0).mean()), float((gains < 0).mean()))
    together = _leaving_out(cases)
    alone = {
        name: _leaving_out([replace(each, features=(each.features[place],)) for each in cases])
        for place, name in enumerate(names)
    }
    found = [name for name, (right, chance) in alone.items() if _is_rule(right, chance, always)]
    told = "It foretells the sign" if _is_rule(*together, always) else "There is no rule yet"
    if found and not _is_rule(*together, always):
        told = f"Alone, {listed(found)} would; with {len(names)} tries that may be luck"
    words = (
        f"A line fitted to all datasets but one, from the {len(names)} features below, says the "
        f"sign of the gain on the one left out in {100 * together[0]:.0f} % of {len(gains)} cells; "
        f"saying the same everywhere would be right in {100 * always:.0f} %, and shuffled gains do "
        f"as well in {100 * together[1]:.0f} % of draws. **{told}.** Weights are in points per "
        "standard deviation of the feature:"
    )
    weights = dict(zip(names, _line(cases)[0], strict=True))
    rows = [
        [name, signed(weights[name], 2), f"{100 * right:.0f} %", f"{100 * chance:.0f} %"]
        for name, (right, chance) in alone.items()
    ]
    head = ["feature", "weight", "alone, signs right", "shuffled gains do as well"]
    return f"{words}\n\n{markdown_table(head, rows)}"


def _is_rule(right: float, chance: float, always: float) -> bool:
    """Tell whether signs are foretold. Cells of one dataset are alike, so that chance alone would
    be believed too soon: a rule must also be clearly better than saying the same everywhere.
    """
    return right > always + CLEARLY and chance < 0.05


def _leaving_out(cases: Sequence[Case]) -> tuple[float, float]:
    """Return the share of signs that are foretold for datasets left out, and how often shuffled
    gains agree as well.
    """
    datasets = list(dict.fromkeys(case.dataset for case in cases))
    foretold = np.concatenate([_foretold(cases, each) for each in datasets])
    gains = np.array([case.gain for each in datasets for case in cases if case.dataset == each])
    right = float((np.sign(foretold) == np.sign(gains)).mean())
    return right, _by_chance(foretold, gains, right)


def described_datasets(file: Path) -> dict[str, tuple[float, ...]]:
    """Return the features of datasets that were measured once, by the name of the dataset."""
    if not file.is_file():
        return {}
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {line["dataset"]: tuple(float(line[name]) for name in DESCRIBED) for line in lines}


def _case(table: ResultTable, cell: Judgement, described: Mapping[str, tuple[float, ...]]) -> Case:
    dataset, _, labels = cell.column.rpartition("-")
    vanilla = table.cell(cell.backbone, table.reference, cell.column).summary("accuracy")
    assert vanilla is not None, "the comparison has it"
    features = (np.log2(float(labels)), 100 - vanilla.mean, float(cell.backbone == "gin"))
    return Case(dataset, (*features, *described.get(dataset, ())), cell.estimate.mean)


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
