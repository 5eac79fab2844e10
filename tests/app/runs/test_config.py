"""A configuration is a preset with changes, checked before anything runs, and the presets are the
paper's tables, read off independently here.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.config import (
    OTHER,
    PAPER,
    configure,
    normed,
    preset_for,
    prevailing,
    published_matcher,
    read_settings,
)
from smixup.errors import UsageError
from smixup.matching import GraphMatcher

TABLES_8_AND_9 = {
    "IMDB-BINARY": (0.001, 300, 256, 6, 256),
    "PROTEINS": (0.001, 300, 256, 5, 256),
    "NCI1": (0.01, 500, 256, 5, 256),
    "REDDIT-BINARY": (0.01, 500, 16, 4, 8),
    "IMDB-MULTI": (0.001, 300, 256, 5, 256),
    "REDDIT-MULTI-5K": (0.01, 500, 16, 4, 8),
    "ogbg-molhiv": (0.001, 200, 512, 5, 512),
}


def test_the_papers_tables() -> None:
    assert set(PAPER) == set(TABLES_8_AND_9)
    for name, (rate, epochs, batch, layers, matcher_batch) in TABLES_8_AND_9.items():
        config, matcher = configure(name), GraphMatcher(**published_matcher(name))
        assert (config.learning_rate, config.epochs, config.batch_size) == (rate, epochs, batch)
        assert (matcher.num_layers, matcher.batch_size) == (layers, matcher_batch)
        assert (matcher.learning_rate, matcher.epochs, matcher.hidden_channels) == (0.001, 500, 256)
        molhiv = name == "ogbg-molhiv"
        sizes = (config.num_layers, config.hidden_channels, config.split)
        assert sizes == ((5, 300, "official") if molhiv else (4, 32, "random"))
    assert preset_for("MUTAG") == OTHER


def test_presets_and_changes() -> None:
    config = configure("imdb-b", "gcn", epochs=7, dropout=None)
    assert (config.dataset, config.epochs, config.batch_size) == ("IMDB-BINARY", 7, 256)
    names = [("gin", "NCI1"), ("gcn", "NCI1"), ("gcn", "MOTIF")]
    assert [normed(*each) for each in names] == [True, False, True]
    assert configure("MUTAG", "gin", batch_norm=False).batch_norm is False
    few = {"split": "few", "train_graphs": 60}
    tested = (few, few | {"test_every_epoch": True}, {})
    assert [configure("MOTIF", **each).test_every_epoch for each in tested] == [False, True, True]


WRONG: list[tuple[dict[str, Any], str]] = [  # and those of `test_train.py`
    ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
    ({"validation_graphs": 9}, "belongs to the split few, not to random"),
    ({"refit": True, "teachers": 1}, "refit goes without teachers"),
    ({"refit": True, "label_corruption": 0.2}, "and without label_corruption"),
    ({"fold": 10}, "fold must be from 0 to 9"),
    ({"num_folds": 2}, "num_folds must be 3 or more"),
    ({"seed": -1}, "seed must be 0 or more"),
    ({"method": "vanila"}, "Did you mean 'vanilla'"),
    ({"method": "s-mixup", "method_settings": {"paper": "yes please"}}, "must be true or false"),
    ({"dataset_options": "alpha"}, "must be names with values, not alpha"),
]


def test_wrong_values() -> None:
    for changes, words in WRONG:
        with pytest.raises(UsageError) as refusal:
            configure("MOTIF", **changes)
        assert words in str(refusal.value)


def test_the_paper_is_asked_for_by_one_setting() -> None:
    def settings(**method: Any) -> dict[str, Any]:
        return dict(configure("IMDB-B", method="s-mixup", method_settings=method).method_settings)

    matcher = settings(**{"matcher.paper": "true", "matcher.epochs": "3"})
    assert (matcher["matcher.num_layers"], matcher["matcher.epochs"]) == (6, 3)
    assert matcher["matcher.correspondences"] is False
    whole = settings(paper=True)
    assert (whole["transport"], whole["amount"], whole["matcher.num_layers"]) == ("paper", None, 6)
    assert settings(**{"matcher.paper": False, "alpha": "2"}) == {"alpha": 2.0}


def test_the_fingerprint_tells_configurations_and_own_files_apart(tmp_path: Path) -> None:
    config = configure("MOTIF", dataset_options={"num_graphs": 30})
    same = configure("motif", dataset_options={"num_graphs": 30})
    others = [replace(config, seed=1), replace(config, dataset_options={"num_graphs": 31})]
    assert config.fingerprint() == same.fingerprint()
    assert len({each.fingerprint() for each in (config, *others)}) == 3
    file = tmp_path / "molecules.csv"
    file.write_text("smiles,y\nC,1\n", encoding="utf-8")
    own = configure(str(file))
    assert (own.split, own.num_folds, own.fold) == ("fold", 10, 0)
    before = own.fingerprint()
    file.write_text("smiles,y\nCC,1\n", encoding="utf-8")
    assert own.fingerprint() != before


def test_settings_from_a_file_lie_under_those_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        'dataset = "MOTIF"\nmethod = "s-mixup"\nepochs = 7\n'
        '[method_settings]\nalpha = 0.5\n"matcher.max_steps" = 3\n'
    )
    config = configure(**read_settings(path))
    assert (config.method, config.epochs) == ("s-mixup", 7)
    assert config.method_settings == {"alpha": 0.5, "matcher.max_steps": 3}
    for printed in (config.to_dict(), {"test": 0.9, "seed": 3, "config": config.to_dict()}):
        path.with_suffix(".json").write_text(json.dumps(printed))
        assert configure(**read_settings(path.with_suffix(".json"))) == config
    file = {"epochs": 7, "seed": 2, "method_settings": {"alpha": 0.5, "partners": 2}}
    said = {"epochs": None, "seed": 5, "method_settings": {"alpha": "1"}}
    tables = {"method_settings": {"alpha": "1", "partners": 2}, "dataset_options": {}}
    assert prevailing(file, said) == {"epochs": 7, "seed": 5, **tables}


WRONG_FILES = [
    ("run.toml", b"epochs = ", "cannot read the settings run.toml"),
    ("run.json", b"{", "cannot read the settings run.json"),
    ("run.json", b"[" * 100_000, "cannot read the settings run.json"),
    ("run.json", b"[1, 2]", "holds no settings"),
    ("run.toml", b"epoch = 3", "epochs"),
    ("run.toml", b"method_settings = 3", "run.toml must be names with values"),
    ("run.toml", b"\xff\xfe", "cannot read the settings"),
]


def test_files_that_are_refused(tmp_path: Path) -> None:
    for name, text, words in WRONG_FILES:
        (tmp_path / name).write_bytes(text)
        with pytest.raises(UsageError) as refusal:
            read_settings(tmp_path / name)
        assert words in str(refusal.value).replace(f"{tmp_path}/", "")
    with pytest.raises(UsageError, match="cannot read the settings"):
        read_settings(tmp_path / "none.toml")
