"""Do graphs mixed along alignments make better classifiers than other augmentations? (Sec. 6.1,
Table 2)
"""

from __future__ import annotations

from smixup.app.runs.presets import searched
from smixup.app.tables.arm import Arm
from smixup.app.tables.experiment import Column, Experiment
from smixup.app.tables.published import TABLE_2, TABLE_2_COLUMNS

METHODS = {
    "Vanilla": "vanilla",
    "DropEdge": "drop-edge",
    "DropNode": "drop-node",
    "Subgraph": "subgraph",
    "M-Mixup": "m-mixup",
    "SubMix": "submix",
    "G-Mixup": "g-mixup",
    "ifMixup": "if-mixup",
    "Graph Transplant": "graph-transplant",
    "FGWMixup": "fgw-mixup",
    "GeoMix": "geomix",
    "GED-Mixup": "ged-mixup",
    "S-Mixup": "s-mixup",
}

LATER = ("FGWMixup", "GeoMix", "GED-Mixup")
"""Methods that came after the paper, at their defaults."""

EXPERIMENT = Experiment(
    name="performance",
    title="Test scores of all methods (Table 2)",
    backbones=("gcn", "gin"),
    arms=[
        Arm(name, method, search={} if name in LATER else searched(method))
        for name, method in METHODS.items()
    ],
    columns=[Column(dataset, dataset) for dataset in TABLE_2_COLUMNS],
    published=TABLE_2,
    note=(
        "Accuracy, for ogbg-molhiv ROC-AUC. The paper did not run ifMixup and Graph Transplant. "
        "FGWMixup, GeoMix and GED-Mixup came after it, and are as by default."
    ),
)
