"""Theorem 1 on held-out graphs that are small enough for exact edit distances (Fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from smixup.analysis.theorem import TheoremRecord, TheoremStudy
from smixup.app.runs.opened import open_dataset
from smixup.app.studies.match_quality import OURS, RANDOM, UNIFORM, named
from smixup.edits.edit_costs import AS_PRINTED, METRIC
from smixup.progress import Report, silent

MATCHERS = {OURS: "S-Mixup", RANDOM: "random order", UNIFORM: "uniform"}
COSTS = {"squared node costs": AS_PRINTED, "metric node costs": METRIC}


def theorem_study(
    dataset: str = "MOTIF",
    pairs: int = 20,
    seed: int = 0,
    root: Path | None = None,
    options: Mapping[str, Any] | None = None,
    report: Report = silent,
    max_nodes: int = 9,
) -> list[TheoremRecord]:
    """Measure pairs of graphs of different classes under S-Mixup's matcher and two controls.

    Args:
        dataset: a name in any case.
        pairs: how many.
        seed: of split, matchers and pairs.
        root: the data root.
        options: parameters of the dataset.
        report: told of every step.
        max_nodes: larger graphs are left out.
    """
    study = TheoremStudy(pairs=pairs, costs=COSTS, seed=seed, max_nodes=max_nodes)
    opened = open_dataset(dataset, seed, root=root, options=options)
    study.drawn(opened.held_out)  # fails before the matchers are fitted if there are no such graphs
    matchers = {
        MATCHERS[name]: matcher.fit(opened.train, report)
        for name, matcher in named(MATCHERS, seed).items()
    }
    return study.run(opened.held_out, matchers, report)
