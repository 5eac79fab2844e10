"""Of which graphs a mix was made, and at which ratio, whatever the method.

Every graph gets a tag: a row of the unit matrix, as a further attribute of graphs. Methods average
such attributes as they average targets (`augment/mixing.py`), so the tag of a mix holds `lam` at G1
and `1 - lam` at G2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from smixup.graphs import Graphs

TAG = "parents"
"""The name of the attribute."""


def tagged(graphs: Graphs) -> Graphs:
    """Return the graphs as a set of their own, each with its tag.

    Example::

        mixes = SubMix().on_batch(tagged(graphs))
        Parents.of(mixes).lam
    """
    tags = torch.eye(len(graphs), device=graphs.device)
    return graphs.renumbered().replace(graph_attrs={**graphs.graph_attrs, TAG: tags})


@dataclass(frozen=True)
class Parents:
    """The graphs that B mixes were made of, among G tagged ones.

    Attributes:
        weights: `[B, G]`, the share that each graph has in the target of each mix.
        left: `[B]`, G1: the graph in whose place a mix stands; of mixes that were put behind the
            tagged graphs, the one with the larger share.
    """

    weights: Tensor
    left: Tensor

    @classmethod
    def of(cls, mixes: Graphs) -> Parents | None:
        """Read the tags; None where a method makes graphs that have none, as G-Mixup does."""
        tags = mixes.graph_attrs.get(TAG)
        if tags is None:
            return None
        added = mixes.ids >= tags.size(1)
        return cls(tags, torch.where(added, tags.argmax(1), mixes.ids))

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, index: Tensor) -> Parents:
        return Parents(self.weights[index], self.left[index])

    @cached_property
    def right(self) -> Tensor:
        """G2 `[B]`; -1 where there is no other graph, or more than one."""
        others = self.weights.scatter(1, self.left.unsqueeze(1), 0.0)
        return torch.where((others > 0).sum(1) == 1, others.argmax(1), -1)

    @property
    def lam(self) -> Tensor:
        """The ratio lambda, the share of G1, `[B]`."""
        return self.weights.gather(1, self.left.unsqueeze(1)).squeeze(1)

    @property
    def pairs(self) -> Tensor:
        """Which of the mixes were made of two graphs, as indices."""
        return (self.right >= 0).nonzero().squeeze(1)

    def expected(self, values: Tensor) -> Tensor:
        """Return what the ratio promises: `lam v1 + (1 - lam) v2`, `[B, ...]`.

        Args:
            values: of the tagged graphs, `[G, ...]`.
        """
        found: Tensor = torch.tensordot(self.weights.to(values.dtype), values, dims=1)
        return found
