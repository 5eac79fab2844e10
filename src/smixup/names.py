"""Backbones and methods by name, and where they are; one line adds one. Nothing is imported before
it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smixup.ranges import Registry

if TYPE_CHECKING:
    from smixup.augment import Augmentation
    from smixup.classifiers import Classifier

BACKBONES: Registry[Classifier] = Registry(
    "backbone",
    {
        "gcn": "smixup.classifiers.gcn:GCN",
        "gin": "smixup.classifiers.gin:GIN",
        "gcn-edge": "smixup.classifiers.edges:GCNEdge",
        "gine": "smixup.classifiers.edges:GINE",
    },
)

METHODS: Registry[Augmentation] = Registry(
    "method",
    {
        "vanilla": "smixup.augment.base:Augmentation",
        "drop-edge": "smixup.augment.baselines.drop:DropEdge",
        "drop-node": "smixup.augment.baselines.drop:DropNode",
        "subgraph": "smixup.augment.baselines.drop:Subgraph",
        "m-mixup": "smixup.augment.baselines.m_mixup:MMixup",
        "submix": "smixup.augment.baselines.submix:SubMix",
        "g-mixup": "smixup.augment.baselines.g_mixup:GMixup",
        "if-mixup": "smixup.augment.baselines.if_mixup:IfMixup",
        "graph-transplant": "smixup.augment.baselines.transplant:GraphTransplant",
        "fgw-mixup": "smixup.augment.baselines.fgw_mixup:FGWMixup",
        "geomix": "smixup.augment.baselines.geomix:GeoMix",
        "ged-mixup": "smixup.augment.baselines.ged_mixup:GEDMixup",
        "r-mixup": "smixup.augment.baselines.r_mixup:RMixup",
        "s-mixup": "smixup.augment.smixup:SMixup",
        "s-cut": "smixup.augment.aligned_cut:AlignedCut",
        "label-smoothing": "smixup.augment.baselines.drop:LabelSmoothing",
    },
)
