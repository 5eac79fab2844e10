"""Sets larger than memory: random training batches read from disk, beside PyG's loader over a list
in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import torch.nn.functional as F
from torch_geometric.loader import DataLoader

from smixup.app.bench.machine import anonymous_memory
from smixup.app.bench.pyg_way import data_list
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.app.bench.vanilla import BATCH_SIZE
from smixup.datasets.threads import below
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.packed import PackedGraphs, open_packed
from smixup.graphs.packed_writer import PackedWriter
from smixup.graphs.ragged import offsets, row_of
from smixup.seeding import generator

SIZES = (10_000, 100_000, 1_000_000)
IN_MEMORY = 10_000
"""Graphs of the list that the loader of PyG goes through, whatever the size of the set on disk."""
DRAWN = 50_000
"""Graphs that are drawn from a set at a time, at most."""
PART = 10_000
NODES, EXTRA_EDGES, KINDS = (16, 25), 6, 8


def compare_many(settings: Settings) -> Iterator[Comparison]:
    """Compare graphs per second in random batches, reading included and model excluded, for sets of
    ten thousand to a million small graphs.

    The memory is the most that this process had to itself while it drew them; mapped files are not
    in it, as the system drops them when it has no room.
    """
    for number in SIZES if settings.size is None else (settings.size,):
        with TemporaryDirectory(prefix="smixup-many-") as folder:
            packed = small_graphs(number, Path(folder, "set"))
            ours = Draw(packed)
            ours.watch()
            loader = DataLoader(data_list(packed[:IN_MEMORY]), BATCH_SIZE, shuffle=True)
            seconds = alternate(ours, loaded(loader), settings.repeat)
            rates = ours.graphs / seconds[0], len(loader.dataset) / seconds[1]
            noise = seconds.quartiles_of(ours.graphs / len(loader.dataset))
        case = f"{number:,} on disk : {len(loader.dataset):,} in memory"
        row = ("many-graphs", "generated", case, "graphs/s", *rates)
        yield Comparison(*row, memory_mb=ours.memory, quartiles=noise)


class Draw:
    """Draws random batches of a packed set, others at every call, and watches the memory."""

    def __init__(self, packed: PackedGraphs) -> None:
        self._packed, self.graphs = packed, min(len(packed), DRAWN)
        self._random = torch.Generator().manual_seed(0)
        self.memory: float | None = None

    def __call__(self) -> None:
        for _ in self.batches():
            pass

    def batches(self) -> Iterator[Graphs]:
        """Yield batches of graphs from all over the set."""
        order = torch.randperm(len(self._packed), generator=self._random)[: self.graphs]
        for index in order.split(BATCH_SIZE):
            yield self._packed[index].floating()

    def watch(self) -> None:
        """Draw once off the clock, and note the most memory that was held."""
        for _ in self.batches():
            now = anonymous_memory()
            self.memory = now if self.memory is None else max(self.memory, now or 0.0)


def loaded(loader: DataLoader) -> Callable[[], None]:
    """Return a function that goes through a loader once."""

    def epoch() -> None:
        for _ in loader:
            pass

    return epoch


def small_graphs(number: int, folder: Path, seed: int = 0) -> PackedGraphs:
    """Generate graphs of about 20 nodes and 25 edges, a part at a time, straight to disk."""
    with PackedWriter(folder) as writer:
        for first in range(0, number, PART):
            random = generator(seed, f"many graphs {first}")
            writer.add(some_graphs(min(PART, number - first), random))
    return open_packed(folder)


def some_graphs(number: int, random: torch.Generator) -> Graphs:
    """Return random trees with a few more edges, nodes of eight kinds, two classes."""
    sizes = torch.randint(*NODES, (number,), generator=random)
    ptr = offsets(sizes)
    graph, n = row_of(ptr), int(ptr[-1])
    place = torch.arange(n) - ptr[graph]
    parent = ptr[graph] + below(place.clamp(min=1), random)
    extra = torch.arange(number).repeat_interleave(EXTRA_EDGES)
    ends = [ptr[extra] + below(sizes[extra], random) for _ in range(2)]
    child = torch.arange(n)[place > 0]
    edges = torch.cat([torch.stack([child, parent[child]]), torch.stack(ends)], 1)
    edges = edges[:, edges[0] != edges[1]]
    both = torch.cat([edges, edges.flip(0)], 1)
    adj = SparseOperator.from_edges(both, torch.ones(both.size(1)), n)
    kinds = torch.randint(KINDS, (n,), generator=random)
    x = F.one_hot(kinds, KINDS).to(torch.uint8)
    y = F.one_hot(torch.randint(2, (number,), generator=random), 2).float()
    adj = SparseOperator(
        adj.row_ptr, adj.column, torch.ones_like(adj.weight), n, symmetric=adj.symmetric
    )
    return Graphs(x, adj, y, ptr)
