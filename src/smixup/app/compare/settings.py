"""What is compared: a dataset, methods, and how far to go."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from smixup.app.runs.config import FEW, RunConfig, configure
from smixup.app.runs.registry import method_settings
from smixup.datasets.base import Dataset
from smixup.errors import UsageError, require, unknown_name
from smixup.names import CLASSICAL, METHODS
from smixup.settings import FORM, Count, Positive, Range, RangedFields, split_pairs
from smixup.training.settings import recipe

VANILLA, SMIXUP, FOREST, NETWORK = "vanilla", "s-mixup", "forest", "wide"
CONTROL, IDENTITY = "random-alignment", "identity-alignment"
ALIGNED: dict[str, Mapping[str, Any]] = {  # S-Mixup, but not by a learned matcher
    CONTROL: {"matcher": "random-order", "matcher.partial": True},
    IDENTITY: {"matcher": "identity"},
}
SEEDS, FOLDS = 30, 10
WITHOUT_EDGES = frozenset({"g-mixup", "r-mixup"})  # their new graphs have no features of edges
OWN = {"dataset", "method", "seed", "fold", "split_seed"}  # what a comparison sets by itself
DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s?)?")


@cache
def method_named(name: str) -> tuple[str, Mapping[str, Any]]:
    """Return a method and its settings, which may stand behind the name: `s-mixup(alpha=0.5)`."""
    if (form := FORM.fullmatch(name)) and form[2] is not None:
        method, settings = method_named(form[1])
        words = filter(None, map(str.strip, form[2].split(",")))
        return method, method_settings(method, {**settings, **split_pairs(words)})
    if name not in METHODS and name not in ALIGNED:
        raise unknown_name("method", name, [*METHODS, *ALIGNED])
    return (SMIXUP, ALIGNED[name]) if name in ALIGNED else (name, {})


def seconds_of(text: str) -> float:
    """Return the seconds of a duration such as `30m`, `1h30m`, `90s` or `90`."""
    form = DURATION.fullmatch(text.strip().lower().replace(" ", ""))
    hours, minutes, seconds = (float(part or 0) for part in form.groups()) if form else (0, 0, 0)
    total = 3600 * hours + 60 * minutes + seconds
    require(total > 0, "a budget", f"'{text}'", "a time such as 30m, 1h30m or 90s")
    return total


@dataclass(frozen=True)
class CompareSettings(RangedFields):
    """One comparison on one dataset; `smixup.compare` says what the fields mean."""

    dataset: str
    methods: tuple[str, ...] = ()
    control: bool = True
    backbone: str | None = None
    seeds: Count = SEEDS
    budget: Positive | None = None
    split: str = "fold"
    num_folds: Annotated[int, Range(3)] = FOLDS
    margin: Positive | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    dataset_options: Mapping[str, Any] = field(default_factory=dict)
    root: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if VANILLA in map(str.lower, self.methods):
            raise UsageError("vanilla is what methods are compared with: name others.")
        if taken := [*self.changes.get("method_settings", ()), *(OWN & self.changes.keys())]:
            raise UsageError(
                f"'{taken[0]}' is no setting of a comparison: settings of a method stand behind "
                "its name, 's-mixup(alpha=0.5)', and data, methods and seeds have a place of "
                "their own."
            )
        for name in (VANILLA, *self.methods):
            self.config(name, 0)

    def config(self, name: str, seed: int) -> RunConfig:
        """Return one run; those of a seed share split, initial weights and order of batches. Every
        graph is tested once in `num_folds` seeds, and the graphs are shuffled anew after that.
        """
        split: dict[str, Any] = {"split": self.split}
        if self.split not in ("random", "official", FEW):
            split["num_folds"] = self.num_folds
            split["split_seed"], split["fold"] = divmod(seed, self.num_folds)
        backbone = name if name in CLASSICAL else self.backbone or NETWORK
        method, settings = (VANILLA, {}) if name in CLASSICAL else method_named(name)
        parts = {"method_settings": settings, "dataset_options": dict(self.dataset_options)}
        changes = {**split, **self.changes, **parts}
        return configure(self.dataset, backbone, method, seed, self.root, **changes)

    def suiting(self, dataset: Dataset, train_graphs: int) -> CompareSettings:
        """Return the settings with what was left open: what is compared, network and epochs."""
        same_nodes = dataset.reading is not None and dataset.reading.reader == "matrices"
        methods = self.methods or (FOREST, IDENTITY if same_nodes else SMIXUP)
        used = {self.config(name, 0).method for name in methods}
        edges = dataset.graphs.num_edge_features and used & WITHOUT_EDGES
        backbone, changes = self.backbone or ("gin" if edges else NETWORK), dict(self.changes)
        if backbone == NETWORK:
            changes.setdefault("epochs", recipe(max(train_graphs, 1)).epochs)
        return replace(self, methods=methods, backbone=backbone, changes=changes)
