"""THREADS-5K: generated discussion threads of the size of REDDIT-MULTI-5K.

Nothing in it was ever said by anybody: it stands in where the real archive is not at hand and size
is what matters. Scores on it are no scores on REDDIT-MULTI-5K.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.datasets.base import Dataset
from smixup.datasets.sources import THREADS
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranks, row_of
from smixup.ranges import Count, Seed, in_range
from smixup.seeding import generator

GRAPHS, NODES, EDGES = 4999, 508.52, 594.87
"""Of REDDIT-MULTI-5K: graphs, and nodes and undirected edges of one on average."""
SMALLEST, LARGEST = 22, 3648
SPREAD = 0.8
"""Standard deviation of the logarithm of sizes."""


@dataclass(frozen=True)
class Kind:
    """How people of one class talk.

    Attributes:
        hubs: nodes that draw replies.
        share: of all nodes, the smallest and largest part that replies to a hub.
        early: how much the others prefer those who came early; 1 for not at all.
    """

    hubs: int
    share: tuple[float, float]
    early: float


KINDS = (
    Kind(hubs=1, share=(0.35, 0.75), early=1.5),  # one question, many answers
    Kind(hubs=2, share=(0.30, 0.70), early=1.5),
    Kind(hubs=6, share=(0.30, 0.70), early=1.5),
    Kind(hubs=1, share=(0.05, 0.35), early=2.5),  # many who are heard, nobody above all
    Kind(hubs=2, share=(0.02, 0.25), early=1.0),  # long exchanges
)


@in_range
def threads_dataset(num_graphs: Count = GRAPHS, seed: Seed = 0) -> Dataset:
    """Generate threads: trees of replies with hubs, and some more edges between people who talk
    again.

    Sizes are those of a heavy tail, 22 to 3648 nodes. The five classes differ in how many hubs
    there are and how much of a thread they draw; the shares vary from thread to thread, so that
    classes overlap. There are no node features, as in the real set.

    Args:
        num_graphs: how many; those of REDDIT-MULTI-5K by default.
        seed: of the generator.
    """
    random = generator(seed, "threads")
    classes = torch.arange(num_graphs) % len(KINDS)
    classes = classes[torch.randperm(num_graphs, generator=random)]
    ptr = offsets(_sizes(num_graphs, random))
    edges = torch.cat([_replies(ptr, classes, random), _further(ptr, random)], 1)
    edges = _distinct(edges, ptr, random)
    edges = _renamed(edges, ptr, random)
    n = int(ptr[-1])
    both = torch.cat([edges, edges.flip(0)], 1)
    adj = SparseOperator.from_entries(both[0], both[1], torch.ones(both.size(1)), (n, n))
    y = F.one_hot(classes, len(KINDS)).float()
    return Dataset(THREADS, Graphs(torch.zeros(n, 0), replace(adj, symmetric=True), y, ptr))


def below(limits: Tensor, random: torch.Generator) -> Tensor:
    """Draw an integer from `0..limit - 1` for every limit."""
    return _skewed(limits, torch.ones(()), random)


def _skewed(limits: Tensor, power: Tensor, random: torch.Generator) -> Tensor:
    """Draw an integer from `0..limit - 1`, small ones more often if the power is above 1."""
    drawn = torch.rand(limits.numel(), generator=random, dtype=torch.float64) ** power
    return torch.minimum((drawn * limits).long(), limits - 1)


def _sizes(number: int, random: torch.Generator) -> Tensor:
    """Return log-normal sizes, one from each of as many parts of the distribution: so their mean is
    the same for any seed.
    """
    place = (torch.arange(number) + torch.rand(number, generator=random)) / number
    normal = torch.special.ndtri(place.double().clamp(1e-9, 1 - 1e-9))
    logarithm = torch.log(torch.tensor(NODES)) - SPREAD**2 / 2
    sizes = torch.exp(logarithm + SPREAD * normal).round().long().clamp(SMALLEST, LARGEST)
    return sizes[torch.randperm(number, generator=random)]


def _replies(ptr: Tensor, classes: Tensor, random: torch.Generator) -> Tensor:
    """Return an edge from every node but the first of its graph to one before it, `[2, n - G]`."""
    graph = row_of(ptr)
    place = torch.arange(int(ptr[-1])) - ptr[graph]
    kind = classes[graph]
    early = torch.tensor([each.early for each in KINDS], dtype=torch.float64)[kind]
    hubs = torch.tensor([each.hubs for each in KINDS])[kind]
    least, most = torch.tensor([each.share for each in KINDS], dtype=torch.float64)[classes].T
    share = least + (most - least) * torch.rand(len(classes), generator=random, dtype=torch.float64)
    to_hub = torch.rand(place.numel(), generator=random, dtype=torch.float64) < share[graph]
    before = place.clamp(min=1)
    hub = below(torch.minimum(hubs, before), random)
    target = torch.where(to_hub, hub, _skewed(before, early, random))
    reply = place > 0
    node = torch.arange(place.numel())
    return torch.stack([node, ptr[graph] + target])[:, reply]


def _further(ptr: Tensor, random: torch.Generator) -> Tensor:
    """Return candidates for edges beyond the trees, twice as many as are wanted."""
    graph = row_of(ptr).repeat(2)
    chosen = torch.rand(graph.numel(), generator=random, dtype=torch.float64) < _surplus()
    graph = graph[chosen]
    sizes = ptr.diff()[graph]
    ends = [ptr[graph] + below(sizes, random) for _ in range(2)]
    return torch.stack(ends)


def _surplus() -> float:
    """Return how many edges there are beyond a tree, for each node."""
    return (EDGES + 1) / NODES - 1


def _distinct(edges: Tensor, ptr: Tensor, random: torch.Generator) -> Tensor:
    """Return the replies, which come first, and of the candidates as many as are wanted that are
    neither loops nor known.
    """
    n, graphs = int(ptr[-1]), ptr.numel() - 1
    replies = n - graphs
    low, high = edges.min(0).values, edges.max(0).values
    _, known = torch.unique(low * n + high, return_inverse=True)
    order = torch.arange(edges.size(1))
    first = torch.full((int(known.max()) + 1,), edges.size(1)).scatter_reduce(
        0, known, order, "amin"
    )
    new = (first[known] == order) & (low != high) & (order >= replies)
    found = edges[:, new]
    graph = row_of(ptr)[found[0]]
    by_graph = graph.argsort(stable=True)
    found, graph = found[:, by_graph], graph[by_graph]
    candidates = offsets(torch.bincount(graph, minlength=graphs))
    wanted = ptr.diff() * _surplus()
    drawn = torch.rand(graphs, generator=random, dtype=torch.float64)
    wanted = (wanted + drawn).floor().long()
    rank = ranks(candidates, torch.rand(graph.numel(), generator=random))
    return torch.cat([edges[:, :replies], found[:, rank < wanted[graph]]], 1)


def _renamed(edges: Tensor, ptr: Tensor, random: torch.Generator) -> Tensor:
    """Return the edges with the nodes of each graph in random order: who came first is not told."""
    name = ranks(ptr, torch.rand(int(ptr[-1]), generator=random)) + ptr[row_of(ptr)]
    return name[edges]
