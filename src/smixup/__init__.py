"""Graph mixup with soft alignments (S-Mixup, ICML 2023) for PyTorch Geometric.

All public names are here; each is imported when it is first asked for, because torch takes seconds
and `smixup --help` needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smixup import nn as nn
    from smixup.app.compare import compare as compare
    from smixup.app.runs.model import train as train
    from smixup.augment import *
    from smixup.datasets import load_dataset as load_dataset
    from smixup.datasets.readers.in_memory import read_graphs as read_graphs
    from smixup.errors import SmixupError as SmixupError
    from smixup.graphs import Codes as Codes, Graphs as Graphs
    from smixup.graphs.packed import (
        PackedGraphs as PackedGraphs,
        open_packed as open_packed,
    )
    from smixup.graphs.packing import pack as pack
    from smixup.graphs.pyg import from_pyg as from_pyg, to_pyg as to_pyg
    from smixup.matching import (
        IPFP as IPFP,
        RRWM as RRWM,
        FusedGromovWasserstein as FusedGromovWasserstein,
        GraphMatcher as GraphMatcher,
        Identity as Identity,
        Matcher as Matcher,
        RandomOrder as RandomOrder,
        SiameseMatcher as SiameseMatcher,
        SpectralMatching as SpectralMatching,
        Uniform as Uniform,
    )
    from smixup.models import Model as Model, Predictions as Predictions, load_model as load_model
    from smixup.models.estimator import (
        SMixupClassifier as SMixupClassifier,
        SMixupRegressor as SMixupRegressor,
    )
    from smixup.progress import silent as silent

__version__ = "0.2.0"

_HOMES = {
    "smixup.augment": (
        "AlignedCut Augmentation Compose DropEdge DropNode FGWMixup GEDMixup GMixup GeoMix "
        "GraphTransplant IfMixup LabelSmoothing MMixup OneOf RMixup Replay SMixup SubMix "
        "Subgraph Until from_json hears_edge_weight refresh_batch_norm to_json"
    ),
    "smixup.datasets": "load_dataset",
    "smixup.datasets.readers.in_memory": "read_graphs",
    "smixup.errors": "SmixupError",
    "smixup.graphs": "Codes Graphs",
    "smixup.graphs.packed": "PackedGraphs open_packed",
    "smixup.graphs.packing": "pack",
    "smixup.graphs.pyg": "from_pyg to_pyg",
    "smixup.app.compare": "compare",
    "smixup.app.runs.model": "train",
    "smixup.matching": (
        "FusedGromovWasserstein GraphMatcher IPFP Identity Matcher RRWM RandomOrder "
        "SiameseMatcher SpectralMatching Uniform"
    ),
    "smixup.models": "Model Predictions load_model",
    "smixup.models.estimator": "SMixupClassifier SMixupRegressor",
    "smixup.progress": "silent",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(["__version__", "nn", *_HOME])


def __getattr__(name: str) -> object:
    if name == "nn":
        return import_module("smixup.nn")
    if name not in _HOME:
        raise AttributeError(f"module 'smixup' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
