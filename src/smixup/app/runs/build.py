"""From names and settings to the parts of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from smixup.app.runs.registry import (
    BACKBONES,
    MATCHER,
    MATCHERS,
    METHODS,
    matcher_settings,
    method_settings,
    split_matcher,
)

if TYPE_CHECKING:  # a run imports the parts that it has
    from smixup.augment import Augmentation
    from smixup.classifiers import Classifier
    from smixup.graphs import Graphs, PackedGraphs
    from smixup.matching import Matcher


def unchanged(matcher: Matcher) -> Matcher:
    """Return the matcher as it is."""
    return matcher


def make_method(
    name: str,
    seed: int,
    settings: Mapping[str, object],
    wrap_matcher: Callable[[Matcher], Matcher] = unchanged,
) -> Augmentation:
    """Build a method; it and its matcher get the run's `seed`, if their constructors take one.

    Args:
        name: of the method.
        seed: of the run.
        settings: fields of the method, and of its matcher.
        wrap_matcher: returns what to use in place of the matcher, such as one that is fitted once
            for many runs.
    """
    factory = METHODS.factory(name)
    parameters = signature(factory).parameters
    own: dict[str, Any] = {"seed": seed} if "seed" in parameters else {}
    checked = method_settings(name, settings)
    if MATCHER in parameters:
        chosen, inner, checked = split_matcher(checked)
        own[MATCHER] = wrap_matcher(make_matcher(chosen, seed, inner))
    return factory(**(own | checked))


def make_matcher(name: str, seed: int, settings: Mapping[str, object]) -> Matcher:
    """Build a matcher; it gets `seed` if its constructor takes one."""
    factory = MATCHERS.factory(name)
    own: dict[str, object] = {"seed": seed} if "seed" in signature(factory).parameters else {}
    return factory(**(own | matcher_settings(name, settings)))


def make_backbone(name: str, graphs: Graphs | PackedGraphs, **settings: Any) -> Classifier:
    """Build a classifier of the width of `graphs`."""
    factory = BACKBONES.factory(name)
    if takes_edge_features(name):
        settings["num_edge_features"] = graphs.num_edge_features
    return factory(graphs.num_features, graphs.num_classes, **settings)


def takes_edge_features(name: str) -> bool:
    """Tell whether a backbone takes features of edges."""
    return "num_edge_features" in signature(BACKBONES.factory(name)).parameters
