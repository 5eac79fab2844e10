"""Batch norm over the nodes of a batch, of which there may be one."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn


class NodeNorm(nn.BatchNorm1d):
    """`BatchNorm1d` for which a batch may have a single node, or none.

    One value has no variance. It is normalised as at test, by the running statistics, which do not
    change. Such batches come up by chance, where the last graph of an epoch is a single atom; any
    other batch is normalised as ever.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return normalised representations `[n, H]`."""
        if not self.training or len(x) > 1:
            return super().forward(x)
        running = self.running_mean, self.running_var
        return F.batch_norm(x, *running, self.weight, self.bias, training=False, eps=self.eps)
