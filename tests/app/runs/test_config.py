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
    RunConfig,
    configure,
    normed,
    preset_for,
    prevailing,
    published_matcher,
    read_settings,
    train_command,
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


def test_batch_norm_follows_backbone_and_dataset() -> None:
    names = [("gin", "NCI1"), ("gcn", "NCI1"), ("gcn", "MOTIF")]
    assert [normed(*each) for each in names] == [True, False, True]


def test_presets_and_changes() -> None:
    config = configure("imdb-b", "gcn", epochs=7, dropout=None)
    assert (config.dataset, config.epochs, config.batch_size) == ("IMDB-BINARY", 7, 256)
    assert (config.dropout, config.batch_norm) == (0.0, False)
    assert configure("MUTAG", "gin", batch_norm=False).batch_norm is False


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"epochs": -1}, "epochs must be 1 or more, not -1"),
    ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
    ({"label_corruption": 1.5}, "label_corruption must be between 0 and 1"),
    ({"split": "half"}, "split must be one of random, official, fold, few, nested"),
    ({"split": "few"}, "the split few needs a number of train graphs"),
    ({"split": "time"}, "needs the column of times: --set split_column"),
    ({"validation_graphs": 9}, "belongs to the split few, not to random"),
    ({"refit": True, "teachers": 1}, "refit goes without teachers"),
    (
        {"refit": True, "label_corruption": 0.2},
        "refit goes without teachers and without label_corruption",
    ),
    ({"fold": 10}, "fold must be from 0 to 9"),
    ({"num_folds": 2}, "num_folds must be 3 or more"),
    ({"seed": -1}, "seed must be 0 or more"),
    ({"method": "vanila"}, "Did you mean 'vanilla'"),
    ({"backbone": "gim"}, "Did you mean 'gin'"),
    ({"method_settings": {"alpha": 1}}, "method vanilla has no settings"),
    ({"method": "s-mixup", "method_settings": {"paper": "yes please"}}, "must be true or false"),
]


def test_wrong_values() -> None:
    for changes, words in WRONG:
        with pytest.raises(UsageError) as refusal:
            configure("MOTIF", **changes)
        assert words in str(refusal.value)
    for name in ("method_settings", "dataset_options"):  # as in a damaged file
        with pytest.raises(UsageError, match="must be names with values, not alpha"):
            replace(configure("MUTAG", method="s-mixup"), **{name: "alpha"})


def test_few_graphs_are_tested_at_the_best_epochs_unless_somebody_says_otherwise() -> None:
    few = {"split": "few", "train_graphs": 60}
    assert configure("MOTIF", **few).test_every_epoch is False
    assert configure("MOTIF", **few, test_every_epoch=True).test_every_epoch is True
    assert configure("MOTIF").train_settings().test_every_epoch is True


def test_the_paper_is_asked_for_by_one_setting() -> None:
    def settings(**method: Any) -> dict[str, Any]:
        return dict(configure("IMDB-B", method="s-mixup", method_settings=method).method_settings)

    matcher = settings(**{"matcher.paper": "true", "matcher.epochs": "3"})
    assert (matcher["matcher.num_layers"], matcher["matcher.epochs"]) == (6, 3)
    assert matcher["matcher.correspondences"] is False
    whole = settings(paper=True)
    assert (whole["transport"], whole["amount"], whole["matcher.num_layers"]) == ("paper", None, 6)
    assert settings(**{"matcher.paper": False, "alpha": "2"}) == {"alpha": 2.0}


def test_own_files_are_split_by_stratified_folds(tmp_path: Path) -> None:
    file = tmp_path / "molecules.csv"
    file.write_text("smiles,y\nC,1\n", encoding="utf-8")
    config = configure(str(file))
    assert (config.split, config.num_folds, config.fold) == ("fold", 10, 0)
    before = config.fingerprint()
    file.write_text("smiles,y\nCC,1\n", encoding="utf-8")
    assert configure(str(file)).fingerprint() != before, "the content is part of the run"


def test_the_fingerprint_tells_configurations_apart() -> None:
    config = configure("MOTIF", dataset_options={"num_graphs": 30})
    same = configure("motif", dataset_options={"num_graphs": 30})
    others = [replace(config, seed=1), replace(config, dataset_options={"num_graphs": 31})]
    assert config.fingerprint() == same.fingerprint()
    assert len({each.fingerprint() for each in (config, *others)}) == 3


def test_settings_from_a_file(tmp_path: Path) -> None:
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


def test_the_command_line_prevails_setting_by_setting() -> None:
    file = {"epochs": 7, "seed": 2, "method_settings": {"alpha": 0.5, "partners": 2}}
    said = {"epochs": None, "seed": 5, "method_settings": {"alpha": "1"}, "dataset_options": {}}
    assert prevailing(file, said) == {
        "epochs": 7,
        "seed": 5,
        "method_settings": {"alpha": "1", "partners": 2},
        "dataset_options": {},
    }


WRONG_FILES = [
    ("run.toml", b"epochs = ", "cannot read the settings run.toml"),
    ("run.json", b"{", "cannot read the settings run.json"),
    ("run.json", b"[" * 100_000, "cannot read the settings run.json"),
    ("run.json", b"[1, 2]", "holds no settings"),
    ("run.json", b'{"config": 3}', "holds no settings"),
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


def test_the_command_of_a_run_names_what_differs_from_the_preset() -> None:
    changes = {"epochs": 5, "batch_norm": False, "method_settings": {"alpha": 0.5}}
    config = configure("MOTIF", "gin", "m-mixup", 0, **changes)
    assert train_command(config) == (
        "smixup train MOTIF --backbone gin --method m-mixup --seed 0 --epochs 5 "
        "--set batch_norm=False --set alpha=0.5"
    )


def test_a_configuration_is_plain_data() -> None:
    config = configure("MOTIF", method="s-mixup", method_settings={"alpha": 2})
    assert RunConfig(**json.loads(json.dumps(config.to_dict()))) == config
