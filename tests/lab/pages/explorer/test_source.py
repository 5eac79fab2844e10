"""Pages from a dataset, by name or as it is at hand: which pairs, and who aligns them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.lab.pages.explorer.pairs import ExplorerPair
from smixup.lab.pages.explorer.source import controls, explore_dataset, page_of
from smixup.lab.runs.opened import open_dataset
from smixup.lab.studies import match_quality
from smixup.lab.studies.pair_source import MAX_NODES, PairSource
from smixup.matching import GraphMatcher, Uniform


def test_the_page_of_a_source(make_graphs: Callable[..., Graphs]) -> None:
    source = PairSource("SET", make_graphs([5, 6, MAX_NODES + 1]), torch.tensor([0, 1]), seed=1)
    page = page_of(source, [(0, 1)], Uniform(), "uniform")
    assert "SET" in page.title
    assert "uniform" in page.subtitle
    with pytest.raises(UsageError, match="graph 2 has 101 nodes"):
        ExplorerPair.of(Uniform(), source.graphs[[2]], source.graphs[[0]])


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
