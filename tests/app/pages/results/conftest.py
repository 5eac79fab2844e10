"""Records of runs that nobody computed, whose quality is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from simulated_runs import predictions

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope

SHARES = {"Vanilla": 0.6, "S-Mixup": 0.7, "random one-to-one": 0.64}
SCOPE = Scope(datasets=("MUTAG-25", "PROTEINS-25"), seeds=3, search=False)


@pytest.fixture
def committed(keep: Callable[..., str], store: Store, tmp_path: Path) -> CommittedRecords:
    """Few labels on two datasets: S-Mixup is ten points better than Vanilla; all train for 1.5 s,
    and S-Mixup's runs take 14 s in all.
    """
    for cell in experiment_named("few-labels").grid(SCOPE):
        for config in cell.configs if cell.row in SHARES else ():
            share = SHARES[cell.row] + 0.02 * (config.seed % 2)
            seconds = 14.0 if cell.row == "S-Mixup" else 2.0
            said = predictions(config.seed, share)
            keep(config, seconds=seconds, predictions=said, accuracy=share)
    return CommittedRecords(store.records(), store.predictions(), tmp_path)
