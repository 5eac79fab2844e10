"""Augmentations by the names that the command line gives them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import Any

from smixup import augment
from smixup.augment import Augmentation
from smixup.errors import UsageError, unknown_name

NAMES = {
    "vanilla": "Augmentation",
    "drop-edge": "DropEdge",
    "drop-node": "DropNode",
    "subgraph": "Subgraph",
    "m-mixup": "MMixup",
    "submix": "SubMix",
    "g-mixup": "GMixup",
    "if-mixup": "IfMixup",
    "graph-transplant": "GraphTransplant",
    "fgw-mixup": "FGWMixup",
    "geomix": "GeoMix",
    "ged-mixup": "GEDMixup",
    "r-mixup": "RMixup",
    "s-mixup": "SMixup",
    "s-cut": "AlignedCut",
    "label-smoothing": "LabelSmoothing",
}
"""Classes of `smixup.augment`."""


def method_of(
    method: str | Augmentation, settings: Mapping[str, Any] | None, seed: int
) -> Augmentation:
    """Return an augmentation that nobody else uses.

    Args:
        method: a name, or an augmentation, which is copied.
        settings: arguments of the constructor, if it is a name.
        seed: of the augmentation, where settings give none.

    >>> method_of("drop-edge", {"p": 0.3}, seed=0).p
    0.3
    """
    if isinstance(method, Augmentation):
        if settings:
            raise UsageError("settings belong to the name of a method, not to an augmentation.")
        return deepcopy(method)
    if method not in NAMES:
        raise unknown_name("method", str(method), NAMES)
    kind = getattr(augment, NAMES[method])
    known = {each.name for each in fields(kind) if each.init} if is_dataclass(kind) else set()
    given = dict(settings or {})
    if dotted := [name for name in given if name.startswith("matcher.")]:
        raise UsageError(
            f"'{dotted[0]}' is a setting of the command line: in Python a matcher brings its own, "
            f"such as matcher=GraphMatcher({dotted[0].partition('.')[2]}=...)."
        )
    if unknown := [name for name in given if name not in known]:
        raise unknown_name(f"setting of {method}", unknown[0], known)
    made: Augmentation = kind(**({"seed": seed} if "seed" in known else {}) | given)
    return made


def name_of(method: str | Augmentation) -> str:
    """Return the name of a method; an augmentation of somebody's own is called by its class."""
    if isinstance(method, str):
        return method
    kind = type(method).__name__
    return next((name for name, known in NAMES.items() if known == kind), kind)
