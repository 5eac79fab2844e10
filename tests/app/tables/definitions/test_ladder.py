"""Few graphs to train on, many to test on, and columns with norm that differ in nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smixup.app.runs.config import RunConfig
from smixup.app.runs.opened import open_run
from smixup.app.tables.definitions.ladder import EXPERIMENT
from smixup.app.tables.scope import Scope
from smixup.augment import SMixup


def vanilla(backbone: str, seed: int = 0) -> dict[str, RunConfig]:
    """The run of Vanilla in every column."""
    scope = Scope((), (backbone,), ("vanilla",), seeds=1, first_seed=seed)
    return {cell.column: cell.configs[0] for cell in EXPERIMENT.grid(scope)}


@pytest.mark.parametrize(("column", "graphs"), [("MOTIF-60", 60), ("MOTIF-100", 100)])
def test_three_thousand_graphs_of_motif_are_tested(column: str, graphs: int) -> None:
    first, other = (open_run(vanilla("gin", seed)[column]) for seed in (0, 1))
    parts = first.train, first.validation, first.test
    assert [len(part) for part in parts] == [graphs, graphs, 3000]
    assert first.graphs.fingerprint() != other.graphs.fingerprint(), "graphs of its own"


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_batches_are_whole_and_tests_are_seldom(backbone: str) -> None:
    for name, config in vanilla(backbone).items():
        assert config.split == "few"
        assert config.train_graphs is not None
        assert name.split(",")[0].endswith(f"-{config.train_graphs}")
        assert config.train_graphs % config.batch_size == 0
        assert config.train_graphs // config.batch_size >= 2, "an epoch has several steps"
        assert not config.test_every_epoch


def test_norm_is_tried_where_a_gcn_has_none() -> None:
    columns = vanilla("gcn")
    without = {name for name, config in columns.items() if not config.batch_norm}
    assert len(without) == 4
    assert {name.removesuffix(", norm") for name in columns if name.endswith("norm")} == without
    for name in without:
        assert replace(columns[name], batch_norm=True) == columns[f"{name}, norm"]
    under_gin = vanilla("gin")
    assert set(under_gin) == {name for name in columns if not name.endswith("norm")}
    assert all(config.batch_norm for config in under_gin.values())


def test_the_last_step_is_the_dose_and_the_note_tells_where_it_is_not_the_default() -> None:
    cells = EXPERIMENT.grid(Scope(("MOTIF-60",), ("gin",), seeds=1))
    settings = {cell.row: dict(cell.configs[0].method_settings) for cell in cells}
    before, last = settings["+ norm from originals"], settings["+ dose: S-Mixup"]
    assert before == {"transport": "partial", "amount": 0.25}
    assert last == {"transport": "partial", "alpha": 1.0}, "what differs from the defaults"
    assert (SMixup.amount, SMixup.transport) == (1.0, "partial(edges=true)")
    assert "as many mixes as originals, alpha 1. Unlike by default, edges" in EXPERIMENT.note
    for control in ("S-Mixup, random one-to-one", "S-Mixup, nothing learnt"):
        others = {k: v for k, v in settings[control].items() if not k.startswith("matcher")}
        assert others == last
