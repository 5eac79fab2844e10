"""What is done with a saved model: `smixup predict` and `smixup explain`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]
SMALL = ["--backbone", "gine", "--epochs", "1", "--set", "num_layers=1"]


def test_predictions_go_to_standard_output_and_words_do_not(fine: Run, model: Path) -> None:
    result = fine("predict", model, "MOTIF", "--data", "num_graphs=5")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert len(rows) == 5
    assert list(rows[0]) == ["graph", "prediction", "p_0", "p_1", "p_2", "set_0.9"]
    assert result.stderr.startswith("Predictions for 5 graphs; accuracy ")
    assert not fine("predict", model, "MOTIF", "--level", "0.8", "--out", "new/p.tsv").stdout
    lines = Path("new/p.tsv").read_text().splitlines()
    assert len(lines) == 1 + 60, "as many as it was trained on, if nothing else is said"
    assert lines[0].endswith("\tset_0.8")


def test_rows_without_a_molecule_stay_where_they_were(
    fine: Run, refused: Callable[..., None]
) -> None:
    rows = [f"m{place},{'C' * (1 + place % 7)},{place % 2}" for place in range(20)]
    Path("known.csv").write_text("\n".join(["id,smiles,y", *rows]) + "\n", encoding="utf-8")
    Path("new.csv").write_text("id,smiles\na,odd\nb,CC\nc,?\nd,CCO\n", encoding="utf-8")
    fine("train", "known.csv", "--target", "y", *SMALL, "--out", "m")
    refused("invalid=skip", "predict", "m", "new.csv")
    for name in ("p.csv", "p.parquet"):
        result = fine("predict", "m", "new.csv", "--data", "invalid=skip", "--out", name)
        assert "Predictions for 2 graphs" in result.stderr
        assert "2 rows without a molecule have no prediction." in result.stderr
    written = list(csv.DictReader(io.StringIO(Path("p.csv").read_text(encoding="utf-8"))))
    assert [row["id"] for row in written] == ["a", "b", "c", "d"]
    assert [bool(row["p_0"]) for row in written] == [False, True, False, True]
    before = Path("known.csv").read_bytes()
    refused("known.csv is data that is read", "predict", "m", "known.csv", "--out", "known.csv")
    assert Path("known.csv").read_bytes() == before
    refused("m is the folder of a model: name the data", "predict", "m", "m")
    Path("mails").mkdir()
    Path("mails/edges.csv").write_text("graph,source,target\n1,2,3\n", encoding="utf-8")
    refused("holds edge-list, and the model was", "predict", "m", "mails")


def test_wrong_use_of_a_model(refused: Callable[..., None], model: Path) -> None:
    for message, words in (
        ("sets at the level 0.99 need 99 validation", ["predict", model, "MOTIF", "--level", 0.99]),
        ("level must be above 0 and below 1", ["predict", model, "MOTIF", "--level", 2]),
        ("predictions are written to .csv", ["predict", model, "MOTIF", "--out", "p.xlsx"]),
        ("there is no such file or folder", ["predict", model, "./gone.csv"]),
        ("must end with .html or, for one --graph,", ["explain", model, "--out", "why.bmp"]),
        ("must end with .html", ["explain", model, "--graph", 1, "--graph", 2, "--out", "a.svg"]),
        ("there is no graph 99", ["explain", model, "--graph", 99]),
        ("unknown output of classes 'x'", ["explain", model, "--graph", 1, "--output", "x"]),
    ):
        refused(message, *words)
    refused("there is no model in nowhere", "predict", "nowhere", "MOTIF")
    refused("features", "predict", model, "MOTIF", "--data", "features=degree")


def test_one_graph_in_words_numbers_and_a_picture(fine: Run, model: Path) -> None:
    text = fine("explain", model, "MOTIF", "--graph", "3", "--out", "why.svg").stdout
    assert "speaks most" in text and "why.svg shows what predictions rest on" in text
    assert Path("why.svg").read_text(encoding="utf-8").startswith("<?xml")
    (found,) = json.loads(fine("explain", model, "--graph", "0", "--json", "--output", "1").stdout)
    assert (found["graph"], found["output"], found["unit"]) == (0, "1", "log odds")
    assert len(found["nodes"]) == len(found["labels"])


def test_pages_of_several_graphs_and_of_the_model(fine: Run, model: Path) -> None:
    said = fine("explain", model, "MOTIF", "--shown", "1").stdout
    assert said == "explain.html shows what predictions rest on.\n"
    page = Path("explain.html").read_text(encoding="utf-8")
    assert "2 of 60 graphs" in page and "Most sure: graph" in page and "Least sure: graph" in page
    words = ["explain", model, "--graph", "4", "--graph", "2", "--json"]
    assert [graph["graph"] for graph in json.loads(fine(*words).stdout)] == [4, 2]
    fine("explain", model, "--out", "model.html", "--shown", "1")
    page = Path("model.html").read_text(encoding="utf-8")
    assert "About the model" in page or "about the model" in page
    assert "accuracy, test" in page and "Most sure: graph" in page
    own = json.loads(fine("explain", model, "--shown", "1", "--json").stdout)
    assert len(own) == 2 and own[0]["graph"] != own[1]["graph"]


def test_the_explorer(fine: Run) -> None:
    words = ["explore", "--data", "num_graphs=60", "--matcher", "uniform", "--pair", "7", "3"]
    text = fine(*words, "--out", "page.html").stdout
    assert text.startswith("page.html holds pairs of MOTIF to mix by hand (")
    page = Path("page.html").read_text(encoding="utf-8")
    pairs = json.loads(page.partition('type="application/json" id="data">')[2].partition("<")[0])
    assert pairs["pairs"][0]["left"]["graph"] == 7


@pytest.mark.nightly
def test_the_demo_from_its_plan_to_the_next_command(
    fine: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from smixup.app import demo

    for name, value in (("PUBLISHED_STEPS", 1), ("SEEDS", 2)):
        monkeypatch.setattr(demo, name, value)
    text = fine("demo", "--workers", "1").stdout
    parts = ["1. Share of the motif kept", "2. MOTIF, 25 labels, GIN"]
    parts += ["3. Pairs to mix by hand", "Next, your own data:"]
    places = [text.index(words) for words in parts]
    assert places == sorted(places)
    assert {file.name for file in Path("runs/demo").iterdir()} == {"explore.html", "report.html"}
