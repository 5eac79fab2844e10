"""Augmentations (Sec. 3.1, Sec. 4): everything that changes what a classifier is trained on."""

from smixup.augment.aligned_cut import AlignedCut
from smixup.augment.base import Augmentation
from smixup.augment.baselines.drop import DropEdge, DropNode, LabelSmoothing, Subgraph
from smixup.augment.baselines.fgw_mixup import FGWMixup
from smixup.augment.baselines.g_mixup import GMixup
from smixup.augment.baselines.ged_mixup import GEDMixup
from smixup.augment.baselines.geomix import GeoMix
from smixup.augment.baselines.if_mixup import IfMixup
from smixup.augment.baselines.m_mixup import MMixup
from smixup.augment.baselines.r_mixup import RMixup
from smixup.augment.baselines.submix import SubMix
from smixup.augment.baselines.transplant import GraphTransplant
from smixup.augment.compose import Compose, OneOf, Until
from smixup.augment.norms import refresh_batch_norm
from smixup.augment.pipeline import from_json, to_json
from smixup.augment.replay import Replay
from smixup.augment.smixup import SMixup
from smixup.augment.weights import hears_edge_weight

__all__ = [
    "AlignedCut",
    "Augmentation",
    "Compose",
    "DropEdge",
    "DropNode",
    "FGWMixup",
    "GEDMixup",
    "GMixup",
    "GeoMix",
    "GraphTransplant",
    "IfMixup",
    "LabelSmoothing",
    "MMixup",
    "OneOf",
    "RMixup",
    "Replay",
    "SMixup",
    "SubMix",
    "Subgraph",
    "Until",
    "from_json",
    "hears_edge_weight",
    "refresh_batch_norm",
    "to_json",
]
