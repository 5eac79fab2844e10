"""Does it help to mix a pair less, the more its alignment distorts it? (the future work of Sec.
5.2)
"""

from __future__ import annotations

from smixup.app.runs.presets import searched
from smixup.app.tables.arm import Arm
from smixup.app.tables.definitions.motif import drawn
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import IMDB_B, PROTEINS

ALPHA = searched("s-mixup", "matcher.similarity")

EXPERIMENT = Experiment(
    name="adaptive",
    title="A range of lambda for every pair, and one for all",
    backbones=("gcn", "gin"),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("S-Mixup", "s-mixup", search=ALPHA),
        Arm("S-Mixup, adaptive", "s-mixup", {"adaptive": True}, ALPHA),
    ],
    columns=[
        Column("MOTIF, 100 graphs", "MOTIF", drawn(100, 0.1, batch_size=32, epochs=200)),
        *(Column(dataset, dataset) for dataset in (IMDB_B, PROTEINS)),
    ],
)
