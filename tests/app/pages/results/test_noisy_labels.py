"""The account of wrong labels says what its runs say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from simulated_runs import predictions

from smixup.app.pages.results import noisy_labels
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.sweeps.store import Store
from smixup.app.tables.definitions.noisy_labels import EXPERIMENT, column_name
from smixup.app.tables.scope import Scope

SHARES = {"Vanilla": 0.6, "S-Mixup": 0.7, "random one-to-one": 0.64}


def test_gains_by_share_of_wrong_labels(
    keep: Callable[..., str], store: Store, tmp_path: Path
) -> None:
    columns = tuple(column_name(name, 0.2) for name in ("MOTIF", "PROTEINS"))
    for cell in EXPERIMENT.grid(Scope(datasets=columns, seeds=3, search=False)):
        for config in cell.configs:
            assert config.label_corruption == 0.2
            keep(config, predictions=predictions(config.seed, SHARES[cell.row]))
    text = noisy_labels.accuracy(CommittedRecords(store.records(), store.predictions(), tmp_path))
    assert "| MOTIF, 20% wrong | 3 | 60.00 | **+10.00" in text
    assert "| 20% wrong | 2 | " in text and "| 40% wrong" not in text
    assert "*S-Mixup less Vanilla*: 4 cells; better with an interval in 4" in text


def test_without_runs_it_says_so(committed: CommittedRecords) -> None:
    assert noisy_labels.accuracy(committed) == "Not run yet."


@pytest.mark.parametrize("share", [0.2, 0.4])
def test_columns_are_of_different_datasets(share: float) -> None:
    columns = {column.name: column.dataset for column in EXPERIMENT.columns}
    pool = noisy_labels.POOLS[f"{share:.0%} wrong"]
    assert len({columns[name] for name in pool}) == len(pool) == 5
