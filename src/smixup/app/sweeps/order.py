"""The order of runs: those that fit a matcher come before those that find it fitted.

A run that needs a matcher waits while another run fits it. With the fits first, there is other work
to do meanwhile, and the longest runs do not come last.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from smixup.app.runs.config import RunConfig
from smixup.app.runs.registry import MATCHERS, chosen_matcher
from smixup.matching import LearnedMatcher

SPLIT = (
    *("dataset", "dataset_options", "seed", "split", "num_folds", "fold"),
    *("train_graphs", "label_corruption"),
)


def fits_first(configs: Iterable[RunConfig]) -> list[RunConfig]:
    """Return the first run of every matcher and training split, then all others, otherwise in their
    order.
    """
    seen: set[str | None] = {None}
    first, others = list[RunConfig](), list[RunConfig]()
    for config in configs:
        key = matcher_key(config)
        (others if key in seen else first).append(config)
        seen.add(key)
    return first + others


def matcher_key(config: RunConfig) -> str | None:
    """Return a text that runs with the same fitted matcher share, None for runs that fit none."""
    name = chosen_matcher(config.method, config.method_settings)
    factory = None if name is None else MATCHERS.factory(name)
    if not (isinstance(factory, type) and issubclass(factory, LearnedMatcher)):
        return None
    chosen = config.method_settings
    settings = {key: value for key, value in chosen.items() if key.startswith("matcher")}
    return json.dumps([settings, *(getattr(config, field) for field in SPLIT)], sort_keys=True)
