"""Every example runs as a user would run it, only smaller; and mixing does no harm there."""

from __future__ import annotations

import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import mean

import pytest
import torch

EXAMPLES = Path(__file__).parents[1] / "examples"
FIRST_STEPS = "first_steps"  # has no arguments
COMPARE = "compare_methods"  # gives a verdict in place of two scores
GRAPH_FILES = "graph_files"  # reads, and trains nothing
SMALL = {
    "estimator": "--graphs 40 --epochs 1 --steps 1",
    "lightning_module": "--graphs 40 --epochs 1 --steps 1",
    "molecules": "--graphs 40 --epochs 1 --steps 1",
    "multi_label": "--graphs 40 --epochs 1 --steps 1",
    "own_backbone": "--graphs 40 --epochs 1 --steps 1",
    "own_dataset": "--graphs 40 --epochs 1 --steps 1",
    "own_matcher": "--graphs 40 --epochs 1",
    "pyg_loop": "--graphs 40 --epochs 1 --steps 1",
    "regression": "--graphs 40 --epochs 1 --steps 1",
}
MEDIUM = {
    "molecules": "--graphs 100 --epochs 40 --steps 10",
    "pyg_loop": "--graphs 100 --epochs 100 --steps 10",
    "regression": "--graphs 60 --epochs 60 --steps 10",
}
SCORE = re.compile(r"^(with|without) mixing: +test (accuracy|MAE) (\d\.\d+)$", re.MULTILINE)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run an example as `python examples/name.py`, and return its two scores."""

    def scores(name: str, arguments: str) -> tuple[float, float]:
        monkeypatch.setattr(sys, "argv", [name, *arguments.split()])
        with torch.random.fork_rng():
            runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        found = SCORE.findall(capsys.readouterr().out)
        assert [arm for arm, _, _ in found] == ["without", "with"]
        return float(found[0][2]), float(found[1][2])

    return scores


def test_every_example_is_tested() -> None:
    known = {*SMALL, FIRST_STEPS, COMPARE, GRAPH_FILES}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == known


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*")  # Lightning's, from torch's tree functions
def test_the_example_runs_without_warnings_and_compares(name: str, run) -> None:
    if name == "lightning_module" and find_spec("lightning") is None:
        pytest.skip("lightning is not installed")
    run(name, SMALL[name])


@pytest.mark.slow
def test_first_steps_lead_somewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        runpy.run_path(str(EXAMPLES / f"{FIRST_STEPS}.py"), run_name="__main__")
    name, _, accuracy = capsys.readouterr().out.strip().rpartition(" ")
    assert name == "test accuracy"
    assert float(accuracy) > 0.9


@pytest.mark.slow
def test_a_comparison_ends_with_a_recommendation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    small = f"--graphs 40 --epochs 1 --seeds 2 --root {tmp_path}"
    monkeypatch.setattr(sys, "argv", [COMPARE, *small.split()])
    runpy.run_path(str(EXAMPLES / f"{COMPARE}.py"), run_name="__main__")
    assert capsys.readouterr().out.endswith("recommended: vanilla\n")


@pytest.mark.slow
def test_files_of_every_form_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / f"{GRAPH_FILES}.py"), run_name="__main__")
    told = re.findall(r"^(\w+): (\d+) graphs, .* (\w+) \(\d+, \d\)$", capsys.readouterr().out, re.M)
    assert told == [
        ("graphml", "5", "classes"),
        ("edge_list", "5", "values"),
        ("matrices", "20", "classes"),
        ("saved_list", "3", "labels"),
        ("in_python", "5", "classes"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", MEDIUM)
def test_mixing_does_no_harm(name: str, run) -> None:
    """Tried with mistakes planted: targets of other mixes lose 4 points in the loop, bonds that are
    not sampled 2.4 among molecules, and targets of shape [B, 1] make the error 1.5 times as large.
    """
    scores = [run(name, f"{MEDIUM[name]} --seed {seed}") for seed in (0, 1)]
    without, mixed = (mean(arm) for arm in zip(*scores, strict=True))
    if name == "regression":
        assert mixed < 1.2 * without < 0.1
    else:
        assert mixed > without - 0.02 > 0.9
