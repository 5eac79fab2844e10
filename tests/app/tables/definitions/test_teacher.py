"""Taught arms differ from their like in the teachers alone."""

from __future__ import annotations

from smixup.app.tables.definitions.ladder import DOSE
from smixup.app.tables.definitions.teacher import EXPERIMENT
from smixup.app.tables.scope import Scope


def test_every_taught_arm_stands_beside_the_same_without_mixing_and_without_teachers() -> None:
    cells = EXPERIMENT.grid(Scope(backbones=("gin",), seeds=1))
    by_row = {cell.row: cell.configs[0] for cell in cells if cell.column == "PROTEINS-150"}
    teachers = {row: config.teachers for row, config in by_row.items()}
    assert teachers == {
        "Vanilla": 0,
        "Vanilla, taught": 3,
        "S-Mixup": 0,
        "S-Mixup, taught": 3,
        "random one-to-one, taught": 3,
    }
    settings = {row: config.method_settings for row, config in by_row.items()}
    assert settings["S-Mixup"] == settings["S-Mixup, taught"] == DOSE
    expected = DOSE | {"matcher": "random-order", "matcher.partial": True}
    assert settings["random one-to-one, taught"] == expected


def test_the_columns_are_the_real_ones_with_few_labels() -> None:
    names = {column.name for column in EXPERIMENT.columns}
    assert names >= {"PROTEINS-150", "NCI1-200", "MUTAG-60", "IMDB-B-150"}
    for cell in EXPERIMENT.grid(Scope(methods=("Vanilla",), seeds=1)):
        assert cell.configs[0].dataset != "MOTIF"
        assert cell.configs[0].split == "few"
