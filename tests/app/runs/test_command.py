"""The command that repeats a run means that very run: the real command line reads it back."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from smixup.app.cli.main import app
from smixup.app.runs.command import train_command
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.presets import PAPER
from smixup.app.tables.registry import NAMES, experiment_named
from smixup.app.tables.scope import Scope

CASES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("MOTIF",), {}),
    (("NCI1", "gcn", "vanilla", 9), {}),
    (("MUTAG", "gin", "drop-edge", 1), {"method_settings": {"p": 0.05}}),
    (("MOTIF", "gcn", "vanilla", 0), {"batch_norm": False, "dropout": 0.25, "weight_decay": 1e-5}),
    (("IMDB-BINARY", "gcn", "vanilla", 2), {"batch_norm": True, "learning_rate": 0.1 + 0.2}),
    (
        ("MOTIF", "gin", "vanilla", 3),
        {"train_graphs": 20, "label_corruption": 0.6, "epochs": 7, "batch_size": 3},
    ),
    (("NCI1", "gin", "vanilla", 3), {"split": "few", "train_graphs": 200}),
    (
        ("MOTIF", "gcn", "vanilla", 3),
        {"split": "few", "train_graphs": 20, "validation_graphs": 9, "test_every_epoch": True},
    ),
    (("MOTIF", "gcn", "vanilla", 3), {"test_every_epoch": False}),
    (
        ("MUTAG", "gin", "s-mixup", 7),
        {"split": "nested", "split_seed": 0, "num_folds": 5, "fold": 2, "refit": True},
    ),
    (("MOTIF", "gcn", "s-cut", 3), {"teachers": 2, "method_settings": {"amount": None}}),
    (("NCI1", "gin", "vanilla", 3), {"split": "fold", "num_folds": 5, "fold": 4, "num_layers": 2}),
    (
        ("MOTIF",),
        {
            "dataset_options": {
                "num_graphs": 60,
                "label_noise": 0.1,
                "seed": 1000,
                "features": "degree",
            }
        },
    ),
    (
        ("ogbg-molhiv", "gin", "s-mixup", 1),
        {"hidden_channels": 64, "precision": "bf16-mixed", "devices": 2},
    ),
    (
        ("PROTEINS", "gin", "s-mixup", 4),
        {
            "method_settings": {
                "alpha": 0.5,
                "amount": None,
                "adaptive": True,
                "partners": None,
            }
        },
    ),
    (
        ("IMDB-MULTI", "gcn", "s-mixup", 5),
        {
            "method_settings": {
                "matcher.similarity": "cosine",
                "matcher.normalization": "sinkhorn",
                "pairing": "same-class",
            }
        },
    ),
    (
        ("MOTIF", "gin", "s-mixup", 0),
        {"method_settings": {"matcher": "random-order", "fold_ratio": False}},
    ),
    (
        ("REDDIT-BINARY", "gin", "s-mixup", 0),
        {"method_settings": {"matcher.paper": True, "matcher.patience": 10}},
    ),
    (
        ("PROTEINS", "gcn", "s-mixup", 0),
        {"method_settings": {"matcher.paper": "true", "alpha": "10"}},
    ),
    (("a name; with $shell & 'quotes'", "gin", "vanilla", 0), {}),
]


@pytest.fixture
def read_back(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], RunConfig]:
    """Give a command to the real command line, which trains nothing and tells what it would
    train.
    """
    asked: list[RunConfig] = []

    def tell(config: RunConfig, *others: object) -> None:
        asked.append(config)
        raise typer.Exit

    monkeypatch.setattr("smixup.app.cli.train._run", tell)

    def read(command: str) -> RunConfig:
        program, *words = shlex.split(command)
        assert program == "smixup"
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.stderr
        return asked.pop()

    return read


@pytest.mark.parametrize(("what", "changes"), CASES)
def test_it_means_the_same_run(
    what: tuple[Any, ...], changes: dict[str, Any], read_back: Callable[[str], RunConfig]
) -> None:
    config = configure(*what, **changes)
    again = read_back(train_command(config))
    assert again == config
    assert again.fingerprint() == config.fingerprint()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_can_be_repeated_run_by_run(
    name: str, read_back: Callable[[str], RunConfig]
) -> None:
    cells = experiment_named(name).grid(Scope(seeds=1))
    for cell in cells[:: max(len(cells) // 6, 1)]:
        last = cell.candidates[-1].configs[0]
        assert read_back(train_command(last)) == last


@pytest.mark.parametrize("dataset", PAPER)
def test_a_preset_needs_no_options(dataset: str) -> None:
    expected = f"smixup train --dataset {dataset} --backbone gcn --method vanilla --seed 1"
    assert train_command(configure(dataset, "gcn", "vanilla", 1)) == expected


def test_only_what_differs_is_named() -> None:
    config = configure("MOTIF", "gin", "m-mixup", 0, epochs=5, method_settings={"alpha": 0.5})
    expected = (
        "smixup train --dataset MOTIF --backbone gin --method m-mixup --seed 0 --epochs 5 "
        "--set alpha=0.5"
    )
    assert train_command(config) == expected
