"""Names of backbones, methods and matchers, and what can be set of each; one line adds one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smixup.app.runs.options import checked_options, parameters
from smixup.registry import Registry

if TYPE_CHECKING:  # names are asked for by `smixup --help`, which does without torch
    from smixup.augment import Augmentation
    from smixup.classifiers import Classifier
    from smixup.matching import Matcher


class MatcherRegistry(Registry["Matcher"]):
    """Matchers by name. A folder that holds a saved one is a name, too; it has no settings."""

    def folder(self, name: str) -> Path | None:
        """Return the folder of a saved matcher, None for a matcher that is listed here."""
        return Path(name) if name not in self.entries and Path(name).is_dir() else None

    def factory(self, name: str) -> Callable[..., Matcher]:
        folder = self.folder(name)
        if folder is None:
            return super().factory(name)
        from smixup.matching.storage import load_matcher

        return partial(load_matcher, folder)

    def module(self, name: str) -> str:
        return type(self.factory(name)()).__module__ if self.folder(name) else super().module(name)


BACKBONES: Registry[Classifier] = Registry(
    "backbone",
    {
        "gcn": "smixup.classifiers.gcn:GCN",
        "gin": "smixup.classifiers.gin:GIN",
        "gcn-edge": "smixup.classifiers.gcn_edge:GCNEdge",
        "gine": "smixup.classifiers.gine:GINE",
    },
)

METHODS: Registry[Augmentation] = Registry(
    "method",
    {
        "vanilla": "smixup.augment.base:Augmentation",
        "drop-edge": "smixup.augment.baselines.drop_edge:DropEdge",
        "drop-node": "smixup.augment.baselines.drop_node:DropNode",
        "subgraph": "smixup.augment.baselines.subgraph:Subgraph",
        "m-mixup": "smixup.augment.baselines.m_mixup:MMixup",
        "submix": "smixup.augment.baselines.submix:SubMix",
        "g-mixup": "smixup.augment.baselines.g_mixup:GMixup",
        "if-mixup": "smixup.augment.baselines.if_mixup:IfMixup",
        "graph-transplant": "smixup.augment.baselines.graph_transplant:GraphTransplant",
        "fgw-mixup": "smixup.augment.baselines.fgw_mixup:FGWMixup",
        "geomix": "smixup.augment.baselines.geomix:GeoMix",
        "ged-mixup": "smixup.augment.baselines.ged_mixup:GEDMixup",
        "r-mixup": "smixup.augment.baselines.r_mixup:RMixup",
        "s-mixup": "smixup.augment.smixup:SMixup",
        "s-cut": "smixup.augment.aligned_cut:AlignedCut",
        "label-smoothing": "smixup.augment.baselines.label_smoothing:LabelSmoothing",
    },
)
SAME_NODES = frozenset({"r-mixup"})
"""Methods for sets in which all graphs have the same nodes; of others they refuse."""


MATCHERS = MatcherRegistry(
    "matcher",
    {
        "graph-matcher": "smixup.matching.graph_matcher:GraphMatcher",
        "rrwm": "smixup.matching.rrwm:RRWM",
        "spectral": "smixup.matching.classical:SpectralMatching",
        "ipfp": "smixup.matching.classical:IPFP",
        "fgw": "smixup.matching.fgw:FusedGromovWasserstein",
        "siamese": "smixup.matching.siamese:SiameseMatcher",
        "uniform": "smixup.matching.controls:Uniform",
        "random-order": "smixup.matching.controls:RandomOrder",
        "identity": "smixup.matching.controls:Identity",
    },
)
MATCHER = "matcher"
DEFAULT_MATCHER = "graph-matcher"


def method_settings(name: str, settings: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings of a method with their proper types; text is parsed, unknown names and
    values are errors.

    A method with a matcher takes its name as `matcher`, and settings of it as `matcher.field`.
    """
    factory = METHODS.factory(name)
    if MATCHER not in parameters(factory):
        return checked_options(f"method {name}", factory, settings)
    chosen, inner, own = split_matcher(settings)
    checked = checked_options(f"method {name}", factory, own)
    inner = matcher_settings(chosen, inner)
    named = {MATCHER: chosen} if MATCHER in settings else {}
    return checked | named | {f"{MATCHER}.{key}": value for key, value in inner.items()}


def without_defaults(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a method that differ from its defaults, or from those of its
    matcher.
    """
    matcher, inner, own = split_matcher(settings)
    own = _changed(METHODS.factory(name), own)
    inner = _changed(MATCHERS.factory(matcher), inner) if inner else {}
    named = {} if matcher == DEFAULT_MATCHER else {MATCHER: matcher}
    return own | named | {f"{MATCHER}.{key}": value for key, value in inner.items()}


def _changed(factory: Callable[..., object], settings: Mapping[str, Any]) -> dict[str, Any]:
    defaults = {name: each.default for name, each in parameters(factory).items()}
    return {name: value for name, value in settings.items() if value != defaults[name]}


def chosen_matcher(name: str, settings: Mapping[str, object]) -> str | None:
    """Return the name of the matcher that a method with these settings uses, None if it uses
    none.
    """
    if MATCHER not in parameters(METHODS.factory(name)):
        return None
    return split_matcher(settings)[0]


def split_matcher(
    settings: Mapping[str, object],
) -> tuple[str, dict[str, object], dict[str, object]]:
    """Return the name of the matcher, its settings, and those of the method itself."""
    prefix = f"{MATCHER}."
    inner = {
        key.removeprefix(prefix): value for key, value in settings.items() if key.startswith(prefix)
    }
    own = {
        key: value
        for key, value in settings.items()
        if key != MATCHER and not key.startswith(prefix)
    }
    return str(settings.get(MATCHER, DEFAULT_MATCHER)), inner, own


def matcher_settings(name: str, settings: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings of a matcher with their proper types."""
    return checked_options(f"matcher {name}", MATCHERS.factory(name), settings)
