"""Every table as data: datasets in columns, methods in rows, and what each of them changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from smixup.matching.learned import PUBLISHED
from smixup.names import CLASSICAL
from smixup.training.settings import RECIPE, RECIPE_SIZES, recipe

Changes = Mapping[str, Any]
AtSeed = Callable[[int], Changes]
Columns = Mapping[str, tuple[str, Changes | AtSeed]]


@dataclass(frozen=True)
class Arm:
    """One row of a table.

    Attributes:
        method: its name in `smixup methods`, or `module:class` of a variant.
        settings: fields of the method that are not at their defaults.
        grid: fields of the method that `--search` tries, with their values.
        gin: further settings under GIN.
    """

    method: str
    settings: Changes = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    gin: Changes = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """An experiment.

    Attributes:
        title: what it asks.
        columns: by name, the dataset and what differs from its preset, for all seeds or at a seed.
        arms: by name; the others are compared with the first.
        seeds: paired runs per cell.
        settings: fields of the run among which `--search` chooses, the same for every arm.
        gcn: columns that GCN alone has.
        by_graph: predictions go on record, so that arms are compared graph by graph.
    """

    title: str
    columns: Columns
    arms: Mapping[str, Arm]
    backbones: Sequence[str] = ("gcn", "gin")
    seeds: int = 10
    settings: Sequence[Changes] = ({},)
    gcn: Sequence[str] = ()
    by_graph: bool = True


IMDB_B, IMDB_M, PROTEINS, NCI1 = "IMDB-BINARY", "IMDB-MULTI", "PROTEINS", "NCI1"
REDDIT_B, REDDIT_M5, MOLHIV = "REDDIT-BINARY", "REDDIT-MULTI-5K", "ogbg-molhiv"

# What arms change in S-Mixup, from the paper's form of it to today's.
SIZE_AND_LENGTH = ("num_layers", "hidden_channels", "batch_size", "learning_rate", "max_steps")
PAPERS_COSINE = {f"matcher.{k}": v for k, v in PUBLISHED.items() if k not in SIZE_AND_LENGTH}
SHARP = {"matcher.normalization": "columns"}
PAPER = {"transport": "paper"}
QUARTER = {"amount": 0.25}
MIXES_ALONE = {"amount": None}
GENTLE = {**PAPER, "alpha": 0.2, **QUARTER}
ONE_TO_ONE = {"transport": "partial", "matcher.normalization": "one-to-one"}
DOSE = {"transport": "partial", "alpha": 1.0}
RANDOM = {"matcher": "random-order", "matcher.partial": True}
NOTHING_LEARNT = {"matcher": "uniform", "matcher.normalization": "one-to-one"}
THEIRS = {**PAPER, **PAPERS_COSINE, **MIXES_ALONE}
VARIANTS = "experiments.variants"
NORMS_OVER_ALL = f"{VARIANTS}:NormsOverAll"

# The paper searches grids and prints that of S-Mixup alone (App. C); the others are ours.
ALPHAS, RATES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0), (0.05, 0.1, 0.2, 0.4)
ALPHA = {"alpha": ALPHAS}
WHOLE = ALPHA | {"matcher.similarity": ("euclidean", "cosine")}
SEARCHED = {
    "Vanilla": Arm("vanilla"),
    "DropEdge": Arm("drop-edge", grid={"p": RATES}),
    "DropNode": Arm("drop-node", grid={"p": RATES}),
    "Subgraph": Arm("subgraph", grid={"keep": (0.2, 0.5, 0.8, 0.9)}),
    "M-Mixup": Arm("m-mixup", grid=ALPHA),
    "SubMix": Arm("submix", grid={"share": (0.1, 0.2, 0.4, 0.6)}),
    "G-Mixup": Arm("g-mixup", grid={"amount": (0.1, 0.2, 0.5)}),
    "ifMixup": Arm("if-mixup", grid={"a": (1.0, 5.0, 20.0)}),
    "Graph Transplant": Arm("graph-transplant", grid={"anchors": (0.1, 0.2, 0.4)}),
    "FGWMixup": Arm("fgw-mixup"),
    "GeoMix": Arm("geomix"),
    "GED-Mixup": Arm("ged-mixup"),
    "S-Mixup": Arm("s-mixup", grid=WHOLE),
}
VANILLA = {"Vanilla": SEARCHED["Vanilla"]}
BESIDE = {"S-Mixup": Arm("s-mixup"), "random alignment": Arm("s-mixup", RANDOM)}
LATER = {name: SEARCHED[name] for name in ("FGWMixup", "GeoMix", "GED-Mixup")}


def preset(*datasets: str) -> Columns:
    """Return columns that are named as their datasets, at their presets."""
    return {name: (name, {}) for name in datasets}


def few(train_graphs: int, batch_size: int, epochs: int, **others: Any) -> Changes:
    """Return the changes of a column with few labels; batches divide the graphs, as a last batch
    of four would mislead batch norm.
    """
    sizes = {"train_graphs": train_graphs, "batch_size": batch_size, "epochs": epochs}
    return {"split": "few", **sizes, **others}


MOTIF_2400 = {"dataset_options": {"num_graphs": 2400, "seed": 1000}}
EPOCHS = {25: 400, 50: 300, 100: 200, 200: 150}  # by graphs to train on
FEW_LABELS: Mapping[str, tuple[str, Changes]] = {
    "PROTEINS": (PROTEINS, {}),
    "MOTIF": ("MOTIF", MOTIF_2400),
    "NCI1": (NCI1, {"learning_rate": 0.003}),  # at 0.01 a GCN without norm learns nothing
    "MUTAG": ("MUTAG", {}),
    "IMDB-B": (IMDB_B, {}),
    "IMDB-M": (IMDB_M, {}),
}
WRONG, NOISY = (0.2, 0.4), tuple(name for name in FEW_LABELS if name != "MUTAG")


def few_label_columns() -> Columns:
    """Return a column for every dataset and number of labels; MUTAG has 188 graphs alone, of
    which 30 validate where 100 are trained on.
    """
    columns = {
        f"{name}-{labels}": (dataset, few(labels, 25, epochs, **changes))
        for name, (dataset, changes) in FEW_LABELS.items()
        for labels, epochs in EPOCHS.items()
        if (name, labels) != ("MUTAG", 200)
    }
    return columns | {"MUTAG-100": ("MUTAG", few(100, 25, EPOCHS[100], validation_graphs=30))}


STUDY_DATA = ("MUTAG", "ENZYMES", IMDB_B, PROTEINS, IMDB_M, NCI1)
STUDY, NORMED = "the study's S-Mixup", {"batch_norm": True, "dropout": 0.5}


def study_fold(dataset: str) -> AtSeed:
    """Return the changes of a column on the folds of the 2026 study: seeds 0 to 4 test one fold
    each, and so does every further round of five.
    """
    attributes = {"attributes": True} if dataset in ("ENZYMES", PROTEINS) else {}
    folds = {"split": "nested", "split_seed": 0, "num_folds": 5, "refit": True}
    others = {"selection": "score", "dataset_options": attributes}
    return lambda seed: {**folds, **others, "fold": seed % 5}


PLACE = {"beside": {}, "in place": {"amount": None}}
SAME_CLASS = {"pairing": "same-class"}
DOSES: dict[str, Arm] = {
    f"{name}, alpha {alpha:g}, {place}": Arm("s-mixup", {**matcher, "alpha": alpha, **amount})
    for name, matcher in (("aligned", {}), ("random alignment", RANDOM))
    for alpha in (0.2, 1.0, 2.0, 5.0)
    for place, amount in PLACE.items()
}
DOSES |= {
    f"{name}, same class, alpha {alpha:g}, {place}": Arm(
        "s-mixup", {**matcher, **SAME_CLASS, "alpha": alpha, **PLACE[place]}
    )
    for name, matcher in (("aligned", {}), ("random alignment", RANDOM))
    for alpha, place in ((1.0, "beside"), (5.0, "in place"))
}
DOSES |= {
    f"label alone, alpha {alpha:g}, {place}": Arm(
        f"{VARIANTS}:LabelAlone", {**RANDOM, "alpha": alpha, **PLACE[place]}
    )
    for alpha, place in ((1.0, "beside"), (5.0, "in place"))
}
DOSES |= {
    f"random alignment, equal change, alpha {alpha:g}, {place}": Arm(
        f"{VARIANTS}:EqualChange", {"alpha": alpha, **PLACE[place]}
    )
    for alpha, place in ((1.0, "beside"), (5.0, "in place"))
}
DOSE_COLUMNS: Mapping[str, tuple[str, Changes]] = {
    "MOTIF-25": ("MOTIF", few(25, 25, 400, **MOTIF_2400)),
    "MOTIF-60": ("MOTIF", few(60, 30, 300, **MOTIF_2400)),
    "Letter-med-150": ("Letter-med", few(150, 30, 200, learning_rate=0.005)),
    "PROTEINS-100": (PROTEINS, few(100, 25, 200)),
    "NCI1-200": (NCI1, few(200, 40, 150, learning_rate=0.003)),
    "MUTAG-50": ("MUTAG", few(50, 25, 300)),
    "ENZYMES-200": (
        "ENZYMES",
        few(200, 40, 200, learning_rate=0.005, dataset_options={"attributes": True}),
    ),
    "IMDB-B-100": (IMDB_B, few(100, 25, 200)),
}


def trained(train_graphs: int) -> Changes:
    """Return how the network for few labels is trained on so many."""
    return {**RECIPE, **RECIPE_SIZES, "epochs": recipe(train_graphs).epochs}


TABLES: Mapping[str, Table] = {
    "table2": Table(
        "Test scores of all methods (Table 2)",
        preset(IMDB_B, PROTEINS, NCI1, REDDIT_B, IMDB_M, REDDIT_M5, MOLHIV),
        SEARCHED,
    ),
    "table3": Table(
        "Accuracy with 20, 40, 60 % wrong training labels (Table 3)",
        {
            f"{dataset}, {share:.0%}": (dataset, {"label_corruption": share})
            for dataset in (IMDB_B, IMDB_M)
            for share in (0.2, 0.4, 0.6)
        },
        {name: SEARCHED[name] for name in ("Vanilla", "M-Mixup", "SubMix", "G-Mixup", "S-Mixup")},
        backbones=("gcn",),
    ),
    "table4": Table(
        "Mixing strategies and ranges of lambda (Table 4)",
        preset(IMDB_B, PROTEINS, REDDIT_B, IMDB_M),
        {
            **VANILLA,
            "S-Mixup, same class only": Arm("s-mixup", {"pairing": "same-class"}, WHOLE),
            "S-Mixup, lambda in [0, 1]": Arm("s-mixup", {"ratio": "unfolded"}, WHOLE),
            "S-Mixup": Arm("s-mixup", grid=WHOLE),
        },
        backbones=("gcn",),
    ),
    "table5": Table(
        "S-Mixup with other matchers (Table 5)",
        preset(IMDB_B, IMDB_M),
        {
            **VANILLA,
            "S-Mixup": Arm("s-mixup", grid=WHOLE),
            "S-Mixup with RRWM": Arm("s-mixup", {"matcher": "rrwm"}, ALPHA),
            "S-Mixup with fused Gromov-Wasserstein": Arm("s-mixup", {"matcher": "fgw"}, ALPHA),
            "S-Mixup with a siamese matcher": Arm("s-mixup", {"matcher": "siamese"}, ALPHA),
        },
        backbones=("gin",),
    ),
    "table6": Table(
        "S-Mixup with two normalisations (Table 6)",
        preset(IMDB_B, PROTEINS, NCI1, REDDIT_B, IMDB_M, REDDIT_M5),
        {
            **VANILLA,
            "Sinkhorn": Arm("s-mixup", {**PAPER, "matcher.normalization": "sinkhorn"}, WHOLE),
            "Softmax": Arm("s-mixup", {**PAPER, **SHARP}, WHOLE),
            "one-to-one": Arm("s-mixup", grid=WHOLE),
        },
    ),
    "table7": Table(
        "S-Mixup against alpha (Table 7)",
        preset(REDDIT_B, IMDB_M),
        {**VANILLA, **{f"alpha {alpha:g}": Arm("s-mixup", {"alpha": alpha}) for alpha in ALPHAS}},
        backbones=("gcn",),
    ),
    "motif": Table(
        "All labels, a tenth wrong, where a motif decides (Sec. 5.1)",
        {"1500 graphs": ("MOTIF", {"dataset_options": {"num_graphs": 1500, "label_noise": 0.1}})},
        {
            **VANILLA,
            "random order": Arm("s-mixup", {"matcher": "random-order", **MIXES_ALONE}),
            "S-Mixup": Arm("s-mixup", MIXES_ALONE, {"alpha": (0.2, 1.0)}),
        },
        backbones=("gin",),
    ),
    "few-labels": Table(
        "Gain against the number of labels",
        few_label_columns(),
        {**VANILLA, **BESIDE, **LATER},
        seeds=20,
    ),
    "noisy-labels": Table(
        "Gain with wrong training labels: 100 graphs to train on, all others tested",
        {
            f"{name}, {share:.0%} wrong": (
                FEW_LABELS[name][0],
                few(100, 25, EPOCHS[100], **FEW_LABELS[name][1], label_corruption=share),
            )
            for name in NOISY
            for share in WRONG
        },
        {**VANILLA, **BESIDE},
    ),
    "ladder": Table(
        "Few labels: from no mixing to S-Mixup, one step after another",
        {
            "MOTIF-60": ("MOTIF", few(60, 30, 200, **MOTIF_2400)),
            "MOTIF-100": ("MOTIF", few(100, 25, 200, **MOTIF_2400)),
            "PROTEINS-150": (PROTEINS, few(150, 30, 150)),
            "NCI1-200": (NCI1, few(200, 40, 150, learning_rate=0.003)),
            "MUTAG-60": ("MUTAG", few(60, 30, 200)),
            "IMDB-B-150": (IMDB_B, few(150, 30, 150)),
        },
        {
            **VANILLA,
            "as published": Arm("s-mixup", {**THEIRS, **SHARP, "alpha": 0.2}),
            "+ sharp scores": Arm(NORMS_OVER_ALL, {**GENTLE, **SHARP}),
            "+ one-to-one": Arm(NORMS_OVER_ALL, {**GENTLE, **ONE_TO_ONE}),
            "+ norm from originals": Arm("s-mixup", {**GENTLE, **ONE_TO_ONE}),
            "+ dose": Arm("s-mixup", DOSE),
            "random alignment": Arm("s-mixup", DOSE | RANDOM),
            "nothing learnt": Arm("s-mixup", DOSE | NOTHING_LEARNT),
        },
    ),
    "dose": Table(
        "Few labels: how much of a partner, beside the originals or in their place",
        {
            **DOSE_COLUMNS,
            **{
                f"{name}, norm": (data, {**changes, "batch_norm": True})
                for name, (data, changes) in DOSE_COLUMNS.items()
                if data != "MOTIF"
            },
        },
        {**VANILLA, **DOSES},
        gcn=tuple(f"{name}, norm" for name in DOSE_COLUMNS),
        by_graph=False,
    ),
    "recipe": Table(
        "Few labels: the network for them, what beats it without one, and how much of a partner",
        {
            name: (data, {**changes, **trained(changes["train_graphs"])})
            for name, (data, changes) in DOSE_COLUMNS.items()
        },
        {**VANILLA, **DOSES},
        backbones=("wide", *CLASSICAL),
        by_graph=False,
    ),
    "icml2026": Table(
        "The folds of the ICML 2026 study, and one step after another",
        {name: (name, study_fold(name)) for name in STUDY_DATA},
        {
            **VANILLA,
            STUDY: Arm(f"{VARIANTS}:Study", THEIRS, gin={"whole": True}),
            "+ weights heard": Arm("s-mixup", THEIRS),
            "+ originals kept": Arm(NORMS_OVER_ALL, {**PAPER, **PAPERS_COSINE, **QUARTER}),
            "+ sharp scores": Arm(NORMS_OVER_ALL, {**PAPER, **SHARP, **QUARTER}),
            "+ one-to-one": Arm(NORMS_OVER_ALL, QUARTER),
            "+ norm from originals": Arm("s-mixup", QUARTER),
            **BESIDE,
            "SubMix": Arm("submix"),
        },
        seeds=15,
        settings=(
            {},
            {"learning_rate": 0.003},
            {"num_layers": 2},
            NORMED,
            {**NORMED, "hidden_channels": 128},
        ),
    ),
}
