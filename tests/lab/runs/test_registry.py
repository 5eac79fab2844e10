"""Every registered name can be built; a wrong one suggests a right one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from smixup.augment import Augmentation, SMixup
from smixup.errors import UsageError
from smixup.graphs import GraphSet
from smixup.lab.runs.registry import (
    BACKBONES,
    MATCHERS,
    METHODS,
    make_backbone,
    make_matcher,
    make_method,
    method_settings,
)
from smixup.matching import GraphMatcher, Matcher, RandomOrder, Uniform
from smixup.progress import Report, silent


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_is_an_augmentation(name: str) -> None:
    assert isinstance(make_method(name, 0, {}), Augmentation)


@pytest.mark.parametrize("name", list(BACKBONES))
def test_every_backbone_classifies_graphs_of_the_given_width(name: str, graphs: GraphSet) -> None:
    logits = make_backbone(name, graphs, hidden_channels=4, num_layers=1)(graphs[torch.arange(7)])
    assert logits.shape == (7, 2)


def test_wrong_names() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'vanila'\. Did you mean 'vanilla'"):
        make_method("vanila", 0, {})
    with pytest.raises(UsageError, match=r"unknown backbone 'gim'\. Did you mean 'gin'"):
        BACKBONES.factory("gim")


def test_a_class_can_be_registered_and_gets_seed_and_report_of_the_run(
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
    assert make_method("mine", 0, {}, report=print) == Mine(report=print)
    with pytest.raises(UsageError, match="Known: alpha, seed"):
        make_method("mine", 0, {"report": "loud"})


@pytest.mark.parametrize("name", list(MATCHERS))
def test_every_matcher_can_be_built_and_used_by_name(name: str) -> None:
    assert isinstance(make_matcher(name, 0, {}), Matcher)
    method = make_method("s-mixup", 0, {"matcher": name})
    assert isinstance(method, SMixup)
    assert isinstance(method.matcher, type(make_matcher(name, 0, {})))


def test_settings_of_a_matcher_within_a_method() -> None:
    settings = {
        "alpha": "1",
        "partners": "none",
        "matcher.hidden_channels": "16",
        "matcher.perplexity": "2",
    }
    checked = method_settings("s-mixup", settings)
    assert checked == {
        "alpha": 1.0,
        "partners": None,
        "matcher.hidden_channels": 16,
        "matcher.perplexity": 2.0,
    }
    assert method_settings("s-mixup", checked) == checked, "checking twice is checking once"
    method = make_method("s-mixup", 7, settings, report=print)
    assert method == SMixup(
        GraphMatcher(hidden_channels=16, perplexity=2.0, seed=7), 1.0, partners=None, seed=7
    )
    assert isinstance(method, SMixup)
    assert method.report is print


def test_the_seed_of_the_run_reaches_the_matcher_unless_it_has_its_own() -> None:
    assert make_matcher("random-order", 4, {}) == RandomOrder(seed=4)
    assert make_matcher("uniform", 4, {}) == Uniform()
    one, two = (make_method("s-mixup", 4, each) for each in ({}, {"matcher.seed": 9}))
    assert isinstance(one, SMixup)
    assert isinstance(two, SMixup)
    assert (one.seed, getattr(one.matcher, "seed", None)) == (4, 4)
    assert (two.seed, getattr(two.matcher, "seed", None)) == (4, 9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"matcher": "unifrom"}, "unknown matcher 'unifrom'. Did you mean 'uniform'"),
        ({"matcher.hidden": "3"}, "unknown setting of matcher graph-matcher 'hidden'"),
        (
            {"matcher": "uniform", "matcher.seed": "3"},
            "matcher uniform has no settings, so 'seed' cannot be set",
        ),
        ({"matcher.scale": "big"}, "scale of matcher graph-matcher must be a number"),
        ({"alpa": "3"}, "Did you mean 'alpha'"),
        ({"report": "loud"}, "unknown setting of method s-mixup 'report'"),
    ],
)
def test_wrong_settings_of_a_matcher(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        method_settings("s-mixup", settings)


def test_a_method_without_matcher_takes_none() -> None:
    with pytest.raises(UsageError, match="method vanilla has no settings"):
        method_settings("vanilla", {"matcher": "uniform"})
