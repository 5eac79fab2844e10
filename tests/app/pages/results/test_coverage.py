"""What was run is counted, and so is what was not."""

from __future__ import annotations

from collections.abc import Callable

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.coverage import coverage
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope


def test_runs_by_column_and_commit(
    committed: CommittedRecords, keep: Callable[..., str], store: Store
) -> None:
    more = experiment_named("few-labels").runs(Scope(datasets=("MUTAG-50",), seeds=1, search=False))
    keep(more[0], versions={"commit": "abc"})
    keep(more[1], error="no memory")
    text = coverage(CommittedRecords(store.records(), store.predictions(), committed.folder))
    words, _, *lines = text.splitlines()
    assert words == (
        "37 runs, by commit: 36 by `unknown`, 1 by `abc`; 1 failed. A run that two experiments "
        "share is counted in the rows of both."
    )
    assert "| `few-labels` | MUTAG-25 | 18 | 240 |" in lines
    assert "| `few-labels` | MUTAG-50 | 1 | 240 |" in lines
    assert "| `icml2026` | NCI1 | 0 | 390 |" in lines


def test_a_search_counts_all_of_its_settings(keep: Callable[..., str], store: Store) -> None:
    scope = Scope(datasets=("MUTAG",), backbones=("gin",), methods=("SubMix",), seeds=1)
    for config in experiment_named("icml2026-search").runs(scope)[:4]:
        keep(config)
    text = coverage(CommittedRecords(store.records(), store.predictions(), store.path.parent))
    assert "| `icml2026-search` | MUTAG | 4 | 750 |" in text.splitlines()
    assert "| `icml2026-search` | NCI1 | 0 | 750 |" in text.splitlines()
