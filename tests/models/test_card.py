"""The card says what the model is, and only what is known of it."""

from __future__ import annotations

from dataclasses import replace

from smixup.models import Model
from smixup.tasks import Classes


def test_what_is_known_is_told(classes: Model) -> None:
    about = {
        **classes.about,
        "scores": {
            "metric": "accuracy",
            "test": 0.81234,
            "validation": 0.9,
            "coverage": {"level": 0.9, "test": 0.888},
        },
        "split": {"kind": "random", "train": 10, "validation": 5, "test": 7},
        "command": "smixup train MUTAG --out model",
        "notes": ["3 molecules were left out."],
    }
    card = replace(classes, about=about).card
    for text in (
        "one of 3 classes".removeprefix("one of "),
        "| test | 0.8123 | 7 |",
        "hold the truth of 88.8 % of the test split",
        "smixup train MUTAG --out model",
        "- 3 molecules were left out.",
        "the split was drawn at random",
    ):
        assert text in card
    assert "18 validation graphs" in card, "those that calibrate"


def test_what_is_not_known_is_left_out(values: Model, classes: Model) -> None:
    card = replace(values, about={}).card
    assert card.startswith("# A model of graphs\n\nIt predicts values of a graph: nodes, energy.")
    assert "Scores" not in card
    assert "temperature" not in card
    assert "the test split had no part" not in classes.card
    balanced = replace(classes, task=Classes(("a", "b"), balanced=True))
    assert "Not how frequent classes are" in balanced.card
    assert "Not how frequent classes are" not in classes.card
