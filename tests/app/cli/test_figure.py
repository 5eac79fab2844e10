"""`smixup figure` writes pictures and prints what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from smixup.app.cli.main import app
from smixup.app.runs.fit_matcher import fit_matcher
from smixup.augment import SMixup
from smixup.datasets import load_dataset

DATA = ["--data", "num_graphs=60"]


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["figure", *map(str, arguments)])


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figure") / "matcher"
    small = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2}
    fit_matcher("motif", folder, settings=small, dataset_options={"num_graphs": 60})
    return folder


@pytest.mark.slow
def test_the_case_study_is_drawn_and_printed(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "case.svg"
    result = invoke(
        "case-study", "--matcher", saved, "--no-paper", "--pairs", 10, "--out", out, *DATA
    )
    assert result.exit_code == 0, result.stderr
    assert out.read_text().startswith("<?xml")
    for word in (
        "10 held-out pairs",
        "random-order",
        "uniform",
        "graph-matcher",
        "interval",
        "distortion",
    ):
        assert word in result.stdout


def test_the_case_study_as_json(saved: Path, tmp_path: Path) -> None:
    arguments = ["--matcher", saved, "--no-paper", "--pairs", 10, "--seed", 3, "--json", *DATA]
    found = json.loads(invoke("case-study", *arguments, "--out", tmp_path / "case.png").stdout)
    assert (found["seed"], found["pairs"], found["path"]) == (3, 10, str(tmp_path / "case.png"))
    assert all(0 <= row["mean"] <= 1 for row in found["matchers"])
    assert (tmp_path / "case.png").read_bytes().startswith(b"\x89PNG")


def test_the_overview_of_a_pair(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "overview.svg"
    result = invoke(
        "overview", "--matcher", saved, "--pair", 3, 5, "--lam", 0.7, "--out", out, *DATA
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{out} shows a pair of MOTIF. Matcher: matcher.\n"
    assert out.stat().st_size < 200_000


def test_the_overview_by_another_transport(saved: Path, tmp_path: Path) -> None:
    sizes = load_dataset("MOTIF", num_graphs=60).graphs.sizes
    pair = int(sizes.argmax()), int(sizes.argmin())
    pictures = {}
    for transport in (None, str(SMixup().transport), "partial"):
        out = tmp_path / f"{len(pictures)}.svg"
        chosen = [] if transport is None else ["--transport", transport]
        result = invoke(
            "overview", "--matcher", saved, "--pair", *pair, "--out", out, *DATA, *chosen
        )
        assert result.exit_code == 0, result.stderr
        pictures[transport] = out.read_text()
    default, named, edges = pictures.values()
    assert default == named != edges


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["overview", "--out", "x.gif"], "must end with .svg or .png"),
        (["overview", "--matcher", "identty"], "Did you mean 'identity'"),
        (["overview", "--matcher", "identity", "--pair", "0", "999", *DATA], "no graph 999"),
        (["case-study", "--out", "x"], "must end with .svg or .png"),
        (["case-study", "--pairs", "0"], "number of pairs must be 1 or more"),
        (["case-study", "--transport", "papre"], "Did you mean 'paper'"),
        (["overview", "--transport", "papre"], "Did you mean 'paper'"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
