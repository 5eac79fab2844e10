"""Columns that sum to one, or rows and columns? (Sec. 6.3, Table 6)"""

from __future__ import annotations

from smixup.lab.runs.presets import searched
from smixup.lab.tables.arm import Arm
from smixup.lab.tables.experiment import Column, Experiment
from smixup.lab.tables.published import TABLE_6, TABLE_6_COLUMNS

GRID = searched("s-mixup")

EXPERIMENT = Experiment(
    name="normalization",
    title="Test accuracy of S-Mixup with two normalisations (Table 6)",
    backbones=("gcn", "gin"),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("Sinkhorn", "s-mixup", {"matcher.normalization": "sinkhorn"}, GRID),
        Arm("Softmax", "s-mixup", search=GRID),
    ],
    columns=[Column(dataset, dataset) for dataset in TABLE_6_COLUMNS],
    published=TABLE_6,
)
