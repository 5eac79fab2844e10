"""Everything that decides the outcome of one run, with the paper's settings as presets."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from smixup import settings as ranges
from smixup.app.runs.registry import (
    MATCHER,
    method_settings,
    of_matcher,
)
from smixup.augment.smixup import PUBLISHED_METHOD
from smixup.classifiers import Classifier
from smixup.datasets.catalogue import canonical_name, is_path
from smixup.datasets.readers.registry import digest_of_files, reader_of
from smixup.datasets.sources import OGB_SETS
from smixup.errors import require
from smixup.matching.learned import PUBLISHED
from smixup.names import BACKBONES
from smixup.packed_folder import digest_of, name_of
from smixup.training.settings import EPOCHS, RECIPE, RECIPE_SIZES, TrainSettings

FEW = "few"
SplitKind = Literal["random", "official", "fold", "few", "nested", "group", "scaffold", "time"]
SPLITS = get_args(SplitKind)
NAMING_FIELDS = ("dataset", "backbone", "method", "seed")
OPTIONS = (*NAMING_FIELDS, "epochs", "split", "metric")
TABLES = {"method_settings": "--set", "dataset_options": "--data"}  # other fields by `--set`, too


@dataclass(frozen=True)
class Preset:
    """Settings of a dataset: Tables 8 and 9, App. C, and the kind of its split."""

    learning_rate: float
    epochs: int
    batch_size: int
    matcher_layers: int
    matcher_batch_size: int
    num_layers: int = 4
    hidden_channels: int = 32
    split: SplitKind = "random"


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


def published_matcher(dataset: str) -> dict[str, Any]:
    """Return the settings of the paper's matcher for a dataset; all 500 epochs are trained."""
    preset = preset_for(dataset)
    sizes = {"num_layers": preset.matcher_layers, "batch_size": preset.matcher_batch_size}
    return PUBLISHED | sizes | {"epochs": 500, "patience": 10**9}


@dataclass(frozen=True, kw_only=True)
class RunConfig(TrainSettings):
    """One run: data, classifier, method, training.

    Attributes:
        seed: of split, initial weights, batches and method, each with a source of its own.
        split: `random` 80/10/10, `official`, `fold` (stratified), `few`: `train_graphs` and
            `validation_graphs`, all others to test; `nested`: one of scikit-learn's stratified
            folds is tested, a fold of the others validates; `group`: folds that leave the graphs of
            a group together; `scaffold`: rare ones to test; or `time`: the latest to test.
        split_column: the column of the dataset's table that holds groups or times.
        split_seed: of the split alone, so that several runs share it; `seed` if None.
        num_folds, fold: how many there are, and which is tested, counted from 0.
        train_graphs: how many graphs of the training split to use, all if None.
        validation_graphs: of the split `few`; as many as `train_graphs` if None.
        metric: the score that is reported and chosen by; the dataset's own if empty.
        label_corruption: share of training labels flipped to another class (Sec. 6.2).
        balanced: whether rare classes, or labels, count in the loss as much as frequent ones.
        refit: whether a model that is trained anew on training and validation graphs together, for
            as many epochs as the validation split chose, is tested.
        method_settings: fields of the method, without those at their defaults; `matcher` is a name
            of `registry.MATCHERS`.
        dataset_options: parameters of the dataset.
    """

    dataset: str
    backbone: str
    method: str
    num_layers: ranges.Count
    hidden_channels: ranges.Count
    dropout: ranges.Dropout
    batch_norm: bool
    split: SplitKind
    split_seed: ranges.Natural | None = None
    split_column: str = ""
    num_folds: Annotated[int, ranges.Range(3)] = 10
    fold: ranges.Natural = 0
    train_graphs: ranges.Count | None = None
    validation_graphs: ranges.Count | None = None
    metric: str = ""
    label_corruption: ranges.Share = 0.0
    balanced: bool = False
    refit: bool = False
    method_settings: Mapping[str, Any] = field(default_factory=dict)
    dataset_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        network = issubclass(BACKBONES.factory(self.backbone), Classifier)  # type: ignore[arg-type]
        settings = method_settings(self.method, self.method_settings)
        object.__setattr__(self, "method_settings", settings)
        require(network or self.method == "vanilla", "method", self.method, "vanilla: no network")
        require(self.fold < self.num_folds, "fold", self.fold, f"from 0 to {self.num_folds - 1}")
        known = self.split != FEW or self.train_graphs is not None
        require(known, "train_graphs", None, "a number for the split few")

    @property
    def seed_of_split(self) -> int:
        """The seed by which graphs are split."""
        return self.seed if self.split_seed is None else self.split_seed

    def sizes(self) -> dict[str, Any]:
        """Return the part that the classifier needs."""
        names = ("hidden_channels", "num_layers", "dropout", "batch_norm")
        return {name: getattr(self, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Return a short text that differs between configurations and contents of files."""
        about = json.dumps(vars(self), sort_keys=True)  # as of `to_dict`, without its copies
        about += digest_of(self.dataset)
        if reader_of(self.dataset) and Path(self.dataset).is_absolute():
            about += digest_of_files(self.dataset)
        return sha256(about.encode()).hexdigest()[:16]


FIELDS = frozenset(field.name for field in fields(RunConfig))


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
    chosen = {key: value for key, value in changes.items() if value is not None}
    defaults = {key: each for key, each in vars(preset).items() if not key.startswith(MATCHER)}
    # The paper's GCN has no batch norm (App. C); on MOTIF, where all nodes look alike, it would
    # learn nothing without.
    normed = backbone in ("gin", "gine", "wide") or (backbone, published) == ("gcn", "MOTIF")
    defaults |= {"weight_decay": 0.0, "dropout": 0.0, "batch_norm": normed}
    defaults |= {**RECIPE, **RECIPE_SIZES, "epochs": EPOCHS} if backbone == "wide" else {}
    if "method_settings" in chosen:
        chosen["method_settings"] = _with_published(chosen["method_settings"], published)
    named = {"dataset": name, "backbone": backbone, "method": method, "seed": seed}
    return RunConfig(**{**named, **defaults, **chosen})


def _with_published(settings: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """Replace `paper=true` and `matcher.paper=true` by the paper's settings; others prevail."""
    others, published = dict(settings), dict[str, Any]()
    for name in ("paper", "matcher.paper"):
        value = others.pop(name, False)
        value = ranges.literal(value) if isinstance(value, str) else value
        require(isinstance(value, bool), name, value, "true or false")
        if value:
            published |= of_matcher(published_matcher(dataset))
            published |= PUBLISHED_METHOD if name == "paper" else {}
    return published | others


def settings_of_words(words: Iterable[str] | None, *more: type) -> dict[str, Any]:
    """Return what `--set` says: fields of a run, or of `more`, and all others as those of the
    method.
    """
    types = {name: kind for kind in (*more, RunConfig) for name in ranges.option_types(kind)}
    settings, method = dict[str, Any](), dict[str, str]()
    for name, value in ranges.split_pairs(words or []).items():
        if name in types:
            settings |= ranges.checked_options("a run", types[name], {name: value})
        else:
            method[name] = value
    return {**settings, "method_settings": method}


def train_command(
    config: RunConfig,
    members: int = 1,
    root: Path | None = None,
    out: str | Path | None = None,
    alone: bool = True,
) -> str:
    """Return a `smixup train` command line with what differs from the dataset's preset; unless it
    is `alone`, without the model and its method.
    """
    naming = {name: getattr(config, name) for name in NAMING_FIELDS}
    preset = configure(**naming).to_dict()
    words = list[tuple[str, Any]]()
    for name, value in config.to_dict().items():
        if name in TABLES:
            words += [(TABLES[name], f"{key}={value[key]}") for key in value]
        elif name in OPTIONS[1:] and (name in NAMING_FIELDS or value != preset[name]):
            words += [(f"--{name}", value)] if alone or name not in ("backbone", "method") else []
        elif name != "dataset" and value != preset[name]:
            words += [("--set", f"{name}={value}")]
    words += [("--ensemble", members)] if members > 1 else []
    words += [("--root", root)] if root else []
    words += [("--out", out)] if out else []
    return shlex.join(["smixup", "train", config.dataset, *map(str, chain(*words))])
