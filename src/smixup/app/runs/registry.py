"""Names of backbones, methods and matchers, what can be set of each, and how each is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from smixup.names import BACKBONES, METHODS, Registry
from smixup.settings import checked_options

if TYPE_CHECKING:  # `smixup --help` asks for names, and does without torch
    from smixup.augment import Augmentation
    from smixup.matching import Matcher


MATCHERS: Registry[Matcher] = Registry(
    "matcher",
    {
        "graph-matcher": "smixup.matching.learned:GraphMatcher",
        "rrwm": "smixup.matching.rrwm:RRWM",
        "spectral": "smixup.matching.classical:SpectralMatching",
        "ipfp": "smixup.matching.classical:IPFP",
        "fgw": "smixup.matching.fgw:FusedGromovWasserstein",
        "siamese": "smixup.matching.learned:SiameseMatcher",
        "uniform": "smixup.matching.controls:Uniform",
        "random-order": "smixup.matching.controls:RandomOrder",
        "identity": "smixup.matching.controls:Identity",
    },
)
MATCHER = "matcher"
DEFAULT_MATCHER = "graph-matcher"


def method_settings(name: str, settings: Mapping[str, object]) -> dict[str, Any]:
    """Return the settings of a method with their proper types, from text if need be, without those
    at their defaults; those of its matcher are called `matcher.field`, the matcher itself
    `matcher`.
    """
    factory, kind = METHODS.factory(name), f"method {name}"
    if MATCHER not in parameters(factory):
        return _changed(kind, factory, settings)
    matcher, inner, own = split_matcher(settings)
    named = {} if matcher == DEFAULT_MATCHER else {MATCHER: matcher}
    inner = _changed(f"matcher {matcher}", MATCHERS.factory(matcher), inner)
    return _changed(kind, factory, own) | named | of_matcher(inner)


def _changed(
    owner: str, factory: Callable[..., object], settings: Mapping[str, object]
) -> dict[str, Any]:
    checked, defaults = checked_options(owner, factory, settings), parameters(factory)
    return {name: value for name, value in checked.items() if value != defaults[name].default}


def of_matcher(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a matcher under the names that they have within a method."""
    return {f"{MATCHER}.{name}": value for name, value in settings.items()}


def split_matcher(
    settings: Mapping[str, object],
) -> tuple[str, dict[str, object], dict[str, object]]:
    """Return the name of the matcher, its settings, and those of the method itself."""
    own, prefix = dict(settings), f"{MATCHER}."
    matcher = str(own.pop(MATCHER, DEFAULT_MATCHER))
    names = [name for name in own if name.startswith(prefix)]
    return matcher, {name.removeprefix(prefix): own.pop(name) for name in names}, own


def make_method(
    name: str,
    seed: int,
    settings: Mapping[str, object],
    wrap_matcher: Callable[[Matcher], Matcher] = lambda matcher: matcher,
) -> Augmentation:
    """Build a method and its matcher, or what `wrap_matcher` makes of that, with a run's seed."""
    factory = METHODS.factory(name)
    own: dict[str, Any] = {"seed": seed} if "seed" in parameters(factory) else {}
    if MATCHER in parameters(factory):
        matcher, inner, settings = split_matcher(settings)
        own[MATCHER] = wrap_matcher(make_matcher(matcher, seed, inner))
    return factory(**(own | checked_options(f"method {name}", factory, settings)))


def make_matcher(name: str, seed: int, settings: Mapping[str, object]) -> Matcher:
    """Build a matcher; it gets `seed` if its constructor takes one."""
    factory = MATCHERS.factory(name)
    own: dict[str, object] = {"seed": seed} if "seed" in parameters(factory) else {}
    return factory(**(own | checked_options(f"matcher {name}", factory, settings)))


def takes_edge_features(name: str) -> bool:
    """Tell whether a backbone takes features of edges."""
    return "num_edge_features" in parameters(BACKBONES.factory(name))


@cache
def parameters(factory: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the parameters of a constructor."""
    return signature(factory).parameters
