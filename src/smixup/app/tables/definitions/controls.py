"""Is it the alignment that helps? S-Mixup beside everything that differs from it in one respect."""

from __future__ import annotations

from smixup.app.runs.presets import of_matcher, searched
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import IMDB_B, NCI1, PROTEINS
from smixup.matching.published import PUBLISHED

ALPHA = searched("s-mixup", "matcher.similarity")

SIZE_AND_LENGTH = ("num_layers", "hidden_channels", "batch_size", "learning_rate", "max_steps")
PAPERS_COSINE = of_matcher(
    {name: value for name, value in PUBLISHED.items() if name not in SIZE_AND_LENGTH}
)

EXPERIMENT = Experiment(
    name="controls",
    title="S-Mixup and what it would be without alignment",
    backbones=("gcn", "gin"),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("label smoothing", "label-smoothing", search=searched("label-smoothing")),
        Arm("uniform assignment", "s-mixup", {"matcher": "uniform"}, ALPHA),
        Arm("random order", "s-mixup", {"matcher": "random-order"}, ALPHA),
        Arm("no alignment", "s-mixup", {"matcher": "identity"}, ALPHA),
        Arm("paper's cosine", "s-mixup", PAPERS_COSINE, ALPHA),
        Arm("S-Mixup", "s-mixup", search=ALPHA),
    ],
    columns=[Column(dataset, dataset) for dataset in ("MOTIF", IMDB_B, PROTEINS, NCI1)],
    note=(
        "No alignment matches nodes in the order in which they are stored. The paper's cosine is "
        "its similarity, taught by triplets alone, at the size and length of our matcher."
    ),
)
