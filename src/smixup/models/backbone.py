"""Which classifier a model has, in plain values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import torch

from smixup import classifiers
from smixup.classifiers import Classifier
from smixup.errors import SmixupError, unknown_name
from smixup.graphs import Graphs, PackedGraphs

EDGE_FEATURES = "num_edge_features"


@dataclass(frozen=True)
class Backbone:
    """A classifier's class and the arguments of its constructor.

    Attributes:
        kind: the name of a class that `smixup.classifiers` exports.
        settings: arguments of its constructor, all plain numbers.

    >>> Backbone("GIN", {"num_features": 7, "num_classes": 2, "hidden_channels": 8}).name
    'gin'
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, graphs: Graphs | PackedGraphs, **settings: Any) -> Backbone:
        """Return the backbone of a name, such as `gin`, for graphs as these."""
        kind = backbones().get(name)
        if kind is None:
            raise unknown_name("backbone", name, backbones())
        widths = {"num_features": graphs.num_features, "num_classes": graphs.num_classes}
        if EDGE_FEATURES in signature(kind).parameters:
            widths[EDGE_FEATURES] = int(getattr(graphs, EDGE_FEATURES, 0))
        return cls(kind.__name__, {**widths, **settings})

    @property
    def name(self) -> str:
        """The name by which people ask for it."""
        names = {kind.__name__: name for name, kind in backbones().items()}
        return names.get(self.kind, self.kind)

    def build(self, device: str | None = None) -> Classifier:
        """Make a classifier, with weights that are not trained yet; on the device `meta` it takes
        no memory.
        """
        kind = backbones().get(self.name)
        if kind is None:
            raise SmixupError(f"this version of smixup knows no backbone {self.kind}: upgrade it.")
        wrong = [name for name, value in self.settings.items() if not _is_plain(value)]
        if wrong or not set(self.settings) <= set(signature(kind).parameters):
            raise SmixupError(f"these are no settings of {self.kind}: {dict(self.settings)}.")
        with torch.device(device or "cpu"):
            return kind(**self.settings)


def backbones() -> dict[str, type[Classifier]]:
    """Return the classifiers by name: `GIN` is `gin`, `GCNEdge` is `gcn-edge`."""
    kinds = (getattr(classifiers, name) for name in classifiers.__all__)
    return {
        re.sub("(?<!^)(?=[A-Z][a-z])", "-", kind.__name__).lower(): kind
        for kind in kinds
        if isinstance(kind, type)
        and issubclass(kind, Classifier)
        and not getattr(kind, "__abstractmethods__", None)
    }


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float)
