"""How much to mix: the distribution Beta(alpha, alpha) of the ratio (Sec. 6.3, Table 7)."""

from __future__ import annotations

from smixup.app.runs.presets import ALPHAS
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import TABLE_7, TABLE_7_COLUMNS

EXPERIMENT = Experiment(
    name="alpha",
    title="Test accuracy of S-Mixup against alpha (Table 7)",
    backbones=("gcn",),
    arms=[
        Arm("Vanilla", "vanilla"),
        *(Arm(f"alpha {alpha:g}", "s-mixup", {"alpha": alpha}) for alpha in ALPHAS),
    ],
    columns=[Column(dataset, dataset) for dataset in TABLE_7_COLUMNS],
    published=TABLE_7,
)
