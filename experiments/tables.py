"""Every table as data: datasets in columns, methods in rows, and what each of them changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from smixup.matching.learned import PUBLISHED

Changes = Mapping[str, Any]
AtSeed = Callable[[int], Changes]


@dataclass(frozen=True)
class Arm:
    """One row of a table.

    Attributes:
        method: its name in `smixup methods`, or `module:class` of a variant.
        settings: fields of the method that are not at their defaults.
        grid: fields of the method that `--search` tries, with their values.
        changes: fields of the run that belong to the row.
        gin: further settings under GIN.
    """

    method: str
    settings: Changes = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)
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
        by_fold: `--search` chooses for every test fold by itself.
        gcn: columns that GCN alone has.
        by_graph: predictions go on record, so that arms are compared graph by graph.
    """

    title: str
    columns: Mapping[str, tuple[str, Changes | AtSeed]]
    arms: Mapping[str, Arm]
    backbones: Sequence[str] = ("gcn", "gin")
    seeds: int = 10
    settings: Sequence[Changes] = ({},)
    by_fold: bool = False
    gcn: Sequence[str] = ()
    by_graph: bool = True


IMDB_B, IMDB_M, PROTEINS, NCI1 = "IMDB-BINARY", "IMDB-MULTI", "PROTEINS", "NCI1"
REDDIT_B, REDDIT_M5, MOLHIV = "REDDIT-BINARY", "REDDIT-MULTI-5K", "ogbg-molhiv"

ALPHAS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # the paper's grid (App. C)
ALPHA = {"alpha": ALPHAS}
WHOLE = ALPHA | {"matcher.similarity": ("euclidean", "cosine")}
GRIDS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "drop-edge": {"p": (0.05, 0.1, 0.2, 0.4)},
    "drop-node": {"p": (0.05, 0.1, 0.2, 0.4)},
    "subgraph": {"keep": (0.2, 0.5, 0.8, 0.9)},
    "m-mixup": ALPHA,
    "submix": {"share": (0.1, 0.2, 0.4, 0.6)},
    "g-mixup": {"amount": (0.1, 0.2, 0.5)},
    "if-mixup": {"a": (1.0, 5.0, 20.0)},
    "graph-transplant": {"anchors": (0.1, 0.2, 0.4)},
    "s-mixup": WHOLE,
}
"""The paper searches grids and prints that of S-Mixup alone; the others are ours."""

# One step after another, from the paper's form of S-Mixup to today's.
SIZE_AND_LENGTH = ("num_layers", "hidden_channels", "batch_size", "learning_rate", "max_steps")
PAPERS_COSINE = {f"matcher.{k}": v for k, v in PUBLISHED.items() if k not in SIZE_AND_LENGTH}
SHARP = {"matcher.normalization": "columns"}
PAPER = {"transport": "paper"}
QUARTER = {"amount": 0.25}
MIXES_ALONE = {"amount": None}
VARIANTS = "experiments.variants"
NORMS_OVER_ALL = f"{VARIANTS}:NormsOverAll"
ONE_TO_ONE = {"transport": "partial", "matcher.normalization": "one-to-one"}
DOSE = {"transport": "partial", "alpha": 1.0}
RANDOM = {"matcher": "random-order", "matcher.partial": True}
NOTHING_LEARNT = {"matcher": "uniform", "matcher.normalization": "one-to-one"}

METHODS = {
    "Vanilla": "vanilla",
    "DropEdge": "drop-edge",
    "DropNode": "drop-node",
    "Subgraph": "subgraph",
    "M-Mixup": "m-mixup",
    "SubMix": "submix",
    "G-Mixup": "g-mixup",
    "ifMixup": "if-mixup",
    "Graph Transplant": "graph-transplant",
    "FGWMixup": "fgw-mixup",
    "GeoMix": "geomix",
    "GED-Mixup": "ged-mixup",
    "S-Mixup": "s-mixup",
}
VANILLA = {"Vanilla": Arm("vanilla")}
BESIDE = {"S-Mixup": Arm("s-mixup"), "random alignment": Arm("s-mixup", RANDOM)}
LATER = {name: Arm(METHODS[name]) for name in ("FGWMixup", "GeoMix", "GED-Mixup")}
SEARCHED = {name: Arm(method, grid=GRIDS.get(method, {})) for name, method in METHODS.items()}


def preset(*datasets: str) -> dict[str, tuple[str, Changes]]:
    """Return columns that are named as their datasets, at their presets."""
    return {name: (name, {}) for name in datasets}


def few(train_graphs: int, batch_size: int, epochs: int, **others: Any) -> Changes:
    """Return the changes of a column with few labels; batches divide the graphs, as a last batch
    of four would mislead batch norm.
    """
    sizes = {"train_graphs": train_graphs, "batch_size": batch_size, "epochs": epochs}
    return {"split": "few", **sizes, **others}


def motif(train_graphs: int | None, noise: float, **others: Any) -> AtSeed:
    """Return the changes of a column on MOTIF with graphs of its own at every seed; 0.1 of noise
    in the labels leaves a ceiling of 93.3 %.
    """
    return lambda seed: {
        "dataset_options": {"num_graphs": 1500, "label_noise": noise, "seed": 1000 + seed},
        "train_graphs": train_graphs,
        **others,
    }


def few_motif(train_graphs: int, batch_size: int) -> AtSeed:
    """Return the same with few labels; 3000 graphs are left to test."""
    return lambda seed: few(
        train_graphs,
        batch_size,
        epochs=200,
        dataset_options={"num_graphs": 2 * train_graphs + 3000, "seed": 1000 + seed},
    )


def study_fold(dataset: str) -> AtSeed:
    """Return the changes of a column on the folds of the 2026 study: seeds 0 to 4 test one fold
    each, and so does every further round of five.
    """
    attributes = {"attributes": True} if dataset in ("ENZYMES", PROTEINS) else {}
    folds = {"split": "nested", "split_seed": 0, "num_folds": 5, "refit": True}
    others = {"selection": "score", "test_every_epoch": False, "dataset_options": attributes}
    return lambda seed: {**folds, **others, "fold": seed % 5}


EPOCHS = {25: 400, 50: 300, 100: 200, 200: 150}  # by graphs to train on
FEW_LABELS: Mapping[str, tuple[str, Changes]] = {
    "PROTEINS": (PROTEINS, {}),
    "MOTIF": ("MOTIF", {"dataset_options": {"num_graphs": 2400, "seed": 1000}}),
    "NCI1": (NCI1, {"learning_rate": 0.003}),  # at 0.01 a GCN without norm learns nothing
    "MUTAG": ("MUTAG", {}),
    "IMDB-B": (IMDB_B, {}),
    "IMDB-M": (IMDB_M, {}),
}


def few_label_columns() -> dict[str, tuple[str, Changes]]:
    """Return a column for every dataset and number of labels; MUTAG has 188 graphs alone, of
    which 30 validate where 100 are trained on.
    """
    columns: dict[str, tuple[str, Changes]] = {}
    for name, (dataset, changes) in FEW_LABELS.items():
        for labels, epochs in EPOCHS.items():
            fewer = {"validation_graphs": 30} if (name, labels) == ("MUTAG", 100) else {}
            if (name, labels) != ("MUTAG", 200):
                columns[f"{name}-{labels}"] = dataset, few(labels, 25, epochs, **changes, **fewer)
    return columns


WRONG = (0.2, 0.4)
NOISY = tuple(name for name in FEW_LABELS if name != "MUTAG")
LADDER: Mapping[str, tuple[str, Changes]] = {
    "PROTEINS-150": (PROTEINS, few(150, 30, epochs=150)),
    "NCI1-200": (NCI1, few(200, 40, epochs=150, learning_rate=0.003)),
    "MUTAG-60": ("MUTAG", few(60, 30, epochs=200)),
    "IMDB-B-150": (IMDB_B, few(150, 30, epochs=150)),
}
WITH_NORM = {f"{k}, norm": (data, {**c, "batch_norm": True}) for k, (data, c) in LADDER.items()}
STUDY_DATA = ("MUTAG", "ENZYMES", IMDB_B, PROTEINS, IMDB_M, NCI1)
STUDY_COLUMNS = {name: (name, study_fold(name)) for name in STUDY_DATA}
STUDY = "the study's S-Mixup"
THEIRS = {**PAPER, **PAPERS_COSINE, **MIXES_ALONE}
STUDY_ARM = Arm(f"{VARIANTS}:Study", THEIRS, gin={"whole": True})
NORMED = {"batch_norm": True, "dropout": 0.5}
WIDE = {**NORMED, "hidden_channels": 128}
IN_PLACE = {"amount": None, "partners": 4}
ORDER = {"matcher": "random-order"}
AS_PUBLISHED = {**PAPERS_COSINE, **SHARP, **PAPER, "alpha": 0.2, **MIXES_ALONE}
GENTLE = {**PAPER, "alpha": 0.2, **QUARTER}
BALANCED = {k: v for k, v in GENTLE.items() if k != "transport"}
BALANCED |= {"matcher.normalization": "sinkhorn(rounds=50)"}
SHORT_ALPHA = {"alpha": (0.2, 1.0)}

PLACE = {"beside": {}, "in place": {"amount": None}}
SAME_CLASS = {"pairing": "same-class"}
MOTIF_2400 = {"dataset_options": {"num_graphs": 2400, "seed": 1000}}
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

TABLES: Mapping[str, Table] = {
    "quick": Table(
        "A first look of minutes: does everything work?",
        {
            "MUTAG": ("MUTAG", {"epochs": 100, "batch_size": 32, "learning_rate": 0.01}),
            "MOTIF, 100 graphs": ("MOTIF", motif(100, 0.0, epochs=60, batch_size=32)),
        },
        {
            **VANILLA,
            "M-Mixup": Arm("m-mixup"),
            "random order": Arm("s-mixup", ORDER),
            "S-Mixup": Arm("s-mixup", {"matcher.max_steps": 100}, SHORT_ALPHA),
        },
        backbones=("gin",),
        seeds=3,
    ),
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
        {"1500 graphs": ("MOTIF", motif(None, 0.1))},
        {
            **VANILLA,
            "random order": Arm("s-mixup", {**ORDER, **MIXES_ALONE}, SHORT_ALPHA),
            "S-Mixup": Arm("s-mixup", MIXES_ALONE, SHORT_ALPHA),
        },
    ),
    "adaptive": Table(
        "By an earlier version, with its default dose, and with a ratio by pair",
        {
            "MOTIF, 100 graphs": ("MOTIF", motif(100, 0.1, batch_size=32, epochs=200)),
            **preset(IMDB_B, PROTEINS),
        },
        {**VANILLA, "S-Mixup": Arm("s-mixup", grid=ALPHA)},
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
            "MOTIF-60": ("MOTIF", few_motif(60, 30)),
            "MOTIF-100": ("MOTIF", few_motif(100, 25)),
            **LADDER,
            **WITH_NORM,
        },
        {
            **VANILLA,
            "as published": Arm("s-mixup", AS_PUBLISHED),
            "+ sharp scores": Arm(NORMS_OVER_ALL, {**GENTLE, **SHARP}),
            "+ balanced": Arm(f"{VARIANTS}:Balanced", BALANCED),
            "+ one-to-one": Arm(NORMS_OVER_ALL, {**GENTLE, **ONE_TO_ONE}),
            "+ norm from originals": Arm("s-mixup", {**GENTLE, **ONE_TO_ONE}),
            "+ dose": Arm("s-mixup", DOSE),
            "random alignment": Arm("s-mixup", DOSE | RANDOM),
            "nothing learnt": Arm("s-mixup", DOSE | NOTHING_LEARNT),
        },
        gcn=tuple(WITH_NORM),
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
    "reddit": Table(
        "Graphs of hundreds of nodes; a mix stands in the place of every graph",
        preset(REDDIT_B),
        {
            **VANILLA,
            "S-Mixup": Arm("s-mixup", IN_PLACE),
            "random alignment": Arm("s-mixup", IN_PLACE | RANDOM),
        },
        seeds=3,
    ),
    "icml2026": Table(
        "The folds of the ICML 2026 study, and one step after another",
        STUDY_COLUMNS,
        {
            **VANILLA,
            STUDY: STUDY_ARM,
            "+ weights heard": Arm("s-mixup", THEIRS),
            "+ originals kept": Arm(NORMS_OVER_ALL, {**PAPER, **PAPERS_COSINE, **QUARTER}),
            "+ sharp scores": Arm(NORMS_OVER_ALL, {**PAPER, **SHARP, **QUARTER}),
            "+ one-to-one": Arm(NORMS_OVER_ALL, QUARTER),
            "+ norm from originals": Arm("s-mixup", QUARTER),
            **BESIDE,
            "SubMix": Arm("submix"),
            **LATER,
        },
        seeds=15,
    ),
    "icml2026-search": Table(
        "The same folds; every method chooses among the same five settings",
        STUDY_COLUMNS,
        {**VANILLA, STUDY: STUDY_ARM, **BESIDE, "SubMix": Arm("submix")},
        seeds=15,
        settings=({}, {"learning_rate": 0.003}, {"num_layers": 2}, NORMED, WIDE),
        by_fold=True,
    ),
}
