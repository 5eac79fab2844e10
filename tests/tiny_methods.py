"""Every method of the registry, from a seed; what learns to match learns for two steps."""

from __future__ import annotations

from inspect import signature
from typing import Any

from smixup import Augmentation, GraphMatcher
from smixup.app.runs.registry import METHODS as REGISTRY

METHODS = [name for name in REGISTRY if name != "r-mixup"]
"""All but R-Mixup, which wants graphs on the same nodes."""


def matcher(seed: int = 0, **settings: Any) -> GraphMatcher:
    small = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 4}
    return GraphMatcher(seed=seed, **(small | settings))


def method(name: str, seed: int = 0, **settings: Any) -> Augmentation:
    factory = REGISTRY.factory(name)
    known = signature(factory).parameters
    own = {"seed": seed, "matcher": matcher(seed)}
    return factory(**{key: value for key, value in own.items() if key in known} | settings)
