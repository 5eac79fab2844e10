"""The order of runs: those that fit a matcher come before those that find it fitted.

A run that needs a matcher waits while another run fits it. With the fits first, there is other work
to do meanwhile, and the longest runs do not come last.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from smixup.lab.runs.config import RunConfig
from smixup.lab.runs.registry import MATCHERS, chosen_matcher
from smixup.matching import LearnedMatcher

SPLIT = (
    "dataset",
    "dataset_options",
    "seed",
    "split",
    "num_folds",
    "fold",
    "train_graphs",
    "label_corruption",
)


def fits_first(configs: Iterable[RunConfig]) -> list[RunConfig]:
    """Return the first run of every matcher and training split, then all others, otherwise in their
    order.
    """
    seen: set[str | None] = {None}
    first: list[RunConfig] = []
    others: list[RunConfig] = []
    for config in configs:
        key = matcher_key(config)
        (others if key in seen else first).append(config)
        seen.add(key)
    return first + others


def matcher_key(config: RunConfig) -> str | None:
    """Return a text that runs with the same fitted matcher share, None for runs that fit none."""
    name = chosen_matcher(config.method, config.method_settings)
    if name is None or not _learns(name):
        return None
    settings = {
        key: value for key, value in config.method_settings.items() if key.startswith("matcher")
    }
    return json.dumps([settings, *(getattr(config, field) for field in SPLIT)], sort_keys=True)


def _learns(matcher: str) -> bool:
    factory = MATCHERS.factory(matcher)
    return isinstance(factory, type) and issubclass(factory, LearnedMatcher)
