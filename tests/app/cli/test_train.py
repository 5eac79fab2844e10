"""`smixup train` from end to end on tiny data."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app
from smixup.app.compare.pairs import DataFacts
from smixup.app.compare.settings import CompareSettings

TINY = [
    "train",
    "--dataset",
    "MOTIF",
    "--data",
    "num_graphs=40",
    "--data",
    "features=degree",
    "--batch-size",
    "16",
]
KEYS = {
    *(
        "dataset",
        "backbone",
        "method",
        "seed",
        "metric",
        "test",
        "validation",
        "best_epoch",
        "epochs",
        "seconds",
    ),
    *("config", "versions", "test_loss", "calibration_error"),
    *("accuracy", "rocauc", "brier", "temperature"),
    *("scaled_loss", "scaled_brier", "scaled_calibration_error"),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*TINY, *arguments])


def without_time(text: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(text).items() if name != "seconds"}


@pytest.mark.parametrize("edges", ["sampled", "weighted"])
def test_edges_of_mixes_are_a_setting(edges: str) -> None:
    settings = ("--set", f"edges={edges}", "--set", "matcher=identity")
    found = invoke("--method", "s-mixup", *settings, "--epochs", "2", "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["config"]["method_settings"]["edges"] == edges


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_json_is_exactly_one_object_and_repeats_to_the_bit(backbone: str, elsewhere: Path) -> None:
    arguments = [
        "--backbone",
        backbone,
        "--method",
        "vanilla",
        "--seed",
        "1",
        "--epochs",
        "3",
        "--json",
    ]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert set(found) == KEYS
    assert (found["dataset"], found["backbone"], found["seed"], found["epochs"]) == (
        "MOTIF",
        backbone,
        1,
        3,
    )
    assert 0 <= found["test"] <= 1
    assert found["config"]["dataset_options"] == {"num_graphs": 40, "features": "degree"}
    assert "training 3/3" in result.stderr
    assert without_time(invoke(*arguments).stdout) == without_time(result.stdout)
    assert not list(elsewhere.iterdir()), "a checkpoint that nobody named is gone after the run"


def test_a_table_for_people() -> None:
    result = invoke("--epochs", "1")
    assert result.exit_code == 0
    assert "test accuracy" in result.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    ("method", "words"),
    [("vanilla", "data"), ("s-mixup", "matcher")],
)
def test_times_tell_what_comes_before_training(method: str, words: str) -> None:
    settings = ["--set", "matcher.max_steps=1"] if method == "s-mixup" else []
    command = [*TINY, "--method", method, "--epochs", "1", *settings]
    result = CliRunner().invoke(app, command)
    assert re.search(rf"{words} \d+\.\d s \+ training \d+\.\d s", result.stdout)


def test_attributes_that_nobody_decided_about_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "root" / "PATHS" / "raw"
    folder.mkdir(parents=True)
    graphs, half = 20, "not used: --data attributes=true"
    for part, lines in {
        "A": [f"{i}, {j}" for g in range(graphs) for i, j in ((2 * g + 1, 2 * g + 2),)],
        "graph_indicator": [g + 1 for g in range(graphs) for _ in range(2)],
        "graph_labels": [g % 2 for g in range(graphs)],
        "node_labels": [node % 3 for node in range(2 * graphs)],
        "node_attributes": [f"{node / 7}, {node % 5}" for node in range(2 * graphs)],
    }.items():
        (folder / f"PATHS_{part}.txt").write_text("".join(f"{line}\n" for line in lines))
    command = ["train", "--dataset", "PATHS", "--root", str(tmp_path / "root"), "--epochs", "1"]
    said = [
        CliRunner().invoke(app, [*command, *more]).stdout
        for more in ([], ["--data", "attributes=true"], ["--data", "attributes=false"])
    ]
    assert [half in each for each in said] == [True, False, False]
    assert f"2 node attributes, {half}" in said[0]
    kept = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "model")])
    assert f"2 node attributes, {half}." in kept.stderr
    settings = CompareSettings("PATHS", root=tmp_path / "root")
    assert DataFacts.of(settings).notes == (f"2 node attributes, {half}.",)
    asked = CompareSettings("PATHS", dataset_options={"attributes": True}, root=tmp_path / "root")
    assert DataFacts.of(asked).notes == ()


def test_options_reach_the_configuration() -> None:
    options = (
        "--epochs 1 --lr 0.02 --dropout 0.1 --no-batch-norm --split fold --num-folds 4 --fold 2 "
        "--num-layers 2 --json"
    )
    options += " --hidden-channels 8 --label-corruption 0.2 --weight-decay 0.01"
    config = json.loads(invoke(*options.split()).stdout)["config"]
    expected = {
        "learning_rate": 0.02,
        "dropout": 0.1,
        "batch_norm": False,
        "split": "fold",
        "num_folds": 4,
        "fold": 2,
    }
    expected |= {
        "num_layers": 2,
        "hidden_channels": 8,
        "label_corruption": 0.2,
        "weight_decay": 0.01,
    }
    assert expected.items() <= config.items()


def test_few_graphs() -> None:
    result = invoke("--epochs", "2", "--split", "few", "--train-graphs", "9", "--json")
    assert result.exit_code == 0, result.stderr
    config = json.loads(result.stdout)["config"]
    expected = {"split": "few", "train_graphs": 9, "test_every_epoch": False}
    assert expected.items() <= config.items()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epochs", "-1"], "epochs must be 1 or more, not -1."),
        (["--lr", "0"], "learning_rate must be above 0, not 0.0."),
        (["--threads", "0"], "threads must be 1 or more, not 0."),
        (
            ["--split", "half"],
            "split must be one of random, official, fold, few, nested, group, scaffold, time, not "
            "half.",
        ),
        (
            ["--split", "official"],
            "MOTIF has no official split: choose random, fold, few or nested.",
        ),
        (["--split", "few"], "the split few needs a number of train graphs."),
        (
            ["--split", "few", "--train-graphs", "20"],
            "20 graphs to train and 20 to validate leave none of 40 to test; take fewer.",
        ),
        (["--backbone", "gim"], "Did you mean 'gin'?"),
        (["--set", "alpha=1"], "method vanilla has no settings, so 'alpha' cannot be set."),
        (["--set", "alpha"], "'alpha' must have the form name=value."),
        (["--data", "colour=red"], "MOTIF has no option 'colour'"),
    ],
)
def test_wrong_values_say_what_is_allowed(arguments: list[str], message: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_resuming_what_was_never_begun_fails_with_a_reason() -> None:
    result = invoke("--epochs", "2", "--resume")
    assert result.exit_code == 1
    assert "there is no checkpoint" in result.stderr


def heed_interrupts() -> None:
    """A shell's background jobs, and all that they start, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
def test_a_stopped_command_leaves_a_checkpoint_and_resumes_to_the_same_result(
    elsewhere: Path,
) -> None:
    options = ["--epochs", "200", "--num-layers", "1", "--seed", "3", "--threads", "1", "--json"]
    command = [sys.executable, "-m", "smixup", *TINY, *options]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=elsewhere,
        preexec_fn=heed_interrupts,
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("training 20/200"), first
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "--resume" in stderr
    assert stdout == ""
    resumed, whole = invoke(*options, "--resume"), invoke(*options)
    assert without_time(resumed.stdout) == without_time(whole.stdout)
    assert "training 20/200" in whole.stderr
    assert "training 20/200" not in resumed.stderr, "it went on, not from the beginning"


def test_a_printed_result_can_be_fed_back_as_settings(elsewhere: Path) -> None:
    first = invoke("--epochs", "1", "--backbone", "gcn", "--seed", "3", "--json")
    (elsewhere / "run.json").write_text(first.stdout)
    again = CliRunner().invoke(app, ["train", "--config", "run.json", "--json"])
    assert without_time(again.stdout) == without_time(first.stdout)
    other = CliRunner().invoke(app, ["train", "--config", "run.json", "--seed", "4", "--json"])
    assert json.loads(other.stdout)["config"] == json.loads(first.stdout)["config"] | {"seed": 4}


def test_settings_that_do_not_exist_are_refused(elsewhere: Path) -> None:
    (elsewhere / "run.toml").write_text("epoch = 3\n")
    result = CliRunner().invoke(app, ["train", "--config", "run.toml"])
    assert result.exit_code == 2 and "epochs" in result.stderr
