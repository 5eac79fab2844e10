"""Which classifier a model has, in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import torch

from smixup.classifiers import Classifier
from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedGraphs
from smixup.names import BACKBONES

EDGE_FEATURES = "num_edge_features"


@dataclass(frozen=True)
class Backbone:
    """A classifier's class and the arguments of its constructor.

    Attributes:
        kind: the name of a class, one of `smixup.names.BACKBONES`.
        settings: arguments of its constructor, all plain numbers.

    >>> Backbone("GIN", {"num_features": 7, "num_classes": 2, "hidden_channels": 8}).name
    'gin'
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, graphs: Graphs | PackedGraphs, **settings: Any) -> Backbone:
        """Return the backbone of a name, such as `gin`, for graphs as these."""
        kind = BACKBONES.factory(name)
        widths = {"num_features": graphs.num_features, "num_classes": graphs.num_classes}
        if EDGE_FEATURES in signature(kind).parameters:
            widths[EDGE_FEATURES] = int(getattr(graphs, EDGE_FEATURES, 0))
        return cls(kind.__name__, {**widths, **settings})

    @property
    def name(self) -> str:
        """The name by which people ask for it."""
        names = (name for name in BACKBONES if BACKBONES.factory(name).__name__ == self.kind)
        return next(names, self.kind)

    def build(self, device: str = "cpu") -> Classifier:
        """Make a classifier, with weights that are not trained yet; on the device `meta` it takes
        no memory.
        """
        if self.name not in BACKBONES.entries:
            raise SmixupError(f"this version of smixup knows no backbone {self.kind}: upgrade it.")
        kind = BACKBONES.factory(self.name)
        plain = all(isinstance(value, int | float | None) for value in self.settings.values())
        if not plain or not self.settings.keys() <= signature(kind).parameters.keys():
            raise SmixupError(f"these are no settings of {self.kind}: {dict(self.settings)}.")
        with torch.device(device):
            return kind(**self.settings)
