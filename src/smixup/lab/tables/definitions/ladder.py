"""From no mixing to S-Mixup, step by step, where labels are few."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from smixup.lab.runs.presets import of_matcher
from smixup.lab.tables.arm import Arm
from smixup.lab.tables.definitions.controls import PAPERS_COSINE
from smixup.lab.tables.definitions.motif import FIRST_SEED
from smixup.lab.tables.experiment import Column, Experiment, always
from smixup.lab.tables.published import IMDB_B, NCI1, PROTEINS

TEST_GRAPHS = 3000
BATCH_SIZE = 32

ALPHA = {"alpha": 0.2}
MIXES_ONLY = {"amount": None}
BESIDE_ORIGINALS = {"amount": 0.25}
COLUMNS = of_matcher({"normalization": "columns"})
SHARP = of_matcher({"similarity": "euclidean", "scale": 8.0, "correspondences": True})


def few(train_graphs: int, epochs: int, **others: Any) -> Mapping[str, Any]:
    """Return the changes of a condition with so many graphs to train on; a batch is small, so that
    an epoch has several steps.
    """
    sizes = {"train_graphs": train_graphs, "epochs": epochs, "batch_size": BATCH_SIZE}
    return {"split": "few", **sizes, **others}


def drawn(train_graphs: int, epochs: int) -> Callable[[int], Mapping[str, Any]]:
    """Return the changes of a condition on MOTIF: graphs of its own at every seed, of which 3000
    are left to test on.
    """

    def changes(seed: int) -> Mapping[str, Any]:
        options = {"num_graphs": 2 * train_graphs + TEST_GRAPHS, "seed": FIRST_SEED + seed}
        return few(train_graphs, epochs, dataset_options=options)

    return changes


REAL = {
    "PROTEINS-150": (PROTEINS, few(150, 150)),
    "NCI1-200": (NCI1, few(200, 150)),
    "MUTAG-60": ("MUTAG", few(60, 150)),
    "IMDB-B-150": (IMDB_B, few(150, 150)),
}
"""The real sets, each with its changes. MOTIF's own preset has batch norm under both backbones."""

EXPERIMENT = Experiment(
    name="ladder",
    title="Few labels, and one step after another",
    backbones=("gcn", "gin"),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("SubMix", "submix"),
        Arm("as published", "s-mixup", PAPERS_COSINE | COLUMNS | ALPHA | MIXES_ONLY),
        Arm("sharp scores", "s-mixup", SHARP | COLUMNS | ALPHA | BESIDE_ORIGINALS),
        Arm("uniform", "s-mixup", {"matcher": "uniform", **ALPHA, **BESIDE_ORIGINALS}),
        Arm("random order", "s-mixup", {"matcher": "random-order", **ALPHA, **BESIDE_ORIGINALS}),
    ],
    columns=[
        Column("MOTIF-60", "MOTIF", drawn(60, 200)),
        Column("MOTIF-100", "MOTIF", drawn(100, 200)),
        *(Column(name, dataset, always(**changes)) for name, (dataset, changes) in REAL.items()),
        *(
            Column(f"{name}, norm", dataset, always(**changes, batch_norm=True), ("gcn",))
            for name, (dataset, changes) in REAL.items()
        ),
    ],
    note=(
        "A column names its graphs to train on; as many validate, all others are tested (3000 of "
        "MOTIF). As published is the paper's cosine at the width and length of our matcher, "
        "training on mixes alone; sharp scores, uniform and random order put a quarter as many "
        "mixes beside the originals. Norm is a GCN with batch norm, which it has on MOTIF anyway."
    ),
)
