"""`smixup train` and `smixup compare` on tiny data: results, settings, checkpoints, refusals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from smixup.app.runs.config import RunConfig, train_command
from smixup.models import load_model

Run = Callable[..., Result]
TINY = ["train", "MOTIF", "--data", "num_graphs=40", "--set", "batch_size=16", "--epochs", "2"]
PAIRS = ["compare", "MOTIF", "--data", "num_graphs=36", "--set", "num_folds=3", "--epochs", "1"]
PAIRS += ["--seeds", "2", "--workers", "1", "--method", "drop-edge"]


def without_time(text: str) -> dict[str, Any]:
    timed = ("seconds", "members")
    return {name: value for name, value in json.loads(text).items() if name not in timed}


def test_the_command_that_is_told_repeats_to_the_bit(fine: Run) -> None:
    words = [*TINY, "--backbone", "gcn", "--seed", "1", "--json"]
    first = fine(*words)
    found = json.loads(first.stdout)
    assert (found["config"]["backbone"], found["config"]["seed"]) == ("gcn", 1)
    assert {"test", "validation", "test_loss", "accuracy", "metric"} <= set(found)
    assert not list(Path().iterdir()), "the checkpoint is gone after the run"
    command = train_command(RunConfig(**found["config"])).split()[1:]
    assert without_time(fine(*command, "--json").stdout) == without_time(first.stdout)


def test_without_a_model_the_best_is_kept(fine: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smixup.classical.forest.TREES", 20)
    words = ["train", "MOTIF", "--data", "num_graphs=60", "--budget", "0.001s"]
    text = fine(*words, "--out", "m").stdout
    assert "accuracy by cross-validation" in text and "Kept: forest, 0." in text
    assert text.count("left out: no time within the budget") == 3
    scores = json.loads(fine(*words, "--json").stdout)
    assert scores["weights"] == {"forest": 1.0} and 0 < scores["sure"] <= 1
    assert (
        f"| forest | {scores['tried']['forest']['score']:.4f} |" in Path("m/README.md").read_text()
    )
    fine("predict", "m", "MOTIF", "--data", "num_graphs=10", "--out", "p.csv")
    fine("explain", "m", "MOTIF", "--data", "num_graphs=10", "--out", "e.html")
    kept = load_model("m")
    assert kept.about["split"]["train"] == kept.calibration.numbers[0] == 60


def test_settings_of_the_run_and_of_the_method_reach_the_configuration(fine: Run) -> None:
    run = ["dropout=0.1", "learning_rate=0.02", "num_folds=4", "fold=2", "label_corruption=0.2"]
    words = [word for name in (*run, "matcher=identity") for word in ("--set", name)]
    more = ["--split", "fold", "--method", "s-mixup", "--json"]
    config = json.loads(fine(*TINY, *words, *more).stdout)["config"]
    expected = {"dropout": 0.1, "learning_rate": 0.02, "num_folds": 4, "fold": 2, "split": "fold"}
    assert expected.items() <= config.items() and config["label_corruption"] == 0.2
    assert config["method_settings"] == {"matcher": "identity"}


def test_an_ensemble_replaces_an_earlier_model(fine: Run, model: Path) -> None:
    text = fine(*TINY, "--out", "m").stdout
    assert "MOTIF, gin, vanilla, seed 0" in text and "test accuracy" in text
    result = fine(*TINY, "--out", "m", "--ensemble", "2", "--json")
    found = json.loads(result.stdout)
    assert [member["seed"] for member in found["members"]] == [0, 1]
    assert [file.name for file in Path().iterdir()] == ["m"], "checkpoints are gone"
    assert "too few validation graphs for sets" in fine("predict", "m", "MOTIF").stderr


WRONG = [
    (["--epochs", "-1"], "epochs must be 1 or more, not -1."),
    (["--set", "learning_rate=0"], "learning_rate of a run must be above 0, not 0.0."),
    (["--split", "half"], "split must be one of random, official,"),
    (["--split", "official"], "MOTIF has no official split"),
    (["--split", "few", "--set", "train_graphs=20"], "leave none of 40 to test; take fewer."),
    (["--backbone", "gim"], "Did you mean 'gin'?"),
    (["--set", "alpha=1"], "unknown setting of method vanilla 'alpha'. Known: none."),
    (["--set", "refit=maybe"], "refit of a run must be true or false, not 'maybe'."),
    (["--data", "colour=red"], "MOTIF has no option 'colour'"),
    (["--target", "y"], "MOTIF has no option 'target'"),
    (["--metric", "mae"], "mae is no score of classes"),
    (["--ensemble", "2"], "--ensemble keeps several models: name a folder"),
    (["--out", "m", "--ensemble", "0"], "ensemble must be 1 or more, not 0"),
    (["--out", "full"], "full exists and holds thesis.tex: name a new folder"),
]


def test_what_is_wrong_is_said_before_anything_is_trained(refused: Callable[..., None]) -> None:
    Path("full").mkdir()
    Path("full", "thesis.tex").touch()
    for words, message in WRONG:
        refused(message, *TINY, *words)
    refused("there is no checkpoint", *TINY, "--resume")
    refused("cannot write the model", *TINY, "--out", "full/thesis.tex/model")
    assert {file.name for file in Path().iterdir()} == {"full"}


def test_verdict_page_model_and_json(fine: Run) -> None:
    result = fine(*PAIRS, "--out", "compare.html", "--model", "model")
    assert "Train without augmentation" in result.stdout and "drop-edge" in result.stdout
    assert "model: model, accuracy" in result.stderr
    page = Path("compare.html").read_text(encoding="utf-8")
    assert "<h1>Train without augmentation" in page
    assert load_model("model").about["command"].endswith("--out model")
    more = ["--set", "control=false", "--set", "margin=0.05", "--set", "num_layers=2"]
    found = json.loads(fine(*PAIRS, *more, "--json").stdout)
    assert (found["recommended"], found["dataset"]) == ("vanilla", "MOTIF")
    assert "--set num_layers=2" in found["command"]


WRONG_PAIRS = [
    (["--budget", "soon"], "30m"),
    (["--method", "nothing"], "unknown method 'nothing'"),
    (["--set", "margin=-1"], "margin of a run must be above 0"),
    (["--set", "alpha=1"], "'alpha' is no setting of a comparison"),
    (["--set", "method=vanilla"], "'method' is no setting of a comparison"),
    (["--model", "full"], "full exists and holds thesis.tex"),
]


def test_what_is_wrong_is_said_before_anything_is_compared(refused: Callable[..., None]) -> None:
    Path("full").mkdir()
    Path("full", "thesis.tex").touch()
    for words, message in WRONG_PAIRS:
        refused(message, *PAIRS, *words)
    assert {file.name for file in Path().iterdir()} == {"full"}


STOPPED = """
from smixup.app.cli.main import app
from smixup.training import state
state.SECONDS_BETWEEN_WRITES = 0
app()
"""


@pytest.mark.nightly
def test_a_stopped_command_resumes_to_the_same_result(fine: Run) -> None:
    words = ["train", "MOTIF", "--data", "num_graphs=40", "--epochs", "200", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPED, *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not list(Path().glob("runs/checkpoints/*.safetensors")):
        assert process.poll() is None
    os.kill(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (130, "") and "--resume" in stderr
    resumed, whole = fine(*words, "--resume"), fine(*words)
    assert without_time(resumed.stdout) == without_time(whole.stdout)
