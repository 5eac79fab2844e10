"""Every name can be built; the seed of the run reaches what draws."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from smixup.app.runs.build import (
    make_backbone,
    make_matcher,
    make_method,
    takes_edge_features,
)
from smixup.app.runs.registry import BACKBONES, MATCHERS, METHODS
from smixup.augment import Augmentation, SMixup
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import Matcher, RandomOrder, Uniform
from smixup.progress import Report, silent


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_is_an_augmentation(name: str) -> None:
    assert isinstance(make_method(name, 0, {}), Augmentation)


@pytest.mark.parametrize("name", list(BACKBONES))
def test_every_backbone_classifies_graphs_of_the_given_width(name: str, graphs: Graphs) -> None:
    graphs = graphs.replace(edge_attrs={"edge_attr": (graphs.adj, graphs.adj)})
    logits = make_backbone(name, graphs, hidden_channels=4, num_layers=1)(graphs[torch.arange(7)])
    assert logits.shape == (7, 2)


@pytest.mark.parametrize(("name", "plain"), [("gine", "gin"), ("gcn-edge", "gcn")])
def test_graphs_without_features_of_edges_are_refused_by_those_that_take_them(
    name: str, plain: str, graphs: Graphs
) -> None:
    assert takes_edge_features(name)
    assert not takes_edge_features(plain)
    with pytest.raises(SmixupError, match=rf"use the backbone {plain}\.$"):
        make_backbone(name, graphs)


def test_a_class_can_be_registered_and_gets_the_seed_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @dataclass
    class Mine(Augmentation):
        seed: int = 0
        alpha: float = 0.5
        report: Report = silent

    monkeypatch.setitem(METHODS.entries, "mine", Mine)
    assert make_method("mine", 7, {"alpha": "1"}) == Mine(seed=7, alpha=1.0)
    assert make_method("mine", 7, {"seed": 3}) == Mine(seed=3)
    with pytest.raises(UsageError, match="Known: alpha, seed"):
        make_method("mine", 0, {"report": "loud"})


@pytest.mark.parametrize("name", list(MATCHERS))
def test_every_matcher_can_be_built_and_used_by_name(name: str) -> None:
    assert isinstance(make_matcher(name, 0, {}), Matcher)
    method = make_method("s-mixup", 0, {"matcher": name})
    assert isinstance(method, SMixup)
    assert isinstance(method.matcher, type(make_matcher(name, 0, {})))


def test_the_seed_of_the_run_reaches_the_matcher_unless_it_has_its_own() -> None:
    assert make_matcher("random-order", 4, {}) == RandomOrder(seed=4)
    assert make_matcher("uniform", 4, {}) == Uniform()
    one, two = (make_method("s-mixup", 4, each) for each in ({}, {"matcher.seed": 9}))
    assert isinstance(one, SMixup)
    assert isinstance(two, SMixup)
    assert (one.seed, getattr(one.matcher, "seed", None)) == (4, 4)
    assert (two.seed, getattr(two.matcher, "seed", None)) == (4, 9)
