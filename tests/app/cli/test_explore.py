"""`smixup explore` from end to end on tiny data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from smixup.app.cli.main import app

TINY = ["explore", "--data", "num_graphs=60", "--matcher", "uniform", "--no-paper"]


def pairs_of(page: Path) -> list[dict[str, Any]]:
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>',
        page.read_text(encoding="utf-8"),
    )
    assert found is not None
    pairs: list[dict[str, Any]] = json.loads(found[1])["pairs"]
    return pairs


def test_a_page_of_so_many_pairs(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    result = CliRunner().invoke(app, [*TINY, "--pairs", "4", "--pair", "7", "3", "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{out} holds 4 pairs of MOTIF in 0.")
    assert result.stdout.endswith("MB. Matcher: uniform.\n")
    pairs = pairs_of(out)
    assert len(pairs) == 4
    assert (pairs[0]["left"]["graph"], pairs[0]["right"]["graph"]) == (7, 3)


def test_the_transport_is_the_methods_unless_another_is_named(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    found = []
    for chosen in ([], ["--transport", "partial"], ["--transport", "paper"]):
        arguments = [*TINY, "--pairs", "1", "--out", str(out), *chosen]
        assert CliRunner().invoke(app, arguments).exit_code == 0
        found.append(pairs_of(out)[0]["ways"][0]["transport"])
    assert [each["name"] for each in found] == ["partial", "partial", "paper"]
    assert [each["keeps_edges"] for each in found] == [True, False, False]


def test_the_seed_decides(tmp_path: Path) -> None:
    pages = []
    for seed in ("1", "1", "2"):
        out = tmp_path / f"{len(pages)}.html"
        assert (
            CliRunner()
            .invoke(app, [*TINY, "--seed", seed, "--pairs", "3", "--out", str(out)])
            .exit_code
            == 0
        )
        pages.append(out.read_text(encoding="utf-8"))
    assert pages[0] == pages[1] != pages[2]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["--pair", "0", "60"], "MOTIF has no graph 60: its graphs are 0 to 59."),
        (["--fit", "fast"], "unknown fit 'fast'."),
        (["--pairs", "0"], "number of pairs must be 1 or more, not 0."),
        (["--matcher", "unifrom"], "unknown matcher or folder 'unifrom'. Did you mean 'uniform'?"),
        (["--seed", "-1"], "seed must be 0 or more, not -1."),
        (["--transport", "partal"], "unknown transport 'partal'. Did you mean 'partial'?"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path: Path, wrong: list[str], words: str) -> None:
    out = tmp_path / "page.html"
    result = CliRunner().invoke(app, [*TINY, *wrong, "--out", str(out)])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"smixup: {words}")
    assert result.stderr.count("\n") == 1
    assert not out.exists()


def test_a_model_says_what_its_predictions_rest_on(tmp_path: Path) -> None:
    model, out = tmp_path / "model", tmp_path / "page.html"
    trained = ["train", "MOTIF", "--data", "num_graphs=60", "--epochs", "1", "--out", str(model)]
    assert CliRunner().invoke(app, trained).exit_code == 0
    shown = [*TINY, "--pairs", "1", "--out", str(out), "--model", str(model)]
    result = CliRunner().invoke(app, shown)
    assert result.exit_code == 0, result.output
    side = pairs_of(out)[0]["left"]
    asked = ["explain", str(model), "MOTIF", "--graph", str(side["graph"]), "--json"]
    found = json.loads(CliRunner().invoke(app, asked).stdout)
    assert side["predicted"] == found["output"]
    assert side["importance"] == pytest.approx(found["nodes"], abs=1e-3)
    others = [*shown, "--data", "num_graphs=50"]
    assert CliRunner().invoke(app, others).exit_code == 0  # as many graphs for both


@pytest.mark.slow
def test_the_switch_has_the_papers_cosine_unless_it_is_left_out(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    tiny = [each for each in TINY if each != "--no-paper"]
    result = CliRunner().invoke(app, [*tiny, "--pairs", "1", "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    [pair] = pairs_of(out)
    assert [way["way"] for way in pair["ways"]] == ["aligned", "random", "paper"]
