"""What stands for the content of graphs: a number for each, by which it is recognised, as a foreign
data loader does not say which training graphs are in a batch; and a fingerprint of a whole set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

import torch
from torch import Tensor

from smixup.graphs.graphs import Graphs, columns_of

# Odd numbers without pattern; sums and products of integers wrap around in torch.
SHIFT, FIRST, SECOND = 0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9, 0x14D049BB133111EB


def bits(values: Tensor) -> Tensor:
    """Return numbers as the integers that they are in memory; zero has one sign."""
    return (values.float() + 0.0).contiguous().view(torch.int32).long()


def scrambled(numbers: Tensor) -> Tensor:
    """Return other numbers, each from one, such that no sum of them says much of their sources."""
    numbers = numbers + SHIFT  # or twice a number would often become twice as much
    numbers = _folded(numbers, 29) * FIRST
    numbers = _folded(numbers, 32) * SECOND
    return _folded(numbers, 30)


def _folded(numbers: Tensor, by: int) -> Tensor:
    """Return numbers with their upper bits also in their lower ones; no two become the same."""
    # torch copies the sign into the bits that a shift makes free: x and -x - 1 would become one.
    return numbers ^ ((numbers >> by) & ((1 << (64 - by)) - 1))


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

    def recognised(self, batch: Graphs) -> Graphs:
        """Return the batch with the numbers that its graphs have in the set; as it is if one of
        them is unknown.
        """
        numbers, wanted = self.numbers.to(batch.device), content_numbers(batch)
        at = torch.searchsorted(numbers, wanted).clamp(max=len(numbers) - 1)
        if not torch.equal(numbers[at], wanted):
            return batch
        return batch.replace(ids=self.place.to(batch.device)[at], set_id=self.set_id)


def content_numbers(graphs: Graphs) -> Tensor:
    """Return a 64-bit number for every graph, `[G]`: the same for graphs with the same features,
    edges and weights in the same order, and else, as good as certainly, another.
    """
    adj, local = graphs.adj, torch.arange(graphs.num_nodes, device=graphs.device)
    local -= graphs.ptr.index_select(0, graphs.batch)
    x = (graphs.x.float() + 0.0).contiguous().view(torch.int32)
    row = ((x ^ (x >> 15)) * _factors(x.size(1)).to(x.device)).sum(1)  # half the time of 64 bits
    node = _folded((row + local * SECOND) * FIRST, 32) * SECOND
    other = _folded(node, 29) * FIRST  # or edges would be the same both ways
    edge = other.index_select(0, adj.column) + bits(adj.weight) * SHIFT
    edge *= node.index_select(0, adj.row)
    return graphs.totals(node.index_add(0, adj.row, edge))


@cache
def _factors(number: int) -> Tensor:
    return (scrambled(torch.arange(1, number + 1)) | 1).int()


def fingerprint(parts: Callable[[], Iterable[Graphs]]) -> str:
    """Return the fingerprint of graphs that are read part by part, once for each field."""
    shapes: dict[str, tuple[int, ...]] = {}
    for part in _counted(parts()):
        for name, rows in part.items():
            shapes[name] = (shapes.get(name, (0,))[0] + len(rows), *rows.shape[1:])
    digest = sha256()
    for name, shape in shapes.items():
        digest.update(str(shape).encode())
        for part in _counted(parts()):
            digest.update(part[name].cpu().contiguous().numpy().data)
    return digest.hexdigest()


def _counted(parts: Iterable[Graphs]) -> Iterator[dict[str, Tensor]]:
    """Yield the columns of every part, counted through all of them."""
    nodes = entries = 0
    for number, part in enumerate(parts):
        yield columns_of(part, nodes, entries, first=number == 0)
        nodes, entries = nodes + part.num_nodes, entries + len(part.adj.column)
