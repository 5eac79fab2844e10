"""The page is one file that needs nothing else, whatever the text in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from app.pages.explorer.page_reader import Reader, data_of, plain_page

from smixup.app.pages.explorer.page import DrawnRatio, ExplorerPage, script_json
from smixup.app.pages.explorer.pairs import ExplorerPair
from smixup.augment.ratio import draw_ratio
from smixup.augment.smixup import SMixup
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Uniform

EVIL = "</script><script>document.title = 'x'</script>{{data}}&amp;\u2028<!--"


def test_a_dozen_pairs_of_sixty_nodes_stay_below_two_megabytes(
    make_graphs: Callable[..., Graphs],
) -> None:
    """The worst there is: dense graphs, dense features, an assignment that spreads everything."""
    graphs = make_graphs([60, 59], num_features=20)
    pair = ExplorerPair.of(Uniform(), graphs[[0]], graphs[[1]])
    assert len(plain_page(*[pair] * 12).html().encode()) < 2e6


def test_text_cannot_break_the_page(graphs: Graphs) -> None:
    pair = ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])
    page = plain_page(pair, names=(EVIL, "b"), title=EVIL)
    reader = Reader(page.html())
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert json.loads(reader.scripts[0])["class_names"][0] == EVIL
    assert reader.title.strip() == EVIL
    assert "<script>document" not in page.html()


def test_nothing_is_fetched(graphs: Graphs) -> None:
    text = plain_page(ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])).html()
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert not re.findall(
        r"\burl\(|@import|\bfetch\(|XMLHttpRequest|\bimport\b\s*[({\"']|\{\{", text
    )
    for tag, attributes in Reader(text).tags:
        assert "src" not in attributes
        assert attributes.get("href", "data:,") == "data:,", tag


def test_every_control_has_a_name(graphs: Graphs) -> None:
    reader = Reader(plain_page(ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])).html())
    named = {attributes["for"] for tag, attributes in reader.tags if tag == "label"}
    for tag, attributes in reader.tags:
        if tag in ("input", "select"):
            assert attributes["id"] in named
        if tag == "canvas":
            assert {"role", "aria-hidden"} & set(attributes)


@pytest.mark.parametrize(("alpha", "fold"), [(0.2, True), (1.0, True), (1.0, False), (0.0, True)])
def test_the_page_knows_what_training_draws_lambda_from(alpha: float, fold: bool) -> None:
    drawn = DrawnRatio.by(alpha, fold)
    lam = draw_ratio(4000, alpha, fold, torch.Generator().manual_seed(0))
    assert drawn.low <= float(lam.min()) and float(lam.max()) <= drawn.high
    assert float(lam.median()) == pytest.approx(drawn.median, abs=0.03)


def test_the_page_is_written_whole(tmp_path: Path, graphs: Graphs) -> None:
    path = plain_page(ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])).write(
        tmp_path / "deep" / "explore.html"
    )
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(path.parent.iterdir()) == [path]


def test_the_page_opens_as_training_is_by_default(graphs: Graphs) -> None:
    data = data_of(plain_page(ExplorerPair.of(Uniform(), graphs[[3]], graphs[[4]])))
    drawn = DrawnRatio.by(SMixup.alpha, SMixup.fold_ratio)
    assert data["drawn"] == {
        "low": drawn.low,
        "high": drawn.high,
        "median": drawn.median,
        "words": drawn.words,
    }
    assert drawn.low <= data["lam"] <= drawn.high
    assert (data["first"], [way["name"] for way in data["ways"]]) == (0, ["aligned"])


@pytest.mark.parametrize("changes", [{"lam": 1.5}, {"first": -1}, {"threshold": -0.1}])
def test_numbers_out_of_range_are_refused(changes: dict[str, float]) -> None:
    page = ExplorerPage("t", "t", (), "", ())
    with pytest.raises(UsageError, match=next(iter(changes))):
        replace(page, **changes)  # type: ignore[arg-type]


def test_what_is_no_number_is_no_data() -> None:
    assert json.loads(script_json({"a": "<&>"})) == {"a": "<&>"}
    with pytest.raises(ValueError, match="JSON"):
        script_json([float("nan")])
