"""Pages from a dataset, by name or as it is at hand: which pairs, and who aligns them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from app.pages.explorer.page_reader import data_of

from smixup.app.pages.explorer.source import controls, explore_dataset, page_of
from smixup.app.runs.opened import open_dataset
from smixup.app.studies import match_quality
from smixup.app.studies.pair_source import PairSource
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Identity, Matcher, Uniform


def test_the_page_of_a_source(make_graphs: Callable[..., Graphs]) -> None:
    source = PairSource("SET", make_graphs([5, 6]), torch.tensor([0, 1]), seed=1)
    page = page_of(source, [(0, 1)], Uniform(), "uniform")
    assert "SET" in page.title
    assert "uniform" in page.subtitle


def test_a_dataset_by_name() -> None:
    page = explore_dataset("motif", "uniform", 3, (0, 1), options={"num_graphs": 60}, paper=False)
    assert page.first == 0, "the pair that was asked for"
    assert [page.pairs[0].left.graph, page.pairs[0].right.graph] == [0, 1]
    assert len(page.pairs) == 3
    assert page.class_names == ("cycle", "house", "crane")
    assert page.pairs[0].left.motif is not None
    assert sum(page.pairs[0].left.motif) == 5
    assert page.feature == "", "all nodes of MOTIF have one and the same feature"


def test_the_page_opens_with_a_pair_of_one_class(motif_graphs: Graphs) -> None:
    labels = motif_graphs.labels.tolist()
    same = next(place for place in range(1, 12) if labels[place] == labels[0])
    other = next(place for place in range(1, 12) if labels[place] != labels[0])
    source = PairSource("MOTIF", motif_graphs, torch.arange(len(motif_graphs)))
    pairs = [(0, other), (0, same)]
    assert page_of(source, pairs, Uniform(), "uniform", measured=False).first == 1
    assert page_of(source, pairs[:1], Uniform(), "uniform", measured=False).first == 0


def test_matchers_that_were_fitted_before_are_not_fitted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("fitted again")

    options = {"num_graphs": 60}
    train = open_dataset("motif", 0, options=options).train
    own = GraphMatcher(num_layers=1, hidden_channels=8, max_steps=1).fit(train)
    monkeypatch.setattr(GraphMatcher, "fit", refuse)
    fitted = {match_quality.OURS: own, match_quality.PUBLISHED: own}
    page = explore_dataset("motif", number=2, seed=0, options=options, fitted=fitted)
    assert [each.name for each in page.ways] == ["aligned", "random", "uniform", "paper"]
    aligned, *_, paper = page.pairs[0].ways
    assert aligned.links == paper.links, "both are the matcher that was given"


def test_what_is_shown_anyway_is_not_shown_twice() -> None:
    assert list(controls(0)) == ["random", "uniform"]
    assert list(controls(0, "uniform")) == ["random"]


@pytest.mark.slow
def test_a_usual_page_with_all_its_alignments_stays_below_half_a_megabyte() -> None:
    page = explore_dataset("motif", "uniform", 12, options={"num_graphs": 60}, paper=False)
    assert [each.name for each in page.ways] == ["aligned", "random"]
    assert len(page.html().encode()) < 5e5


@pytest.mark.parametrize(
    ("matcher", "words"),
    [
        (Identity(partial=True), "along one-to-one alignments. Transport: paper."),
        (Identity(), "along one-to-one and many-to-one alignments."),
        (Uniform(), "along soft alignments."),
    ],
)
def test_the_page_says_what_kind_of_alignments_it_shows(
    make_graphs: Callable[..., Graphs], matcher: Matcher, words: str
) -> None:
    source = PairSource("SET", make_graphs([5, 6]), torch.arange(2))
    page = page_of(source, [(1, 0), (0, 1)], matcher, "m", "paper")
    assert words in page.subtitle


def test_every_pair_has_the_alignments_of_the_switch(motif_graphs: Graphs) -> None:
    source = PairSource("MOTIF", motif_graphs, torch.arange(len(motif_graphs)))
    page = page_of(source, [(0, 1), (0, 3)], Identity(partial=True), "graph-matcher")
    data = data_of(page)
    names = ["aligned", "random", "uniform"]
    assert [each["name"] for each in data["ways"]] == names
    assert [each["title"] for each in data["ways"]] == ["aligned", "random order", "uniform"]
    for pair in data["pairs"]:
        assert [way["way"] for way in pair["ways"]] == names
        assert [way["kind"] for way in pair["ways"]][::2] == ["one-to-one", "soft"]
        assert pair["ways"][2]["figures"]["distortion"] == pytest.approx(1, abs=1e-3)
        assert pair["ways"][1]["figures"]["error"] is not None
