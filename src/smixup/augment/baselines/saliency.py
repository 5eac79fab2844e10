"""How much each node matters to a classifier's loss."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.augment.hooks import Model
from smixup.graphs import Graphs

if TYPE_CHECKING:
    from torch_geometric.data import Batch


Loss = Callable[[Tensor, Tensor], Tensor]
"""Takes outputs and targets `[B, C]`."""
CROSS_ENTROPY: Loss = partial(F.cross_entropy, reduction="sum")


def node_saliency(
    model: Model,
    graphs: Graphs,
    forward: Callable[[Batch], Tensor] | None = None,
    loss: Loss = CROSS_ENTROPY,
) -> Tensor:
    """Return how long the gradient of each graph's loss by its nodes' features is, `[n]`.

    The model is asked as in evaluation: no dropout, and no statistics of batches are touched.

    Note:
        Behind the last layer all nodes of a graph have the same gradient, since the readout is
        their mean.

    Args:
        model: returns logits of `Graphs`; or any model, if `forward` is given.
        graphs: labelled.
        forward: returns logits of a PyG `Batch`.
        loss: by which the model learns, the same for every graph.
    """
    training, x = model.training, graphs.floating().x.detach().requires_grad_()
    model.train(False)
    try:
        with torch.enable_grad():
            logits = _logits(model, graphs.replace(x=x), forward)
            gradient = torch.autograd.grad(loss(logits, graphs.y), x)[0]
    finally:
        model.train(training)
    length: Tensor = gradient.norm(dim=1)
    return length


def _logits(model: Model, graphs: Graphs, forward: Callable[[Batch], Tensor] | None) -> Tensor:
    if forward is None:
        return model(graphs)
    from smixup.graphs.pyg import to_pyg

    return forward(to_pyg(graphs))
