"""Graph mixup with soft alignments (S-Mixup, ICML 2023) for PyTorch Geometric.

All public names are here; each is imported when it is first asked for, because torch takes seconds
and `smixup --help` needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smixup import nn
    from smixup.app.compare import compare
    from smixup.app.runs.model import train
    from smixup.augment import (
        AlignedCut,
        Augmentation,
        Compose,
        DropEdge,
        DropNode,
        FGWMixup,
        GEDMixup,
        GeoMix,
        GMixup,
        GraphTransplant,
        IfMixup,
        LabelSmoothing,
        MMixup,
        OneOf,
        Replay,
        RMixup,
        SMixup,
        Subgraph,
        SubMix,
        Taught,
        Until,
        from_json,
        hears_edge_weight,
        refresh_batch_norm,
        to_json,
        warn_if_ignored,
    )
    from smixup.datasets import load_dataset
    from smixup.datasets.readers.in_memory import read_graphs
    from smixup.errors import SmixupError
    from smixup.graphs import Codes, Graphs
    from smixup.graphs.packed import PackedGraphs, open_packed
    from smixup.graphs.packing import PackedWriter, pack
    from smixup.graphs.pyg import from_pyg, to_pyg
    from smixup.matching import (
        IPFP,
        RRWM,
        FusedGromovWasserstein,
        GraphMatcher,
        Identity,
        Matcher,
        RandomOrder,
        SiameseMatcher,
        SpectralMatching,
        Uniform,
    )
    from smixup.models import Model, Predictions, load_model
    from smixup.models.estimator import SMixupClassifier, SMixupRegressor
    from smixup.progress import silent

__version__ = "0.2.0"

_HOMES = {
    "smixup.augment": (
        *("AlignedCut", "Augmentation", "Compose", "DropEdge", "DropNode", "GEDMixup", "GMixup"),
        *("FGWMixup", "GeoMix", "GraphTransplant"),
        *("IfMixup", "LabelSmoothing", "MMixup", "OneOf", "RMixup", "Replay"),
        *("SMixup", "SubMix"),
        *("Subgraph", "Taught", "Until", "from_json", "hears_edge_weight"),
        *("refresh_batch_norm", "to_json", "warn_if_ignored"),
    ),
    "smixup.datasets": ("load_dataset",),
    "smixup.datasets.readers.in_memory": ("read_graphs",),
    "smixup.errors": ("SmixupError",),
    "smixup.graphs": ("Codes", "Graphs"),
    "smixup.graphs.packed": ("PackedGraphs", "open_packed"),
    "smixup.graphs.packing": ("PackedWriter", "pack"),
    "smixup.graphs.pyg": ("from_pyg", "to_pyg"),
    "smixup.app.compare": ("compare",),
    "smixup.app.runs.model": ("train",),
    "smixup.matching": (
        *("FusedGromovWasserstein", "GraphMatcher", "IPFP", "Identity", "Matcher", "RRWM"),
        *("RandomOrder", "SiameseMatcher", "SpectralMatching", "Uniform"),
    ),
    "smixup.models": ("Model", "Predictions", "load_model"),
    "smixup.models.estimator": ("SMixupClassifier", "SMixupRegressor"),
    "smixup.progress": ("silent",),
}
_LAZY = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "IPFP",
    "RRWM",
    "AlignedCut",
    "Augmentation",
    "Codes",
    "Compose",
    "DropEdge",
    "DropNode",
    "FGWMixup",
    "FusedGromovWasserstein",
    "GEDMixup",
    "GMixup",
    "GeoMix",
    "GraphMatcher",
    "GraphTransplant",
    "Graphs",
    "Identity",
    "IfMixup",
    "LabelSmoothing",
    "MMixup",
    "Matcher",
    "Model",
    "OneOf",
    "PackedGraphs",
    "PackedWriter",
    "Predictions",
    "RMixup",
    "RandomOrder",
    "Replay",
    "SMixup",
    "SMixupClassifier",
    "SMixupRegressor",
    "SiameseMatcher",
    "SmixupError",
    "SpectralMatching",
    "SubMix",
    "Subgraph",
    "Taught",
    "Uniform",
    "Until",
    "__version__",
    "compare",
    "from_json",
    "from_pyg",
    "hears_edge_weight",
    "load_dataset",
    "load_model",
    "nn",
    "open_packed",
    "pack",
    "read_graphs",
    "refresh_batch_norm",
    "silent",
    "to_json",
    "to_pyg",
    "train",
    "warn_if_ignored",
]


def __getattr__(name: str) -> object:
    if name == "nn":
        return import_module("smixup.nn")
    if name not in _LAZY:
        raise AttributeError(f"module 'smixup' has no attribute '{name}'")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return __all__
