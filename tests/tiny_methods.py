"""Every method of the registry, from a seed; what learns to match learns for two steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from smixup import (
    AlignedCut,
    Augmentation,
    DropEdge,
    DropNode,
    FGWMixup,
    GEDMixup,
    GeoMix,
    GMixup,
    GraphMatcher,
    GraphTransplant,
    IfMixup,
    LabelSmoothing,
    MMixup,
    SMixup,
    Subgraph,
    SubMix,
)


def matcher(seed: int = 0, **settings: Any) -> GraphMatcher:
    small = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 4}
    return GraphMatcher(seed=seed, **(small | settings))


METHODS: dict[str, Callable[..., Augmentation]] = {
    "vanilla": lambda seed: Augmentation(),
    "drop-edge": DropEdge,
    "drop-node": DropNode,
    "subgraph": Subgraph,
    "m-mixup": MMixup,
    "submix": SubMix,
    "g-mixup": GMixup,
    "if-mixup": IfMixup,
    "graph-transplant": GraphTransplant,
    "fgw-mixup": FGWMixup,
    "geomix": GeoMix,
    "ged-mixup": GEDMixup,
    "s-mixup": lambda **settings: SMixup(matcher(settings.get("seed", 0)), **settings),
    "s-cut": lambda **settings: AlignedCut(matcher(settings.get("seed", 0)), **settings),
    "label-smoothing": lambda seed: LabelSmoothing(),
}
"""All but R-Mixup, which wants graphs on the same nodes."""


def method(name: str, seed: int = 0, **settings: Any) -> Augmentation:
    return METHODS[name](seed=seed, **settings)
