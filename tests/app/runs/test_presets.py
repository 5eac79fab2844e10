"""The presets are the paper's tables, read off independently here."""

from __future__ import annotations

import pytest

from smixup.app.runs.build import make_method
from smixup.app.runs.presets import (
    ALPHAS,
    GRIDS,
    OPEN_SETTINGS,
    OTHER,
    PAPER,
    SIMILARITIES,
    open_setting,
    preset_for,
    published_matcher,
    searched,
)
from smixup.app.runs.registry import METHODS, method_settings
from smixup.matching import GraphMatcher

TABLE_8 = """
IMDB-BINARY 0.001 300 256
PROTEINS 0.001 300 256
NCI1 0.01 500 256
REDDIT-BINARY 0.01 500 16
IMDB-MULTI 0.001 300 256
REDDIT-MULTI-5K 0.01 500 16
ogbg-molhiv 0.001 200 512
"""
TABLE_9 = {
    "IMDB-BINARY": (6, 256),
    "PROTEINS": (5, 256),
    "NCI1": (5, 256),
    "REDDIT-BINARY": (4, 8),
    "IMDB-MULTI": (5, 256),
    "REDDIT-MULTI-5K": (4, 8),
    "ogbg-molhiv": (5, 512),
}


@pytest.mark.parametrize("row", TABLE_8.strip().splitlines())
def test_tables(row: str) -> None:
    name, learning_rate, epochs, batch_size = row.split()
    preset = preset_for(name)
    assert (preset.learning_rate, preset.epochs, preset.batch_size) == (
        float(learning_rate),
        int(epochs),
        int(batch_size),
    )
    assert (preset.matcher_layers, preset.matcher_batch_size) == TABLE_9[name]
    molhiv = name == "ogbg-molhiv"
    assert (preset.num_layers, preset.hidden_channels) == ((5, 300) if molhiv else (4, 32))
    assert preset.split == ("official" if molhiv else "random")


def test_all_seven_and_defaults_for_the_rest() -> None:
    assert len(PAPER) == 7
    assert preset_for("MUTAG") == OTHER
    assert preset_for("MOTIF").epochs > 0


def test_open_choices_have_reasons_and_follow_the_backbone() -> None:
    assert all(choice.reason.endswith(".") for choice in OPEN_SETTINGS.values())
    assert open_setting("batch_norm", "gin", "NCI1") is True
    assert open_setting("batch_norm", "gcn", "NCI1") is False
    assert open_setting("batch_norm", "gcn", "MOTIF") is True
    assert open_setting("dropout", "gin", "NCI1") == 0.0


def test_the_published_matcher_is_that_of_table_9() -> None:
    expected = {
        "IMDB-BINARY": (6, 256),
        "PROTEINS": (5, 256),
        "REDDIT-BINARY": (4, 8),
        "ogbg-molhiv": (5, 512),
    }
    for dataset, (layers, batch_size) in expected.items():
        matcher = GraphMatcher(**published_matcher(dataset))
        assert (matcher.num_layers, matcher.batch_size, matcher.hidden_channels) == (
            layers,
            batch_size,
            256,
        )
        assert (matcher.learning_rate, matcher.epochs, matcher.correspondences) == (
            0.001,
            500,
            False,
        )


def test_the_papers_grid() -> None:
    assert ALPHAS == (0.1, 0.2, 0.5, 1, 2, 5, 10)
    assert set(SIMILARITIES) == {"cosine", "euclidean"}
    assert searched("s-mixup") == {"alpha": ALPHAS, "matcher.similarity": SIMILARITIES}
    assert searched("s-mixup", "matcher.similarity") == {"alpha": ALPHAS}
    assert searched("vanilla") == {}


def test_every_method_but_vanilla_has_a_grid_with_reasons() -> None:
    assert {*GRIDS, "vanilla"} == set(METHODS)
    for grid in GRIDS.values():
        for search in grid.values():
            assert search.reason.endswith(".")
            assert len(set(search.values)) == len(search.values) > 1


@pytest.mark.parametrize(
    ("method", "field"), [(method, field) for method, grid in GRIDS.items() for field in grid]
)
def test_every_value_of_a_grid_can_be_set_and_is_kept(method: str, field: str) -> None:
    for value in GRIDS[method][field].values:
        assert method_settings(method, {field: value}) == {field: value}
        made = make_method(method, 0, {field: value})
        owner, _, name = field.rpartition(".")
        assert getattr(getattr(made, owner) if owner else made, name) == value
