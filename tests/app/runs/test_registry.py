"""Every name can be built; a wrong one suggests a right one; settings get the types of their
fields, and the seed of the run reaches what draws.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

import pytest
import torch

from smixup.app.runs.registry import (
    BACKBONES,
    MATCHERS,
    METHODS,
    checked_options,
    literal,
    make_matcher,
    make_method,
    method_settings,
    option_types,
    settings_of,
    split_pairs,
    takes_edge_features,
)
from smixup.augment import Augmentation, SMixup
from smixup.augment.mixing import Partial
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Codes, Graphs
from smixup.matching import GraphMatcher, Matcher, RandomOrder, Uniform
from smixup.models import Backbone


@dataclass
class Example:
    """Does something.

    Attributes:
        alpha: the dose.
        word: made anew.
    """

    alpha: float = 0.2
    partners: int | None = None
    normalise: Literal["softmax", "sinkhorn"] = "softmax"
    keep: bool = True
    word: str = field(default_factory=lambda: "made")
    matcher: list[int] | None = None


def test_every_name_is_built(graphs: Graphs) -> None:
    for name in METHODS:
        assert isinstance(make_method(name, 0, {}), Augmentation)
    for name in MATCHERS:
        assert isinstance(make_matcher(name, 0, {}), Matcher)
        method = make_method("s-mixup", 0, {"matcher": name})
        assert isinstance(method, SMixup)
        assert isinstance(method.matcher, type(make_matcher(name, 0, {})))
    bonded = graphs.replace(edge_attrs={"edge_attr": torch.stack([graphs.adj.weight] * 2, 1)})
    for name, plain in (("gine", "gin"), ("gcn-edge", "gcn")):
        assert takes_edge_features(name) and not takes_edge_features(plain)
        with pytest.raises(SmixupError, match=rf"use the backbone {plain}\.$"):
            Backbone.of(name, graphs).build()
    for name in BACKBONES:
        logits = Backbone.of(name, bonded, hidden_channels=4, num_layers=1).build()(bonded)
        assert logits.shape == (7, 2)


def test_the_seed_of_the_run_reaches_the_matcher_unless_it_has_its_own() -> None:
    assert make_matcher("random-order", 4, {}) == RandomOrder(seed=4)
    assert make_matcher("uniform", 4, {}) == Uniform()
    for settings, seed in (({}, 4), ({"matcher.seed": 9}, 9)):
        method = make_method("s-mixup", 4, settings)
        assert isinstance(method, SMixup)
        assert (method.seed, getattr(method.matcher, "seed", None)) == (4, seed)


def test_settings_of_a_matcher_within_a_method() -> None:
    settings = {
        "alpha": "2",
        "partners": "none",
        "transport": "partial",
        "encode": "codes(nodes=28 4, edges=4)",
        "matcher.normalization": "columns",
        "matcher.hidden_channels": "16",
    }
    checked = method_settings("s-mixup", settings)
    others = {"alpha": 2.0, "partners": None, "matcher.hidden_channels": 16}
    assert checked == settings | others
    assert method_settings("s-mixup", checked) == checked, "checking twice is checking once"
    method = make_method("s-mixup", 7, settings)
    matcher = GraphMatcher(hidden_channels=16, normalization="columns", seed=7)
    assert isinstance(method, SMixup)
    assert (method.matcher, method.alpha, method.partners) == (matcher, 2.0, None)
    assert (method.transport, method.codes) == (Partial(), Codes((28, 4), (4,)))


def test_text_becomes_the_type_of_the_field() -> None:
    pairs = ["alpha=1", "partners=4", "normalise=sinkhorn", "keep=false", "word=3"]
    values = checked_options("method x", Example, split_pairs(pairs))
    assert [*values.values()] == [1.0, 4, "sinkhorn", False, "3"]
    assert type(values["alpha"]) is float
    assert checked_options("method x", Example, {"partners": "none"}) == {"partners": None}
    assert list(map(literal, ("3", "0.5", "true", "None"))) == [3, 0.5, True, None]
    names = ("degree", "2020_21", "1_0.5", "\uff11\uff10")
    assert tuple(map(literal, names)) == names, "though Python reads numbers"


REFUSED: list[tuple[str, dict[str, object] | str, str]] = [
    ("x", "alpha=big", "alpha of method x must be a number, not 'big'"),
    ("x", "partners=1.5", "partners of method x must be an integer or none"),
    ("x", "normalise=max", "must be one of softmax, sinkhorn"),
    ("x", "alpa=1", "unknown setting of method x 'alpa'. Did you mean 'alpha'"),
    ("x", "=1", "must have the form name=value"),
    ("s-mixup", {"matcher": "unifrom"}, "unknown matcher 'unifrom'. Did you mean 'uniform'"),
    ("s-mixup", {"matcher": "uniform", "matcher.seed": "3"}, "matcher uniform 'seed'"),
    ("s-mixup", {"matcher.scale": "big"}, "scale of matcher graph-matcher must be a number"),
    ("s-mixup", {"edges": "some"}, "edges of method s-mixup must be one of auto, weighted"),
]


@pytest.mark.parametrize(("method", "settings", "words"), REFUSED)
def test_refusals(method: str, settings: dict[str, object] | str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        options = split_pairs([settings]) if isinstance(settings, str) else settings
        if method == "x":
            checked_options("method x", Example, options)
        else:
            method_settings(method, options)


def test_what_can_be_set_is_read_from_the_class() -> None:
    alpha, partners, *_, word = settings_of(Example)
    assert [*alpha.values()] == ["alpha", 0.2, "a number", "the dose."]
    assert [*partners.values()] == ["partners", None, "an integer or none", ""]
    assert [*word.values()] == ["word", "made", "text", "made anew."]
    assert "matcher" not in option_types(Example)
