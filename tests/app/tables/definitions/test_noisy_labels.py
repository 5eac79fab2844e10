"""Columns of few-labels in which a share of the training labels is wrong, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from smixup.app.tables.definitions import few_labels
from smixup.app.tables.definitions.noisy_labels import EXPERIMENT, column_name
from smixup.app.tables.scope import Scope

DATASETS = ("PROTEINS", "MOTIF", "NCI1", "IMDB-B", "IMDB-M")
ROWS = ["Vanilla", "S-Mixup", "random one-to-one"]


def test_a_column_is_named_by_its_share() -> None:
    assert column_name("PROTEINS", 0.2) == "PROTEINS, 20% wrong"


def test_five_datasets_two_shares_three_rows_and_ten_seeds() -> None:
    names = {column.name for column in EXPERIMENT.columns}
    assert names == {column_name(name, share) for name in DATASETS for share in (0.2, 0.4)}
    assert [arm.name for arm in EXPERIMENT.arms] == ROWS
    assert (EXPERIMENT.seeds, EXPERIMENT.backbones) == (10, ("gcn", "gin"))


def test_runs_are_those_of_few_labels_but_for_the_wrong_labels() -> None:
    columns = tuple(f"{name}-100" for name in DATASETS)
    scope = Scope(seeds=1, first_seed=3)
    clean = {
        (cell.backbone, cell.row, cell.column): cell.configs[0]
        for cell in few_labels.EXPERIMENT.grid(
            replace(scope, datasets=columns, methods=tuple(ROWS))
        )
    }
    for cell in EXPERIMENT.grid(scope):
        (run,) = cell.configs
        name = cell.column.partition(",")[0]
        like = clean[cell.backbone, cell.row, f"{name}-100"]
        assert cell.column == column_name(name, run.label_corruption)
        assert run == replace(like, label_corruption=run.label_corruption)
