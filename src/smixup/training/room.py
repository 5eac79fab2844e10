"""Whether the largest graph of a training split fits into memory, asked before the first step."""

from __future__ import annotations

from torch import nn

from smixup.classifiers import Classifier
from smixup.graphs import Graphs, PackedGraphs
from smixup.memory import require_room

BYTES = 4
COPIES = 8
"""Numbers that a layer holds for each of its own until the backward pass is over: inputs, sums over
neighbours, norms, gradients.
"""


def require_room_for_largest(model: Classifier, graphs: Graphs | PackedGraphs, mixes: bool) -> None:
    """Refuse a graph that cannot be trained on, by its number and with what it would need.

    Args:
        model: the classifier.
        graphs: the training split.
        mixes: whether a graph may stand in a batch with a mix of itself.
    """
    if len(graphs) == 0:
        return
    largest = int(graphs.sizes.argmax())
    nodes = int(graphs.sizes[largest])
    require_room(
        memory_of_step(model, nodes, graphs.num_features) * (2 if mixes else 1),
        f"training on graph {int(graphs.ids[largest])}, with {nodes:,} nodes,",
        "leave it out, cut it into parts, or make the model smaller",
    )


def memory_of_step(model: Classifier, nodes: int, num_features: int) -> int:
    """Estimate the bytes of a training step on a graph with so many nodes."""
    first = model.head[0]
    assert isinstance(first, nn.Linear)
    return BYTES * nodes * (2 * num_features + COPIES * first.in_features * len(model.layers))
