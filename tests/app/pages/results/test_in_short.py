"""The sentences say what the tables say."""

from __future__ import annotations

from collections.abc import Callable

from simulated_runs import predictions

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.in_short import in_short
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope

SHARES = {"Vanilla": 0.6, "S-Mixup": 0.7, "random one-to-one": 0.75}


def test_counts_and_names(keep: Callable[..., str], store: Store) -> None:
    scope = Scope(datasets=("MUTAG-25", "PROTEINS-25"), backbones=("gin",), seeds=4, search=False)
    for cell in experiment_named("few-labels").grid(scope):
        for config in cell.configs if cell.row in SHARES else ():
            keep(config, predictions=predictions(config.seed, SHARES[cell.row]))
    few, alignment, wrong, probabilities, study = in_short(
        CommittedRecords(store.records(), store.predictions(), store.path.parent)
    ).splitlines()
    assert (
        "2 cells: better in 2 (PROTEINS and MUTAG), worse in none, of which 2 remain after Holm's "
        "correction; 0 are shown" in few
    )
    assert "2 cells: better in none, worse in 2 (PROTEINS and MUTAG)" in alignment
    assert "2 cells: better in 2 (PROTEINS and MUTAG), worse in none" in probabilities
    assert "not run yet" in study and "not run yet" in wrong
