"""What is compared: a dataset, methods, and how far to go."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from smixup.app.runs.config import FEW, RunConfig, configure
from smixup.app.runs.options import split_pairs
from smixup.app.runs.presets import OTHER, OWN_FILES, preset_for
from smixup.app.runs.registry import MATCHER, METHODS, method_settings
from smixup.app.tables.arm import Arm
from smixup.app.tables.definitions.ladder import RANDOM
from smixup.app.tables.protocol import repeated_folds
from smixup.datasets.catalogue import is_path
from smixup.datasets.readers.registry import reader_of
from smixup.errors import UsageError, require, unknown_name
from smixup.packed_folder import name_of
from smixup.ranges import Positive, Range, RangedFields, Steps

VANILLA = Arm("vanilla", "vanilla")
SMIXUP, CONTROL, IDENTITY = "s-mixup", "random-alignment", "identity-alignment"
CONTROLS = {
    CONTROL: Arm(CONTROL, SMIXUP, RANDOM),
    IDENTITY: Arm(IDENTITY, SMIXUP, {MATCHER: "identity"}),
}
"""S-Mixup along matches drawn at random: what it gains is not owed to the alignment; and along the
order of the nodes, where all graphs have the same.
"""

DEFAULT = (SMIXUP,)
SAME_NODES = "matrices"
"""The reader of graphs that all have the same nodes: their alignment is known, and not learned."""
WITH_SETTINGS = re.compile(r"\s*([\w-]+)\s*\((.*)\)\s*", re.DOTALL)
SEEDS, FOLDS, FEWEST_FOLDS = 30, 10, 3
USUAL, WITH_EDGES = "gin", "gine"
"""The classifier where nobody names one, and where edges have features."""
WITHOUT_EDGES = frozenset({"g-mixup", "r-mixup"})
"""Methods whose new graphs have no features of edges."""
EPOCHS, STEPS = 100, 600
"""Of a comparison on data for which the paper has no settings: so many epochs, or more until there
were so many steps; never more than the preset's. `docs/compare.md` says what that costs in score.
"""
WITHOUT_FOLDS = ("random", "official", FEW)
OWN = frozenset({"split", "num_folds", "fold", "split_seed", "method_settings", "dataset_options"})
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s?)?")


def default_methods(dataset: str) -> tuple[str, ...]:
    """Return what is compared where nobody names a method: S-Mixup, along the identity where all
    graphs have the same nodes.
    """
    return (IDENTITY,) if reader_of(dataset) == SAME_NODES else DEFAULT


def arm_named(name: str) -> Arm:
    """Return a method by its name in `registry.METHODS`, or S-Mixup along a given alignment;
    settings of a method stand behind its name: `s-mixup(alpha=0.5, partners=4)`.
    """
    if form := WITH_SETTINGS.fullmatch(name):
        method, inside = form.groups()
        arm, parts = arm_named(method), [each.strip() for each in inside.split(",")]
        settings = {**arm.settings, **split_pairs(list(filter(None, parts)))}
        return Arm(name, arm.method, method_settings(arm.method, settings))
    if name in CONTROLS:
        return CONTROLS[name]
    known = [each for each in METHODS if each != VANILLA.method]
    if name not in known:
        if name.lower() == VANILLA.method:
            raise UsageError("vanilla is what methods are compared with: name others.")
        raise unknown_name("method", name, [*known, *CONTROLS])
    return Arm(name, name)


def seconds_of(text: str) -> float:
    """Return the seconds of a duration such as `30m`, `1h30m`, `90s` or `90`."""
    found = DURATION.fullmatch(text.strip().lower().replace(" ", ""))
    parts = found.groups() if found else (None, None, None)
    seconds = sum(
        float(part) * UNITS[unit] for part, unit in zip(parts, "hms", strict=True) if part
    )
    require(seconds > 0, "a budget", f"'{text}'", "a time such as 30m, 1h30m or 90s")
    return seconds


@dataclass(frozen=True)
class CompareSettings(RangedFields):
    """One comparison on one dataset.

    Attributes:
        dataset: whatever `smixup train` takes.
        methods: names of methods, or arms with settings of their own; Vanilla is always there.
        control: run `random-alignment` beside S-Mixup where S-Mixup helps, on its seeds, to tell
            whether that is owed to the alignment.
        backbone: the classifier; None for the usual one of the data, see `with_backbone`.
        seeds: paired runs at most; each is one training per method on the same split, from the same
            initial weights.
        budget: seconds at most, None for any number.
        split: `fold` for repeated stratified folds, or another kind that `RunConfig` has.
        num_folds: of repeated folds.
        margin: a difference of the score that matters, as the score is counted: 0.02 for two
            points; None for the usual one.
        loss_margin: the same of log loss.
        changes: other fields of `RunConfig`, such as `epochs`.
        dataset_options: parameters of the dataset.
        root: the data root.
    """

    dataset: str
    methods: tuple[str | Arm, ...] = DEFAULT
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

    @property
    def arms(self) -> list[Arm]:
        """What is compared with Vanilla."""
        return [each if isinstance(each, Arm) else arm_named(each) for each in self.methods]

    @property
    def control_arm(self) -> Arm | None:
        """The control to run once S-Mixup helps; None if it is not wanted, or a method itself."""
        control, arms = CONTROLS[CONTROL], self.arms
        there = any(
            (arm.method, arm.settings) == (control.method, control.settings) for arm in arms
        )
        wanted = self.control and not there and SMIXUP in {arm.name for arm in arms}
        return control if wanted else None

    def config(self, arm: Arm, seed: int) -> RunConfig:
        """Return one run; those of a seed share split, initial weights and order of batches."""
        return self._configured(arm, seed, {"test_every_epoch": False, **self._split(seed)})

    @property
    def classifier(self) -> str:
        """The backbone that is trained."""
        return self.backbone or USUAL

    def with_backbone(self, edge_features: int) -> CompareSettings:
        """Return the settings with a backbone, where nobody named one: one that takes features of
        edges, if there are any and all methods keep them.

        Args:
            edge_features: how many an edge has.
        """
        if self.backbone is not None:
            return self
        kept = edge_features and not any(arm.method in WITHOUT_EDGES for arm in self.arms)
        return replace(self, backbone=WITH_EDGES if kept else USUAL)

    def with_epochs(self, train_graphs: int) -> CompareSettings:
        """Return the settings with a number of epochs, where neither the user nor the paper says
        one: see `EPOCHS`.

        Args:
            train_graphs: graphs that a run trains on.
        """
        config = self.config(VANILLA, 0)
        preset = preset_for(name_of(config.dataset))
        if "epochs" in self.changes or preset not in (OTHER, OWN_FILES):
            return self
        steps = math.ceil(max(train_graphs, 1) / config.batch_size)
        epochs = min(preset.epochs, max(EPOCHS, math.ceil(STEPS / steps)))
        return replace(self, changes={**self.changes, "epochs": epochs})

    def final(self, arm: Arm) -> RunConfig:
        """Return the run that trains a model to keep: on the split of the dataset's preset, unless
        another was asked for, or the graphs are somebody's own; then it is of the kind compared on.
        """
        usual = self.split == "fold" and not is_path(self.config(arm, 0).dataset)
        if usual or self.split == FEW:  # a model to keep is not one of few labels
            return self._configured(arm, 0, {})
        return self._configured(arm, 0, {"split": self.split, "num_folds": self.num_folds})

    def _configured(self, arm: Arm, seed: int, more: Mapping[str, Any]) -> RunConfig:
        settings = arm.settings_under(self.classifier)
        parts = {"method_settings": settings, "dataset_options": dict(self.dataset_options)}
        changes = {**more, **arm.changes, **self.changes, **parts}
        return configure(self.dataset, self.classifier, arm.method, seed, self.root, **changes)

    def _split(self, seed: int) -> Mapping[str, Any]:
        if self.split in WITHOUT_FOLDS:
            return {"split": self.split}
        return {**repeated_folds(self.num_folds)(seed), "split": self.split}
