"""`smixup explain` prints, draws, and gives numbers to programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from smixup.app.cli.main import app

TRAIN = "train MOTIF --data num_graphs=60 --epochs 2 --out"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "model"
    made = CliRunner().invoke(app, [*TRAIN.split(), str(folder)])
    assert made.exit_code == 0, made.output
    return folder


def test_a_picture_and_the_strongest_nodes(model: Path, tmp_path: Path) -> None:
    picture = tmp_path / "why.svg"
    args = ["explain", str(model), "MOTIF", "--graph", "3", "--out", str(picture)]
    made = CliRunner().invoke(app, args)
    assert made.exit_code == 0, made.output
    assert "Graph 3: what speaks for" in made.output
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_numbers_for_programs(model: Path) -> None:
    made = CliRunner().invoke(app, ["explain", str(model), "MOTIF", "--json", "--output", "1"])
    found = json.loads(made.stdout)
    assert (found["graph"], found["output"], found["unit"]) == (0, "1", "log odds")
    assert len(found["nodes"]) == len(found["labels"])
    assert len(found["edges"]) == len(found["edge_scores"])


def test_a_picture_of_unknown_kind_is_refused_first(model: Path, tmp_path: Path) -> None:
    made = CliRunner().invoke(
        app, ["explain", str(model), "MOTIF", "--out", str(tmp_path / "why.bmp")]
    )
    assert made.exit_code == 2 and "must end with .svg, .png or .html" in made.output


def test_a_page_of_the_surest_and_the_least_sure(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    args = ["explain", str(model), "MOTIF", "--shown", "1", "--out", str(page)]
    made = CliRunner().invoke(app, args)
    assert made.exit_code == 0, made.output
    assert "shows what the predictions for 2 of 60 graphs rest on" in made.output
    text = page.read_text(encoding="utf-8")
    assert "Most sure: graph" in text and "Least sure: graph" in text
    made = CliRunner().invoke(app, [*args, "--graph", "4", "--graph", "2", "--json"])
    assert [each["graph"] for each in json.loads(made.stdout)] == [4, 2]


def test_several_graphs_need_a_page(model: Path) -> None:
    args = ["explain", str(model), "MOTIF", "--graph", "1", "--graph", "2"]
    made = CliRunner().invoke(app, args)
    assert made.exit_code == 2 and "several graphs are explained on a page" in made.output
