"""Does mixing help where training labels are wrong? (Sec. 6.2, Table 3)"""

from __future__ import annotations

from smixup.app.runs.presets import searched
from smixup.app.tables.arm import Arm
from smixup.app.tables.definitions.performance import METHODS
from smixup.app.tables.experiment import Column, Experiment, always
from smixup.app.tables.published import CORRUPTION, IMDB_B, IMDB_M, TABLE_3

ARMS = ("Vanilla", "M-Mixup", "SubMix", "G-Mixup", "S-Mixup")

EXPERIMENT = Experiment(
    name="robustness",
    title="Test accuracy with wrong training labels (Table 3)",
    backbones=("gcn",),
    arms=[Arm(name, METHODS[name], search=searched(METHODS[name])) for name in ARMS],
    columns=[
        Column(f"{dataset}, {share:.0%}", dataset, always(label_corruption=share))
        for dataset in (IMDB_B, IMDB_M)
        for share in CORRUPTION
    ],
    published=TABLE_3,
    note=(
        "The given share of training labels is flipped to another class; validation and test "
        "labels are right."
    ),
)
