"""`smixup compare` from end to end on tiny data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lab.studies.pretended_runs import DATA, EQUAL, Pretended
from typer.testing import CliRunner

from smixup.lab.cli.compare import outlook
from smixup.lab.cli.main import app
from smixup.lab.studies.compare_settings import CompareSettings
from smixup.lab.studies.paired_runs import DataFacts, KeptRun, PairedRuns
from smixup.lab.sweeps.job import Job

TINY = ["--data", "num_graphs=36", "--num-folds", "3", "--epochs", "1", "--seeds", "2"]


def asked(tmp_path: Path, *more: str) -> list[str]:
    store = ["--store", str(tmp_path / "runs.db"), "--workers", "1"]
    return ["compare", "MOTIF", *TINY, "--method", "drop-edge", *store, *more]


@pytest.mark.slow
def test_a_verdict_on_stdout_progress_on_stderr_and_a_page(tmp_path: Path) -> None:
    page = tmp_path / "compare.html"
    result = CliRunner().invoke(app, asked(tmp_path, "--out", str(page)))
    assert result.exit_code == 0, result.stderr
    assert "Train without augmentation" in result.stdout
    assert "drop-edge" in result.stdout
    assert "smixup train --dataset MOTIF" in result.stdout
    assert "paired runs 2/2" in result.stderr
    assert "paired runs 2/2" not in result.stdout
    assert "<h1>Train without augmentation" in page.read_text(encoding="utf-8")
    again = CliRunner().invoke(app, asked(tmp_path, "--json"))
    told = json.loads(again.stdout)
    assert (told["recommended"], told["dataset"]) == ("vanilla", "MOTIF")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--budget", "soon"], "30m"),
        (["--method", "nothing"], "unknown method 'nothing'"),
        (["--margin", "-1"], "margin must be above 0"),
        (["--data", "size=3"], "has no option 'size'"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path: Path, more: list[str], words: str) -> None:
    result = CliRunner().invoke(app, asked(tmp_path, *more))
    assert (result.exit_code, words in result.stderr) == (2, True), result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_dataset_is_needed() -> None:
    assert CliRunner().invoke(app, ["compare"]).exit_code == 2


def looking_ahead(tmp_path: Path, **changes: object) -> str:
    """Return what is said once a first paired run is done: Vanilla takes 10 s, the method 30 s."""
    settings = CompareSettings("MOTIF", ("drop-edge",), dataset_options=DATA, **changes)  # type: ignore[arg-type]
    pretended = Pretended(EQUAL, {"vanilla": 9.5, "drop-edge": 29.5})
    facts = DataFacts("MOTIF", 120, 3, "accuracy", 0.1, 96)
    pairs = PairedRuns(settings, facts, workers=2, spent=20.0)
    assert outlook(pairs) == ""
    for arm in pairs.arms:
        done = pretended(Job.of(settings.config(arm, 0)))
        assert done.result is not None
        pairs.runs[arm.name] = {0: KeptRun(done.result, done.seconds)}
    return outlook(pairs)


def test_when_the_first_verdict_will_be_there(tmp_path: Path) -> None:
    begins = "A paired run takes about 20 s: the first verdict, after 10, "
    assert looking_ahead(tmp_path) == f"{begins}is about 3 min 00 s away."
    assert looking_ahead(tmp_path, budget=250.0) == f"{begins}is about 3 min 00 s away."
    short = f"{begins}needs a --budget of about 3 min 20 s, or fewer --epochs."
    assert looking_ahead(tmp_path, budget=100.0) == short
    assert looking_ahead(tmp_path, seeds=5) == f"{begins}needs more than --seeds 5."
