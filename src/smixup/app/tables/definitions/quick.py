"""A first look that takes minutes: two small datasets, three methods."""

from __future__ import annotations

from smixup.app.tables.arm import Arm
from smixup.app.tables.definitions.motif import drawn
from smixup.app.tables.experiment import Column, Experiment, always

EXPERIMENT = Experiment(
    name="quick",
    title="A first look: MUTAG and MOTIF",
    backbones=("gin",),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("M-Mixup", "m-mixup"),
        Arm("random order", "s-mixup", {"matcher": "random-order"}),
        Arm("S-Mixup", "s-mixup", {"matcher.max_steps": 100}, {"alpha": (0.2, 1.0)}),
    ],
    columns=[
        Column("MUTAG", "MUTAG", always(epochs=100, batch_size=32, learning_rate=0.01)),
        Column("MOTIF, 100 graphs", "MOTIF", drawn(100, 0.0, epochs=60, batch_size=32)),
    ],
    seeds=3,
    note="Small data and short training: a check that everything works, not a result.",
)
