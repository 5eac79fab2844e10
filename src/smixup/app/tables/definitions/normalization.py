"""Columns that sum to one, or rows and columns? (Sec. 6.3, Table 6)"""

from __future__ import annotations

from smixup.app.runs.presets import searched
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import TABLE_6, TABLE_6_COLUMNS

GRID = searched("s-mixup")
PAPER = {"transport": "paper"}

EXPERIMENT = Experiment(
    name="normalization",
    title="Test accuracy of S-Mixup with two normalisations (Table 6)",
    backbones=("gcn", "gin"),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("Sinkhorn", "s-mixup", PAPER | {"matcher.normalization": "sinkhorn"}, GRID),
        Arm("Softmax", "s-mixup", PAPER | {"matcher.normalization": "columns"}, GRID),
        Arm("one-to-one", "s-mixup", search=GRID),
    ],
    columns=[Column(dataset, dataset) for dataset in TABLE_6_COLUMNS],
    published=TABLE_6,
)
