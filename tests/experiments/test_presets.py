"""The presets are the paper's tables, read off independently here."""

from __future__ import annotations

import pytest

from smixup.experiments.presets import OPEN_CHOICES, OTHER, PAPER, open_choice, preset_for, published_matcher
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
    assert all(choice.reason.endswith(".") for choice in OPEN_CHOICES.values())
    assert open_choice("batch_norm", "gin", "NCI1") is True
    assert open_choice("batch_norm", "gcn", "NCI1") is False
    assert open_choice("batch_norm", "gcn", "MOTIF") is True
    assert open_choice("dropout", "gin", "NCI1") == 0.0


def test_the_published_matcher_is_that_of_table_9() -> None:
    expected = {"IMDB-BINARY": (6, 256), "PROTEINS": (5, 256), "REDDIT-BINARY": (4, 8), "ogbg-molhiv": (5, 512)}
    for dataset, (layers, batch_size) in expected.items():
        matcher = GraphMatcher(**published_matcher(dataset))
        assert (matcher.num_layers, matcher.batch_size, matcher.hidden_channels) == (layers, batch_size, 256)
        assert (matcher.learning_rate, matcher.epochs, matcher.correspondences) == (0.001, 500, False)
