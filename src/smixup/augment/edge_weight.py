"""Does a model see edge weights at all? On mixed graphs, one that does not sees a complete
graph.
"""

from __future__ import annotations

import warnings
from inspect import signature

from torch import nn


class IgnoredEdgeWeight(UserWarning):
    """A model will treat every edge of a mixed graph alike, however small its weight."""


def layers_without_edge_weight(model: nn.Module) -> list[str]:
    """Return the names of message-passing layers that take neither edge weights nor edge
    attributes.
    """
    from torch_geometric.nn import MessagePassing

    layers = [
        (name, layer) for name, layer in model.named_modules() if isinstance(layer, MessagePassing)
    ]
    return [
        f"{name} ({type(layer).__name__})"
        for name, layer in layers
        if not _takes_edge_weight(layer)
    ]


def warn_if_ignored(model: nn.Module) -> None:
    """Warn about a model that would ignore `edge_weight`."""
    if layers := layers_without_edge_weight(model):
        warnings.warn(
            f"{', '.join(layers)} cannot take edge weights, so the model would see a mixed graph "
            "as a complete one: use layers with an edge_weight argument (GCNConv, GraphConv, ...) "
            "or smixup.classifiers.GIN.",
            IgnoredEdgeWeight,
            stacklevel=3,
        )


def _takes_edge_weight(layer: nn.Module) -> bool:
    return not {"edge_weight", "edge_attr"}.isdisjoint(signature(layer.forward).parameters)
