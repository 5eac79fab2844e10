"""A configuration is a preset with changes, checked before anything runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.config import configure
from smixup.errors import UsageError


def test_presets_and_changes() -> None:
    config = configure("imdb-b", "gcn", epochs=7, dropout=None)
    assert (config.dataset, config.epochs, config.learning_rate, config.batch_size) == (
        "IMDB-BINARY",
        7,
        0.001,
        256,
    )
    assert (config.dropout, config.batch_norm, config.split) == (0.0, False, "random")
    assert configure("MUTAG", "gin").batch_norm is True
    assert configure("MUTAG", "gin", batch_norm=False).batch_norm is False


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": -1}, "epochs must be 1 or more, not -1"),
        ({"learning_rate": -0.1}, "learning_rate must be above 0"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"num_layers": 0}, "num_layers must be 1 or more"),
        ({"hidden_channels": 0}, "hidden_channels must be 1 or more"),
        ({"label_corruption": 1.5}, "label_corruption must be between 0 and 1"),
        ({"teachers": -1}, "teachers must be 0 or more"),
        ({"split": "half"}, "split must be one of random, official, fold, few, nested"),
        ({"split": "few"}, "the split few needs a number of train graphs"),
        ({"validation_graphs": 9}, "belongs to the split few, not to random"),
        (
            {"split": "few", "train_graphs": 9, "validation_graphs": 0},
            "validation_graphs must be 1 or more or None, not 0",
        ),
        ({"refit": True, "teachers": 1}, "refit goes without teachers"),
        ({"refit": True, "label_corruption": 0.2}, "whose labels are not corrupted"),
        ({"fold": 10}, r"fold must be from 0 to 9"),
        ({"num_folds": 2}, "num_folds must be 3 or more"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"method": "vanila"}, "Did you mean 'vanilla'"),
        ({"backbone": "gim"}, "Did you mean 'gin'"),
        ({"method_settings": {"alpha": 1}}, "method vanilla has no settings"),
    ],
)
def test_wrong_values(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        configure("MOTIF", **changes)


def test_few_graphs_are_tested_at_the_best_epochs_unless_somebody_says_otherwise() -> None:
    few = {"split": "few", "train_graphs": 60}
    assert configure("MOTIF", **few).test_every_epoch is False
    assert configure("MOTIF", **few, test_every_epoch=True).test_every_epoch is True
    assert configure("MOTIF").test_every_epoch is True
    assert configure("MOTIF", test_every_epoch=False).train_settings().test_every_epoch is False


def test_the_fingerprint_tells_configurations_apart() -> None:
    config = configure("MOTIF", dataset_options={"num_graphs": 30})
    assert (
        config.fingerprint() == configure("motif", dataset_options={"num_graphs": 30}).fingerprint()
    )
    others = [
        replace(config, seed=1),
        replace(config, epochs=3),
        replace(config, dataset_options={"num_graphs": 31}),
    ]
    assert len({config.fingerprint(), *(other.fingerprint() for other in others)}) == 4


def test_the_paper_s_matcher_is_asked_for_by_one_setting() -> None:
    plain = configure("IMDB-B", method="s-mixup", method_settings={"alpha": "2"})
    assert plain.method_settings == {"alpha": 2.0}
    settings = configure(
        "IMDB-B", method="s-mixup", method_settings={"matcher.paper": "true", "matcher.epochs": "3"}
    )
    found = settings.method_settings
    assert (
        found["matcher.num_layers"],
        found["matcher.hidden_channels"],
        found["matcher.epochs"],
    ) == (6, 256, 3)
    assert (found["matcher.similarity"], found["matcher.correspondences"]) == ("cosine", False)
    assert "matcher.paper" not in found
    assert replace(settings, seed=1).method_settings == found
    whole = configure("IMDB-B", method="s-mixup", method_settings={"paper": "true"}).method_settings
    assert (whole["transport"], whole["amount"]) == ("paper", None)
    assert "alpha" not in whole, "our own is the same"
    assert whole["matcher.normalization"] == "columns"
    assert whole["matcher.num_layers"] == 6
    off = configure("IMDB-B", method="s-mixup", method_settings={"matcher.paper": False})
    assert off.method_settings == {}
    with pytest.raises(UsageError, match="must be true or false"):
        configure("IMDB-B", method="s-mixup", method_settings={"matcher.paper": "yes please"})


def test_own_files_are_split_by_stratified_folds(tmp_path: Path) -> None:
    file = tmp_path / "molecules.csv"
    file.write_text("smiles,y\nC,1\n", encoding="utf-8")
    config = configure(str(file))
    assert (config.split, config.num_folds, config.fold) == ("fold", 10, 0)
    assert configure(str(file), split="random").split == "random"
    assert configure("MUTAG").split == "random"


@pytest.mark.parametrize("name", ["method_settings", "dataset_options"])
def test_settings_that_are_no_names_with_values(name: str) -> None:
    """As in a damaged export of runs."""
    with pytest.raises(UsageError, match="must be names with values, not alpha"):
        replace(configure("MUTAG", method="s-mixup"), **{name: "alpha"})
