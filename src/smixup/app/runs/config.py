"""Everything that decides the outcome of one run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from smixup.app.runs.options import literal
from smixup.app.runs.presets import of_matcher, open_setting, preset_for, published_matcher
from smixup.app.runs.registry import BACKBONES, MATCHER, METHODS, method_settings, without_defaults
from smixup.app.runs.saved_matcher import contents
from smixup.augment.published import PUBLISHED_METHOD
from smixup.datasets.catalogue import canonical_name
from smixup.datasets.readers.registry import digest_of_files, reader_of
from smixup.errors import UsageError, require
from smixup.packed_folder import digest_of, name_of
from smixup.ranges import (
    Count,
    Dropout,
    Layers,
    Natural,
    NotNegative,
    Range,
    RangedFields,
    Rate,
    Seed,
    Share,
    Steps,
    Width,
)
from smixup.training.selection import Selection
from smixup.training.settings import Precision, TrainSettings

FEW = "few"
NESTED = "nested"
GROUP, SCAFFOLD, TIME = "group", "scaffold", "time"
SPLITS = ("random", "official", "fold", FEW, NESTED, GROUP, SCAFFOLD, TIME)
BY_COLUMN = (GROUP, TIME)
NAMING_FIELDS = ("dataset", "backbone", "method", "seed")
"""The fields by which people name a run; `configure` takes them by position."""

PAPER, PAPER_MATCHER = "paper", "matcher.paper"
PRESET_FIELDS = ("epochs", "learning_rate", "batch_size", "num_layers", "hidden_channels", "split")


@dataclass(frozen=True)
class RunConfig(RangedFields):
    """One run: data, classifier, method, training.

    Attributes:
        dataset: its own spelling.
        backbone: a name of `registry.BACKBONES`.
        method: a name of `registry.METHODS`.
        seed: of split, initial weights, batches and method, each with a source of its own.
        split: `random` 80/10/10, `official`, `fold` (stratified), `few`: `train_graphs` and
            `validation_graphs`, stratified, and all others to test; `nested`: scikit-learn's
            stratified folds, of which one is tested and a fold of the others validates; `group`:
            folds that leave the graphs of one group together; `scaffold`: molecules with rare
            scaffolds to test; or `time`: the latest to test.
        split_column: the column of the dataset's table that holds groups or times.
        split_seed: of the split alone, so that several runs share it; `seed` if None.
        num_folds: how many, if the split is `fold`, `nested` or `group`.
        fold: which of them to test on, counted from 0.
        train_graphs: how many graphs of the training split to use, all if None: what few labels
            would do. The split `few` needs it.
        validation_graphs: how many graphs to validate with, if the split is `few`; as many as
            `train_graphs` if None.
        metric: the score that is reported and chosen by; the dataset's own if empty.
        label_corruption: share of training labels flipped to another class (Sec. 6.2).
        balanced: whether rare classes, or labels, count in the loss as much as frequent ones.
        teachers: how many models are trained without the method first, to label the graphs that it
            makes; see `augment/teacher.py`.
        refit: after the validation split has chosen the number of epochs, train anew, from the same
            initial weights, on training and validation graphs together for so many epochs, and test
            that model; see `training/refitting.py`.
        method_settings: fields of the method; those at their defaults are left out. `matcher`
            is a name of `registry.MATCHERS`, or the folder of a saved one.
        dataset_options: parameters of the dataset.

    The others are those of the classifier and of `TrainSettings`.
    """

    dataset: str
    backbone: str
    method: str
    seed: Seed
    epochs: Steps
    learning_rate: Rate
    batch_size: Count
    weight_decay: NotNegative
    num_layers: Layers
    hidden_channels: Width
    dropout: Dropout
    batch_norm: bool
    split: str
    split_seed: Seed | None = None
    split_column: str = ""
    num_folds: Annotated[int, Range(3, limit=10**6)] = 10
    fold: Natural = 0
    train_graphs: Count | None = None
    validation_graphs: Count | None = None
    metric: str = ""
    label_corruption: Share = 0.0
    balanced: bool = False
    teachers: Annotated[int, Range(0, limit=1000)] = 0
    refit: bool = False
    method_settings: Mapping[str, Any] = field(default_factory=dict)
    dataset_options: Mapping[str, Any] = field(default_factory=dict)
    accelerator: str = "cpu"
    devices: Annotated[int, Range(1, limit=1024)] = 1
    precision: Precision = "32-true"
    test_every_epoch: bool = True
    selection: Selection = "score"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("method_settings", "dataset_options"):  # a file may have anything there
            value = getattr(self, name)
            require(isinstance(value, Mapping), name, value, "names with values")
        BACKBONES.factory(self.backbone)
        METHODS.factory(self.method)
        settings = without_defaults(self.method, method_settings(self.method, self.method_settings))
        object.__setattr__(self, "method_settings", settings)
        self.train_settings()
        require(self.split in SPLITS, "split", self.split, "one of " + ", ".join(SPLITS))
        require(
            0 <= self.fold < self.num_folds, "fold", self.fold, f"from 0 to {self.num_folds - 1}"
        )
        self._check_few()
        self._check_refit()
        if self.split in BY_COLUMN and not self.split_column:
            raise UsageError(
                f"the split {self.split} needs the column of the data that holds "
                f"{'times' if self.split == TIME else 'groups'}: --split-column COLUMN, in Python "
                "split_column."
            )

    def _check_few(self) -> None:
        if self.split == FEW and self.train_graphs is None:
            raise UsageError("the split few needs a number of train graphs.")
        if self.split != FEW and self.validation_graphs is not None:
            raise UsageError(
                f"a number of validation graphs belongs to the split few, not to {self.split}."
            )

    def _check_refit(self) -> None:
        if self.refit and self.label_corruption:
            raise UsageError(
                "refit trains on validation graphs, whose labels are not corrupted: leave out "
                "refit or the corruption."
            )
        if self.refit and self.teachers:
            raise UsageError("refit goes without teachers: leave out one of them.")

    @property
    def seed_of_split(self) -> int:
        """The seed by which graphs are split."""
        return self.seed if self.split_seed is None else self.split_seed

    def train_settings(self) -> TrainSettings:
        """Return the part that the training loop needs."""
        return TrainSettings(
            **{each.name: getattr(self, each.name) for each in fields(TrainSettings)}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Return a short text that differs between configurations, between saved matchers, between
        packed datasets, and between own files.
        """
        about = json.dumps(vars(self), sort_keys=True)  # as of `to_dict`, without its copies
        about += contents(self.method_settings.get(MATCHER)) + digest_of(self.dataset)
        if reader_of(self.dataset) and Path(self.dataset).is_absolute():
            about += digest_of_files(self.dataset)
        return sha256(about.encode()).hexdigest()[:16]


def configure(
    dataset: str,
    backbone: str = "gin",
    method: str = "vanilla",
    seed: int = 0,
    root: Path | None = None,
    **changes: Any,
) -> RunConfig:
    """Return the preset of a dataset with some fields changed; a change of None leaves the preset.

    Args:
        dataset: a name in any case, or the folder of a packed dataset, which has the preset of the
            dataset that was packed.
        backbone: a name of `registry.BACKBONES`.
        method: a name of `registry.METHODS`.
        seed: of the run.
        root: the data root, where names that are not listed may be found.
        changes: other fields of `RunConfig`; in `method_settings`, `paper` stands for the
            paper's S-Mixup, `matcher.paper` for its matcher alone.
    """
    name = canonical_name(dataset, root) or dataset
    published = name_of(name)
    preset = preset_for(published)
    defaults: dict[str, Any] = {each: getattr(preset, each) for each in PRESET_FIELDS}
    defaults |= {
        each: open_setting(each, backbone, published)
        for each in ("weight_decay", "dropout", "batch_norm")
    }
    chosen = {key: value for key, value in changes.items() if value is not None}
    defaults["test_every_epoch"] = tested_every_epoch(chosen.get("split", preset.split))
    if "method_settings" in chosen:
        chosen["method_settings"] = with_published(chosen["method_settings"], published)
    return RunConfig(name, backbone, method, seed, **(defaults | chosen))


def tested_every_epoch(split: str) -> bool:
    """Whether the test split is evaluated in every epoch where nobody says so: not where it has
    many times the graphs that are trained on, and would take most of the time.
    """
    return split != FEW


def with_published(settings: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """Replace `paper=true` by the settings of the paper's method, and `matcher.paper=true` by those
    of its matcher for the dataset; others given prevail.
    """
    others = {key: value for key, value in settings.items() if key not in (PAPER, PAPER_MATCHER)}
    method, matcher = (_wanted(settings, name) for name in (PAPER, PAPER_MATCHER))
    published = dict(PUBLISHED_METHOD) if method else {}
    if method or matcher:
        published |= of_matcher(published_matcher(dataset))
    return published | others


def _wanted(settings: Mapping[str, Any], name: str) -> bool:
    value = settings.get(name, False)
    value = literal(value) if isinstance(value, str) else value
    require(isinstance(value, bool), name, value, "true or false")
    return bool(value)
