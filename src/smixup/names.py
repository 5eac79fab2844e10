"""Classes by name, and where they are; one line adds one. Nothing is imported before it is asked
for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from smixup.errors import unknown_name

if TYPE_CHECKING:
    from smixup.augment import Augmentation
    from smixup.classifiers import Classifier

T = TypeVar("T")


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Classes or functions that make a T, by name: `module:name` of each, which is imported when it
    is first asked for.
    """

    kind: str
    entries: dict[str, str]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def factory(self, name: str) -> Callable[..., T]:
        """Return the factory of a name, or raise the error that suggests another."""
        # `experiments.module:name` is a variant that only a table needs
        entry = name if name.startswith("experiments.") else self.entries.get(name)
        if entry is None:
            raise unknown_name(self.kind, name, self.entries)
        module, _, attribute = entry.partition(":")
        factory: Callable[..., T] = getattr(import_module(module), attribute)
        return factory

    def summary(self, name: str) -> str:
        """Return the first paragraph of a docstring on one line, from the source: importing a
        module may take seconds.
        """
        module, _, attribute = self.entries[name].partition(":")
        path = Path(__file__).parents[1].joinpath(*module.split(".")).with_suffix(".py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == attribute:
                return " ".join(str(ast.get_docstring(node)).partition("\n\n")[0].split())
        raise LookupError(self.entries[name])


BACKBONES: Registry[Classifier] = Registry(
    "backbone",
    {
        "gcn": "smixup.classifiers.gcn:GCN",
        "gin": "smixup.classifiers.gin:GIN",
        "gcn-edge": "smixup.classifiers.edges:GCNEdge",
        "gine": "smixup.classifiers.edges:GINE",
        "wide": "smixup.classifiers.wide:Wide",
        "forest": "smixup.classical.forest:Forest",
        "wl-svm": "smixup.classical.kernel:WLSVM",
    },
)

CLASSICAL = ("forest", "wl-svm")  # no networks: there is no method to train them by

MODELS: Registry[Classifier] = Registry(
    "model", {**BACKBONES.entries, "blend": "smixup.models.blend:Blend"}
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
