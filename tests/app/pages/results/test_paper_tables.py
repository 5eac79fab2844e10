"""The paper's tables: every method less Vanilla, as far as there are runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from simulated_runs import predictions

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.paper_tables import NOT_RUN, paper_tables
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope


def test_a_row_for_every_method_that_was_run(
    keep: Callable[..., str], store: Store, tmp_path: Path
) -> None:
    scope = Scope(datasets=("IMDB-BINARY",), backbones=("gin",), seeds=3, search=False)
    shares = {"Vanilla": 0.7, "DropEdge": 0.7, "SubMix": 0.6, "S-Mixup": 0.8}
    for cell in experiment_named("performance").grid(scope):
        configs = cell.configs[:2] if cell.row == "DropEdge" else cell.configs
        for config in configs if cell.row in shares else ():
            share = shares[cell.row]
            keep(config, predictions=predictions(config.seed, share), accuracy=share)
    text = paper_tables(CommittedRecords(store.records(), store.predictions(), tmp_path))
    title, _, head, _, vanilla, submix, smixup = text.splitlines()  # two runs tell no interval
    assert title == "`performance`, IMDB-BINARY, GIN:"
    assert head.startswith(
        "|  | n | test accuracy | less Vanilla, same splits | would show, 4 of 5 times |"
    )
    assert vanilla == "| Vanilla | 3 | 70.00 |  |  |  |"
    assert submix.startswith("| SubMix | 3 | 60.00 | **-10.00 [")
    assert submix.endswith(" | +0.40 |"), "71.70 less 71.30 in the paper's Table 2"
    assert smixup.startswith("| S-Mixup | 3 | 80.00 | **+10.00 [")
    assert smixup.endswith(" | +2.10 |")


def test_forms_of_s_mixup_are_shown_where_two_of_them_were_run(
    keep: Callable[..., str], store: Store, tmp_path: Path
) -> None:
    scope = Scope(datasets=("IMDB-BINARY",), backbones=("gcn",), seeds=3, search=False)
    shown = []
    for cell in experiment_named("strategies").grid(scope):
        for config in cell.configs:
            keep(config, predictions=predictions(config.seed, 0.7), accuracy=0.7)
        text = paper_tables(CommittedRecords(store.records(), store.predictions(), tmp_path))
        shown.append("`strategies`, IMDB-BINARY, GCN:" in text)
    assert shown == [False, False, True, True], "Vanilla, then one form after another"


def test_without_runs_it_says_so(committed: CommittedRecords) -> None:
    assert paper_tables(committed) == NOT_RUN
