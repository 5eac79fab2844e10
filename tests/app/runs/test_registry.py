"""A wrong name suggests a right one; settings get the types of their fields."""

from __future__ import annotations

import pytest

from smixup.app.runs.build import make_method
from smixup.app.runs.registry import BACKBONES, method_settings
from smixup.augment import SMixup
from smixup.augment.transport import Partial
from smixup.errors import UsageError
from smixup.graphs import Codes
from smixup.matching import GraphMatcher


def test_wrong_names() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'vanila'\. Did you mean 'vanilla'"):
        make_method("vanila", 0, {})
    with pytest.raises(UsageError, match=r"unknown backbone 'gim'\. Did you mean 'gin'"):
        BACKBONES.factory("gim")


def test_settings_of_a_matcher_within_a_method() -> None:
    settings = {
        "alpha": "2",
        "partners": "none",
        "transport": "partial(edges=true)",
        "matcher.normalization": "columns",
        "matcher.hidden_channels": "16",
        "matcher.perplexity": "2",
    }
    checked = method_settings("s-mixup", settings)
    assert checked == {
        "alpha": 2.0,
        "partners": None,
        "transport": "partial(edges=true)",
        "matcher.normalization": "columns",
        "matcher.hidden_channels": 16,
        "matcher.perplexity": 2.0,
    }
    assert method_settings("s-mixup", checked) == checked, "checking twice is checking once"
    method = make_method("s-mixup", 7, settings)
    matcher = GraphMatcher(hidden_channels=16, normalization="columns", perplexity=2.0, seed=7)
    settings = {"transport": Partial(edges=True), "partners": None, "seed": 7}
    assert method == SMixup(matcher, 2.0, **settings)
    assert isinstance(method, SMixup)


def test_edges_and_codes_of_a_mix_are_settings() -> None:
    text = "codes(nodes=28 4, edges=4)"
    checked = method_settings(
        "s-mixup", {"edges": "sampled", "encode": text, "matcher.encode": text}
    )
    assert checked == {"edges": "sampled", "encode": text, "matcher.encode": text}
    method = make_method("s-mixup", 0, checked)
    assert isinstance(method, SMixup)
    assert (method.edges, method.codes) == ("sampled", Codes((28, 4), (4,)))
    assert method_settings("s-mixup", {"encode": "none"}) == {"encode": None}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"matcher": "unifrom"}, "unknown matcher 'unifrom'. Did you mean 'uniform'"),
        ({"matcher.hidden": "3"}, "unknown setting of matcher graph-matcher 'hidden'"),
        (
            {"matcher": "uniform", "matcher.seed": "3"},
            "unknown setting of matcher uniform 'seed'",
        ),
        ({"matcher.scale": "big"}, "scale of matcher graph-matcher must be a number"),
        ({"edges": "some"}, "edges of method s-mixup must be one of auto, weighted, sampled"),
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
