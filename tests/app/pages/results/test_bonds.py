"""The rehearsal is shown as far as it was run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from smixup.app.pages.results.bonds import rehearsal
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope


def test_scores_seed_by_seed(keep: Callable[..., str], store: Store, tmp_path: Path) -> None:
    for cell in experiment_named("bonds").grid(Scope()):
        for config in cell.configs:
            if cell.backbone == "gine" and (cell.row == "Vanilla" or config.seed < 2):
                test = 0.70 + 0.01 * config.seed + (0.005 if cell.row == "S-Mixup" else 0)
                keep(config, metric="rocauc", test=test, epochs=3, seconds=6.0)
    committed = CommittedRecords(store.records(), {}, tmp_path)
    words, _, head, _, gine, gcn = rehearsal(committed).splitlines()
    assert words == "5 of 12 runs are on record, of 3 epochs each."
    assert head.startswith("|  | seeds | Vanilla | S-Mixup | S-Mixup less Vanilla |")
    assert gine.startswith("| `gine` | 0, 1, 2 | 70.0, 71.0, 72.0 | 70.5, 71.5 | +0.5, +0.5 |")
    assert gcn == "| `gcn-edge` |  |  |  |  |  |  |"


def test_nothing_was_run(store: Store, tmp_path: Path) -> None:
    found = rehearsal(CommittedRecords(store.records(), {}, tmp_path))
    assert found == "0 of 12 runs are on record, of 3 epochs each."
