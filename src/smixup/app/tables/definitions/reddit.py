"""Large graphs: discussion threads of hundreds of nodes, at the paper's settings."""

from __future__ import annotations

from smixup.app.tables.arm import Arm
from smixup.app.tables.definitions.ladder import RANDOM
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import REDDIT_B

IN_PLACE = {"amount": None, "partners": 4}

EXPERIMENT = Experiment(
    name="reddit",
    title="S-Mixup on graphs of hundreds of nodes",
    backbones=("gcn", "gin"),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("S-Mixup", "s-mixup", IN_PLACE),
        Arm("S-Mixup, random one-to-one", "s-mixup", IN_PLACE | RANDOM),
    ],
    columns=[Column(REDDIT_B, REDDIT_B)],
    seeds=3,
    note=(
        "Batches of 16 graphs, 500 epochs. As in the paper, a mix stands in the place of every "
        "graph; it is drawn from four alignments that are stored for each."
    ),
)
