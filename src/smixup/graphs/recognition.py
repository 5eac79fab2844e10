"""Recognising graphs by what they hold, so that what was computed for them is found again.

A foreign data loader hands out batches of training graphs without saying which. Here a graph is
known by a number made of its features, edges and weights, in their order, so that nothing has to be
carried along.

Example::

    known = KnownGraphs.of(train)
    ids = known.find(batch)          # [B], or None if one of them is no training graph as it was
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs.graphs import Graphs
from smixup.graphs.hashing import bits, scrambled

# Odd numbers without pattern. Products of 64-bit integers that overflow wrap around in torch.
NODE, PLACE, ROW, COLUMN, WEIGHT, SIZE = (
    0x1E3779B97F4A7C15,
    0x3F58476D1CE4E5B9,
    0x14D049BB133111EB,
    0x2545F4914F6CDD1D,
    0x5851F42D4C957F2D,
    0x369DEA0F31A53F85,
)


@dataclass(frozen=True)
class KnownGraphs:
    """The graphs of a set by their content.

    Attributes:
        numbers: `[G]`, sorted.
        place: `[G]`, the graph to which each number belongs.
        set_id: of the set.
    """

    numbers: Tensor
    place: Tensor
    set_id: str

    @classmethod
    def of(cls, graphs: Graphs) -> KnownGraphs:
        """Get to know the graphs of a set."""
        numbers, place = content_numbers(graphs).sort(stable=True)
        return cls(numbers, place, graphs.set_id)

    def find(self, batch: Graphs) -> Tensor | None:
        """Return the place of every graph in the set, `[B]`; None if one of them is unknown."""
        if self.numbers.device != batch.device:
            return KnownGraphs(
                self.numbers.to(batch.device), self.place.to(batch.device), self.set_id
            ).find(batch)
        wanted = content_numbers(batch)
        at = torch.searchsorted(self.numbers, wanted).clamp(max=len(self.numbers) - 1)
        return self.place[at] if torch.equal(self.numbers[at], wanted) else None

    def recognised(self, batch: Graphs) -> Graphs:
        """Return the batch with the numbers that its graphs have in the set; as it is if one of
        them is unknown.
        """
        ids = self.find(batch)
        return batch if ids is None else batch.replace(ids=ids, set_id=self.set_id)


def content_numbers(graphs: Graphs) -> Tensor:
    """Return a 64-bit number for every graph, `[G]`: the same for graphs with the same features,
    edges and weights in the same order, and else, as good as certainly, another.
    """
    x, adj = graphs.x, graphs.adj.to_sparse()
    local = torch.arange(graphs.num_nodes, device=graphs.device) - graphs.ptr[:-1][graphs.batch]
    factors = scrambled(torch.arange(1, x.size(1) + 1, device=graphs.device) * NODE) | 1
    of_nodes = scrambled((bits(x) * factors).sum(1) + local * PLACE)
    of_edges = scrambled(
        local[adj.row] * ROW + local[adj.column] * COLUMN + bits(adj.weight) * WEIGHT
    )
    total = graphs.totals(of_nodes) + graphs.totals(of_edges, adj.row)
    return scrambled(total + graphs.sizes * SIZE)
