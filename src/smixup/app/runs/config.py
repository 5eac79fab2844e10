"""Everything that decides the outcome of one run, with the paper's settings as presets."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from smixup.app.runs.registry import (
    DEFAULT_MATCHER,
    MATCHER,
    MATCHERS,
    method_settings,
    of_matcher,
)
from smixup.augment.smixup import PUBLISHED_METHOD
from smixup.datasets.catalogue import canonical_name, is_path
from smixup.datasets.readers.registry import digest_of_files, reader_of
from smixup.datasets.sources import OGB_SETS
from smixup.errors import UsageError, require, unknown_name
from smixup.matching.learned import PUBLISHED
from smixup.names import BACKBONES, METHODS
from smixup.packed_folder import digest_of, name_of
from smixup.settings import (
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
    literal,
)
from smixup.training.settings import Accelerator, Precision, Selection, TrainSettings

FEW = "few"
SPLITS = ("random", "official", "fold", FEW, "nested", "group", "scaffold", "time")
NAMING_FIELDS = ("dataset", "backbone", "method", "seed")
PRESET_FIELDS = ("epochs", "learning_rate", "batch_size", "num_layers", "hidden_channels", "split")
OPTIONS = (*NAMING_FIELDS, "epochs", "learning_rate", "batch_size", "split", "metric")
TABLES = {"method_settings": "--set", "dataset_options": "--data"}  # other fields by `--set`, too


@dataclass(frozen=True)
class Preset(RangedFields):
    """Settings of a dataset: Tables 8 and 9, App. C, and the kind of its split."""

    learning_rate: Rate
    epochs: Steps
    batch_size: Count
    matcher_layers: Layers
    matcher_batch_size: Count
    num_layers: Layers = 4
    hidden_channels: Width = 32
    split: str = "random"


PAPER = {
    "IMDB-BINARY": Preset(0.001, 300, 256, 6, 256),
    "PROTEINS": Preset(0.001, 300, 256, 5, 256),
    "NCI1": Preset(0.01, 500, 256, 5, 256),
    "REDDIT-BINARY": Preset(0.01, 500, 16, 4, 8),
    "IMDB-MULTI": Preset(0.001, 300, 256, 5, 256),
    "REDDIT-MULTI-5K": Preset(0.01, 500, 16, 4, 8),
    "ogbg-molhiv": Preset(0.001, 200, 512, 5, 512, 5, 300, "official"),
}
MOTIF = Preset(0.01, 100, 64, 5, 256)  # both backbones test at 98 % or more on a thousand graphs
OTHER = Preset(0.001, 300, 128, 5, 256)  # a batch that leaves small sets several steps per epoch
OWN_FILES = replace(OTHER, split="fold")  # a random split may leave a part without a rare class


def preset_for(dataset: str) -> Preset:
    """Return the settings for a dataset by its own spelling; own files are given by their path."""
    other = OWN_FILES if is_path(dataset) else OTHER
    other = replace(OTHER, split="official") if dataset in OGB_SETS else other
    return {**PAPER, "MOTIF": MOTIF}.get(dataset, other)


def normed(backbone: str, dataset: str) -> bool:
    """Tell whether a classifier has batch norm by default; the paper's GCN has none (App. C)."""
    # on MOTIF, where all nodes look alike, it would learn nothing without
    return backbone in ("gin", "gine") or (backbone, dataset) == ("gcn", "MOTIF")


def published_matcher(dataset: str) -> dict[str, Any]:
    """Return the settings of the paper's matcher for a dataset; all 500 epochs are trained."""
    preset = preset_for(dataset)
    sizes = {"num_layers": preset.matcher_layers, "batch_size": preset.matcher_batch_size}
    return PUBLISHED | sizes | {"epochs": 500, "patience": 10**9}


@dataclass(frozen=True)
class RunConfig(RangedFields):
    """One run: data, classifier, method, training.

    Attributes:
        seed: of split, initial weights, batches and method, each with a source of its own.
        split: `random` 80/10/10, `official`, `fold` (stratified), `few`: `train_graphs` and
            `validation_graphs`, all others to test; `nested`: one of scikit-learn's stratified
            folds is tested, a fold of the others validates; `group`: folds that leave the graphs of
            a group together; `scaffold`: rare ones to test; or `time`: the latest to test.
        split_column: the column of the dataset's table that holds groups or times.
        split_seed: of the split alone, so that several runs share it; `seed` if None.
        num_folds: how many, if the split is `fold`, `nested` or `group`.
        fold: which of them to test on, counted from 0.
        train_graphs: how many graphs of the training split to use, all if None.
        validation_graphs: of the split `few`; as many as `train_graphs` if None.
        metric: the score that is reported and chosen by; the dataset's own if empty.
        label_corruption: share of training labels flipped to another class (Sec. 6.2).
        balanced: whether rare classes, or labels, count in the loss as much as frequent ones.
        teachers: how many models are trained without the method first, to label its graphs.
        refit: once the validation split has chosen the number of epochs, train anew on training
            and validation graphs together, and test that model.
        method_settings: fields of the method; those at their defaults are left out. `matcher`
            is a name of `registry.MATCHERS`, or the folder of a saved one.
        dataset_options: parameters of the dataset.

    The others are those of the classifier and of `TrainSettings`; `devices` is of older versions.
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
    accelerator: Accelerator = "cpu"
    devices: Annotated[int, Range(1, 1)] = 1
    precision: Precision = "32-true"
    test_every_epoch: bool = True
    selection: Selection = "score"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in TABLES:  # a file may have anything there
            value = getattr(self, name)
            require(isinstance(value, Mapping), name, value, "names with values")
        BACKBONES.factory(self.backbone)
        METHODS.factory(self.method)
        settings = method_settings(self.method, self.method_settings)
        object.__setattr__(self, "method_settings", settings)
        self.train_settings()
        require(self.split in SPLITS, "split", self.split, "one of " + ", ".join(SPLITS))
        require(self.fold < self.num_folds, "fold", self.fold, f"from 0 to {self.num_folds - 1}")
        few, column = self.split == FEW, self.split in ("group", "time") and not self.split_column
        for wrong, words in (
            (few and self.train_graphs is None, "the split few needs a number of train graphs."),
            (
                not few and self.validation_graphs is not None,
                f"a number of validation graphs belongs to the split few, not to {self.split}.",
            ),
            (
                self.refit and (self.label_corruption or self.teachers),
                "refit goes without teachers and without label_corruption: leave out one of them.",
            ),
            (
                column,
                f"the split {self.split} needs the column of {self.split}s: "
                "--set split_column=COLUMN.",
            ),
        ):
            if wrong:
                raise UsageError(words)

    @property
    def seed_of_split(self) -> int:
        """The seed by which graphs are split."""
        return self.seed if self.split_seed is None else self.split_seed

    def sizes(self) -> dict[str, Any]:
        """Return the part that the classifier needs."""
        names = ("hidden_channels", "num_layers", "dropout", "batch_norm")
        return {name: getattr(self, name) for name in names}

    def train_settings(self) -> TrainSettings:
        """Return the part that the training loop needs."""
        names = [each.name for each in fields(TrainSettings)]
        return TrainSettings(**{name: getattr(self, name) for name in names})

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Return a short text that differs between configurations and contents of files."""
        about = json.dumps(vars(self), sort_keys=True)  # as of `to_dict`, without its copies
        folder = MATCHERS.folder(self.method_settings.get(MATCHER, DEFAULT_MATCHER))
        about += (digest_of_files(folder) if folder else "") + digest_of(self.dataset)
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

    In `method_settings`, `paper` stands for the paper's S-Mixup, `matcher.paper` for its matcher
    alone.
    """
    name = canonical_name(dataset, root) or dataset
    published = name_of(name)
    preset = preset_for(published)
    defaults: dict[str, Any] = {each: getattr(preset, each) for each in PRESET_FIELDS}
    defaults |= {"weight_decay": 0.0, "dropout": 0.0, "batch_norm": normed(backbone, published)}
    chosen = {key: value for key, value in changes.items() if value is not None}
    # A test split with many times the graphs to train on would take most of the time.
    defaults["test_every_epoch"] = chosen.get("split", preset.split) != FEW
    if "method_settings" in chosen:
        chosen["method_settings"] = _with_published(chosen["method_settings"], published)
    return RunConfig(name, backbone, method, seed, **(defaults | chosen))


def _with_published(settings: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """Replace `paper=true` and `matcher.paper=true` by the paper's settings; others prevail."""
    others, wanted = dict(settings), []
    for name in ("paper", "matcher.paper"):
        value = others.pop(name, False)
        value = literal(value) if isinstance(value, str) else value
        require(isinstance(value, bool), name, value, "true or false")
        wanted += [name] if value else []
    published = dict(PUBLISHED_METHOD) if "paper" in wanted else {}
    return published | (of_matcher(published_matcher(dataset)) if wanted else {}) | others


def read_settings(path: Path, also: Iterable[str] = ()) -> dict[str, Any]:
    """Return fields of a run from a file: TOML, or JSON that `smixup train --json` printed."""
    read = json.loads if path.suffix == ".json" else tomllib.loads
    try:
        settings = read(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"cannot read the settings {path}: {error}.") from error
    if isinstance(settings, dict):
        settings = settings.get("config", settings)  # where --json has them, among scores
    if not isinstance(settings, dict):
        raise UsageError(f"{path} holds no settings: it must be a table of names and values.")
    names = [*(each.name for each in fields(RunConfig)), *also]
    for name, value in settings.items():
        if name not in names:
            raise unknown_name(f"setting of a run in {path}", name, names)
        if name in TABLES:
            require(isinstance(value, dict), f"{name} in {path}", value, "names with values")
    return settings


def prevailing(file: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a file under those of the command line, where None says nothing."""
    tables = {name: {**file.get(name, {}), **(said.get(name) or {})} for name in TABLES}
    return {**file, **{name: each for name, each in said.items() if each is not None}, **tables}


def train_command(
    config: RunConfig,
    members: int = 1,
    root: Path | None = None,
    out: str | Path | None = None,
) -> str:
    """Return a `smixup train` command line with what differs from the dataset's preset."""
    preset = configure(*(getattr(config, name) for name in NAMING_FIELDS)).to_dict()
    preset["test_every_epoch"] = config.split != FEW
    words = ["smixup", "train", config.dataset]
    for name, value in config.to_dict().items():
        same = value == preset[name]
        if name in TABLES:
            words += [word for key in value for word in (TABLES[name], f"{key}={value[key]}")]
        elif name in OPTIONS[1:] and (name in NAMING_FIELDS or not same):
            words += [f"--{name.replace('_', '-')}", str(value)]
        elif name != "dataset" and not same:
            words += ["--set", f"{name}={value}"]
    words += ["--ensemble", str(members)] if members > 1 else []
    words += ["--root", str(root)] if root else []
    return shlex.join([*words, *(["--out", str(out)] if out else [])])
