"""Which graphs to mix, and in which range of lambda? (Sec. 6.3, Table 4)"""

from __future__ import annotations

from smixup.app.runs.presets import searched
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import TABLE_4, TABLE_4_COLUMNS

GRID = searched("s-mixup")

EXPERIMENT = Experiment(
    name="strategies",
    title="Test accuracy of mixing strategies and ranges of lambda (Table 4)",
    backbones=("gcn",),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("S-Mixup, same class only", "s-mixup", {"pairing": "same-class"}, GRID),
        Arm("S-Mixup, lambda in [0, 1]", "s-mixup", {"fold_ratio": False}, GRID),
        Arm("S-Mixup", "s-mixup", search=GRID),
    ],
    columns=[Column(dataset, dataset) for dataset in TABLE_4_COLUMNS],
    published=TABLE_4,
)
