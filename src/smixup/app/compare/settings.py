"""What is compared: a dataset, methods, and how far to go."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from smixup.app.runs.config import FEW, OTHER, OWN_FILES, RunConfig, configure, preset_for
from smixup.app.runs.registry import method_settings, split_pairs
from smixup.datasets.catalogue import is_path
from smixup.datasets.readers.registry import reader_of
from smixup.errors import UsageError, require, unknown_name
from smixup.names import METHODS
from smixup.packed_folder import name_of
from smixup.settings import Positive, Range, RangedFields, Steps


@dataclass(frozen=True)
class Arm:
    """One side of a comparison: what people call it, a method's name, and settings of it."""

    name: str
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)


VANILLA = Arm("vanilla", "vanilla")
SMIXUP, CONTROL, IDENTITY = "s-mixup", "random-alignment", "identity-alignment"
ALIGNED = {  # otherwise than by a learned matcher
    CONTROL: Arm(CONTROL, SMIXUP, {"matcher": "random-order", "matcher.partial": True}),
    IDENTITY: Arm(IDENTITY, SMIXUP, {"matcher": "identity"}),
}
SAME_NODES = "matrices"  # the reader of graphs whose alignment is known
SEEDS, FOLDS = 30, 10
USUAL, WITH_EDGES = "gin", "gine"  # the classifier where nobody names one
WITHOUT_EDGES = frozenset({"g-mixup", "r-mixup"})  # their new graphs have no features of edges
EPOCHS, STEPS = 100, 600  # at least, where the paper has no settings
OWN = frozenset({"split", "num_folds", "fold", "split_seed", "method_settings", "dataset_options"})
DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s?)?")


def default_methods(dataset: str) -> tuple[str, ...]:
    """Return what is compared where nobody names a method."""
    return (IDENTITY if reader_of(dataset) == SAME_NODES else SMIXUP,)


def arm_named(name: str) -> Arm:
    """Return a method by name, or S-Mixup along another alignment; `s-mixup(alpha=0.5)`, too."""
    if form := re.fullmatch(r"\s*([\w-]+)\s*\((.*)\)\s*", name, re.DOTALL):
        arm, words = arm_named(form[1]), [word.strip() for word in form[2].split(",")]
        settings = {**arm.settings, **split_pairs([word for word in words if word])}
        return Arm(name, arm.method, method_settings(arm.method, settings))
    if name in ALIGNED:
        return ALIGNED[name]
    if name.lower() == VANILLA.name:
        raise UsageError("vanilla is what methods are compared with: name others.")
    if name not in METHODS:
        known = [method for method in METHODS if method != VANILLA.method]
        raise unknown_name("method", name, [*known, *ALIGNED])
    return Arm(name, name)


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
    methods: tuple[str | Arm, ...] = (SMIXUP,)
    control: bool = True
    backbone: str | None = None
    seeds: Steps = SEEDS
    budget: Positive | None = None
    split: str = "fold"
    num_folds: Annotated[int, Range(3, limit=10**6)] = FOLDS
    margin: Positive | None = None
    loss_margin: Positive | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    dataset_options: Mapping[str, Any] = field(default_factory=dict)
    root: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(bool(self.methods), "methods", "none", "one at least")
        names = [arm.name for arm in self.arms]
        require(len(set(names)) == len(names), "methods", ", ".join(names), "different ones")
        taken = OWN.intersection(self.changes)
        require(not taken, "changes", ", ".join(sorted(taken)), "fields without one of their own")
        self.config(VANILLA, 0)

    @cached_property
    def arms(self) -> list[Arm]:
        return [arm if isinstance(arm, Arm) else arm_named(arm) for arm in self.methods]

    @cached_property
    def control_arm(self) -> Arm | None:
        """What to run once S-Mixup helps; None if it is not wanted, or a method itself."""
        control = ALIGNED[CONTROL]
        there = control.settings in [arm.settings for arm in self.arms if arm.method == SMIXUP]
        asked = self.control and SMIXUP in [arm.name for arm in self.arms]
        return control if asked and not there else None

    @property
    def classifier(self) -> str:
        return self.backbone or USUAL

    def config(self, arm: Arm, seed: int) -> RunConfig:
        """Return one run; those of a seed share split, initial weights and order of batches. Every
        graph is tested once in `num_folds` seeds, and the graphs are shuffled anew after that.
        """
        split: dict[str, Any] = {"split": self.split}
        if self.split not in ("random", "official", FEW):
            split["num_folds"] = self.num_folds
            split["split_seed"], split["fold"] = divmod(seed, self.num_folds)
        return self._configured(arm, seed, {"test_every_epoch": False, **split})

    def final(self, arm: Arm) -> RunConfig:
        """Return the run of a model to keep: split as usual, or as it was compared on."""
        usual = self.split == "fold" and not is_path(self.config(arm, 0).dataset)
        if usual or self.split == FEW:  # a model to keep is not one of few labels
            return self._configured(arm, 0, {})
        return self._configured(arm, 0, {"split": self.split, "num_folds": self.num_folds})

    def _configured(self, arm: Arm, seed: int, split: Mapping[str, Any]) -> RunConfig:
        parts = {"method_settings": arm.settings, "dataset_options": dict(self.dataset_options)}
        changes = {**split, **self.changes, **parts}
        return configure(self.dataset, self.classifier, arm.method, seed, self.root, **changes)

    def fitting(self, edge_features: int, train_graphs: int) -> CompareSettings:
        """Return the settings with a backbone that suits the edges, and a number of epochs."""
        kept = edge_features and not any(arm.method in WITHOUT_EDGES for arm in self.arms)
        backbone = self.backbone or (WITH_EDGES if kept else USUAL)
        config = self.config(VANILLA, 0)
        preset, changes = preset_for(name_of(config.dataset)), dict(self.changes)
        if "epochs" not in changes and preset in (OTHER, OWN_FILES):
            steps = math.ceil(max(train_graphs, 1) / config.batch_size)
            changes["epochs"] = min(preset.epochs, max(EPOCHS, math.ceil(STEPS / steps)))
        return replace(self, backbone=backbone, changes=changes)
