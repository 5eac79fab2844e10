"""The steps from the study's S-Mixup to ours: each less Vanilla, and less the one before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from simulated_runs import predictions

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.icml2026 import LADDER, rungs
from smixup.app.runs.config import RunConfig
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope

SHARES = {
    "Vanilla": 0.60,
    "the study's S-Mixup": 0.50,
    "+ weights heard": 0.55,
    "+ originals kept": 0.65,
    "SubMix": 0.62,
}


def mean(interval: str) -> float:
    """The number before an interval."""
    return float(interval.strip("*").split(" [")[0])


def near(points: float) -> Any:
    return pytest.approx(points, abs=0.5)


def recorded(
    keep: Callable[..., str], store: Store, wanted: Callable[[str, RunConfig], bool]
) -> CommittedRecords:
    """Records of two datasets and both backbones, as far as they are wanted."""
    scope = Scope(datasets=("MUTAG", "PROTEINS"), search=False)
    for cell in experiment_named("icml2026").grid(scope):
        for config in cell.configs if cell.row in SHARES else ():
            if wanted(cell.row, config):
                share = SHARES[cell.row] + 0.01 * (config.seed % 2)
                keep(config, predictions=predictions(config.seed, share))
    return CommittedRecords(store.records(), store.predictions(), store.path.parent)


def test_rows_that_lack_folds_are_named(keep: Callable[..., str], store: Store) -> None:
    def wanted(row: str, config: RunConfig) -> bool:
        if row == "SubMix" and config.backbone == "gin":
            return config.dataset == "MUTAG" and config.seed in (0, 1, 2, 5)
        return row in ("Vanilla", "SubMix") and config.seed < 10

    committed = recorded(keep, store, wanted)
    _, rounds, lacking = rungs(committed).split("\n\n")
    assert rounds == "The study tests its 5 folds in 3 rounds. Rounds run here: 2 of 3 in 2 cells."
    assert lacking == (
        "Folds tested in none of the rounds: *SubMix* 2 of 5 on MUTAG with GIN "
        "and 5 of 5 on PROTEINS with GIN."
    )


def test_a_step_is_compared_with_vanilla_and_with_the_step_before(
    keep: Callable[..., str], store: Store
) -> None:
    committed = recorded(keep, store, lambda row, config: config.seed < 5)
    table, rounds = rungs(committed).split("\n\n")
    assert rounds == "The study tests its 5 folds in 3 rounds. Rounds run here: 1 of 3 in 16 cells."
    _, _, study, heard, kept, submix = (line.split(" | ") for line in table.splitlines())
    assert study[0] == "| the study's S-Mixup" and study[1] == "MUTAG, PROTEINS"
    assert mean(study[2]) == near(-10) and study[-1].strip(" |") == "", "none before the first"
    assert mean(heard[2]) == near(-5) and mean(heard[-1]) == near(5)
    assert mean(kept[2]) == near(5) and mean(kept[-1]) == near(10)
    assert submix[0] == "| SubMix" and submix[-1].strip(" |") == "", "no step of the ladder"


def test_the_ladder_leads_from_the_study_to_the_default() -> None:
    assert LADDER[0] == "the study's S-Mixup"
    assert LADDER[-1] == "+ dose: S-Mixup"
    assert len(LADDER) == 7
