"""How much each node matters to a classifier's loss."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.augment.base import Model
from smixup.graphs import GraphBatch


def node_saliency(model: Model, batch: GraphBatch) -> Tensor:
    """Return the length of the gradient of each graph's loss with respect to its nodes' features,
    `[n]`.

    The model is asked as in evaluation: no dropout, and no statistics of batches are touched.

    Note:
        Behind the last layer all nodes of a graph have the same gradient, since the readout is
        their mean.
    """
    training, x = model.training, batch.x.detach().requires_grad_()
    model.train(False)
    try:
        with torch.enable_grad():
            loss = F.cross_entropy(model(batch.replace(x=x)), batch.y, reduction="sum")
            gradient = torch.autograd.grad(loss, x)[0]
    finally:
        model.train(training)
    length: Tensor = gradient.norm(dim=1)
    return length
