"""Does S-Mixup need a learned matcher? (Sec. 6.3, Table 5)"""

from __future__ import annotations

from smixup.app.runs.presets import searched
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import TABLE_5, TABLE_5_COLUMNS

ALPHA = searched("s-mixup", "matcher.similarity")

EXPERIMENT = Experiment(
    name="matchers",
    title="Test accuracy of S-Mixup with other matchers (Table 5)",
    backbones=("gin",),
    arms=[
        Arm("Vanilla", "vanilla"),
        Arm("S-Mixup", "s-mixup", search=searched("s-mixup")),
        Arm("S-Mixup with RRWM", "s-mixup", {"matcher": "rrwm"}, ALPHA),
        Arm("S-Mixup with fused Gromov-Wasserstein", "s-mixup", {"matcher": "fgw"}, ALPHA),
        Arm("S-Mixup with a siamese matcher", "s-mixup", {"matcher": "siamese"}, ALPHA),
    ],
    columns=[Column(dataset, dataset) for dataset in TABLE_5_COLUMNS],
    published=TABLE_5,
    note="The paper compares with RRWM alone.",
)
