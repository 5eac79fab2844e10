"""A first look: two small datasets, three methods, three seeds, and a control."""

from __future__ import annotations

from smixup.app.runs.config import RunConfig
from smixup.app.tables.definitions.quick import EXPERIMENT
from smixup.app.tables.scope import Scope


def by_row(column: str, seed: int = 0) -> dict[str, RunConfig]:
    """The run of each row at its defaults."""
    scope = Scope(seeds=1, first_seed=seed, search=False)
    cells = EXPERIMENT.grid(scope)
    return {cell.row: cell.configs[0] for cell in cells if cell.column == column}


def test_it_is_small() -> None:
    runs = EXPERIMENT.runs(Scope())
    assert {run.dataset for run in runs} == {"MUTAG", "MOTIF"}
    assert {run.method for run in runs} == {"vanilla", "m-mixup", "s-mixup"}
    assert {run.seed for run in runs} == {0, 1, 2}
    assert len(runs) == 2 * 3 * (1 + 1 + 1 + 2), "S-Mixup has two ratios to choose from"
    assert max(run.epochs for run in runs) <= 100


def test_random_order_is_s_mixup_with_another_matcher_alone() -> None:
    rows = by_row("MUTAG")
    control, mixup = rows["random order"], rows["S-Mixup"]
    assert control.method == mixup.method == "s-mixup"
    assert control.method_settings == {"matcher": "random-order"}
    assert set(mixup.method_settings) == {"matcher.max_steps"}, "a shorter fit, nothing else"
    other = {"method_settings": None}
    assert control.to_dict() | other == mixup.to_dict() | other


def test_every_seed_draws_motif_anew_and_all_rows_share_it() -> None:
    first, second = (by_row("MOTIF, 100 graphs", seed) for seed in (0, 1))
    options = [run.dataset_options for run in first.values()]
    assert all(each == options[0] for each in options)
    assert first["Vanilla"].dataset_options["seed"] != second["Vanilla"].dataset_options["seed"]
    assert {run.train_graphs for run in first.values()} == {100}
    assert {run.dataset_options["label_noise"] for run in first.values()} == {0.0}
