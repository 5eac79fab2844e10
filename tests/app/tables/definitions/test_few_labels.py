"""Numbers of graphs to train on, each with whole batches, and mixes along a random alignment."""

from __future__ import annotations

from functools import cache

import pytest

from smixup.app.runs.config import RunConfig
from smixup.app.tables.definitions.few_labels import CONDITIONS, EPOCHS, EXPERIMENT
from smixup.app.tables.scope import Scope

LATER = ("FGWMixup", "GeoMix", "GED-Mixup")


@cache
def runs(backbone: str = "gcn", seed: int = 0) -> dict[tuple[str, str], RunConfig]:
    """The run of every row and column."""
    cells = EXPERIMENT.grid(Scope((), (backbone,), seeds=1, first_seed=seed))
    return {(cell.row, cell.column): cell.configs[0] for cell in cells}


def test_six_datasets_at_25_to_200_graphs_and_twenty_seeds() -> None:
    names = {column.name for column in EXPERIMENT.columns}
    every = {f"{name}-{number}" for name in CONDITIONS for number in (25, 50, 100, 200)}
    assert names == every - {"MUTAG-200"}, "188 graphs do not suffice"
    assert (len(CONDITIONS), len(names), EXPERIMENT.seeds) == (6, 23, 20)
    assert EXPERIMENT.backbones == ("gcn", "gin")


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_a_column_is_what_its_name_says(backbone: str) -> None:
    for (_, column), run in runs(backbone).items():
        name, _, number = column.rpartition("-")
        assert (run.dataset, run.train_graphs) == (CONDITIONS[name][0], int(number))
        assert run.train_graphs % run.batch_size == 0, "a last batch of few misleads batch norm"
        assert (run.split, run.epochs) == ("few", EPOCHS[run.train_graphs])
        assert run.validation_graphs == (30 if column == "MUTAG-100" else None), "as many validate"
        assert run.selection == "score"
        assert not run.test_every_epoch


def test_fewer_graphs_have_more_epochs_but_not_more_steps() -> None:
    steps = [epochs * number // 25 for number, epochs in sorted(EPOCHS.items())]
    assert steps == sorted(steps)
    assert [*EPOCHS.values()] == sorted(EPOCHS.values(), reverse=True)


def test_random_one_to_one_differs_from_s_mixup_in_the_alignment_alone() -> None:
    found = {row: run for (row, _), run in runs().items()}
    settings = {row: dict(run.method_settings) for row, run in found.items()}
    assert settings.pop("random one-to-one") == {"matcher": "random-order", "matcher.partial": True}
    assert found["random one-to-one"].method == found["S-Mixup"].method == "s-mixup"
    assert settings == {row: {} for row in ("Vanilla", "S-Mixup", *LATER)}, "as by default"


def test_every_seed_splits_the_same_graphs_of_motif_that_are_new() -> None:
    first, second = (runs(seed=seed)["S-Mixup", "MOTIF-50"] for seed in (0, 1))
    assert dict(first.dataset_options) == dict(second.dataset_options)
    assert first.dataset_options["num_graphs"] == 2400
    assert first.dataset_options["seed"] == 1000, "not those of the default"
    assert first.seed_of_split != second.seed_of_split
