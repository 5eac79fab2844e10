"""Correspondences one can manufacture: a shuffled, slightly damaged copy of a graph has a known
assignment.

Goes beyond the paper: triplets tell which graphs are alike, not which nodes; this tells the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import Graphs, Operator, Padding
from smixup.graphs.edge_dropping import drop_edges
from smixup.graphs.ragged import offsets, ranks, row_of
from smixup.matching.assignment import NEVER
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.objective import ObjectiveResult
from smixup.matching.pairs import Pairs
from smixup.ranges import RangedFields, Share
from smixup.seeding import rand

NODES_ASKED = 256
"""Nodes of a graph of which a matcher is asked in one step."""


@dataclass(frozen=True)
class CorrespondenceObjective(RangedFields):
    """Trains the network to find which nodes are alike.

    Attributes:
        graphs: the graphs to learn from.
        inputs: what the network sees of them.
        max_drop: the largest share of edges that a copy may lose; half of the copies lose none.
    """

    graphs: Graphs
    inputs: NodeInput
    max_drop: Share

    name = "copies found"

    def __call__(
        self, network: MatchingNetwork, size: int, generator: torch.Generator
    ) -> ObjectiveResult:
        """Draw `size` graphs and a copy of each; the score is the mean probability given to the
        true node.
        """
        original = self.graphs[torch.randint(len(self.graphs), (size,), generator=generator)]
        drop = (2 * torch.rand(size, generator=generator) - 1).clamp(min=0) * self.max_drop
        copy, origin = shuffled_copy(original, generator, drop)
        truth = origin - original.ptr[original.batch]
        # A copy has lost edges: what was computed of its original is not true of it.
        pairs = Pairs.of(self.inputs(original), self.inputs(copy.without_attributes()))
        asked = asked_nodes(copy.ptr, generator)
        log_likelihood = true_node_likelihood(network, pairs, truth, asked.node)
        score = log_likelihood.detach().exp()
        return ObjectiveResult(-asked.mean(log_likelihood), asked.mean(score))


@dataclass(frozen=True)
class Asked:
    """Nodes that were drawn from all.

    Attributes:
        node: `[m]`, which they are, in order.
        weight: `[m]`, how many nodes of its graph each stands for.
    """

    node: Tensor
    weight: Tensor

    def mean(self, values: Tensor) -> Tensor:
        """Return what the mean over all nodes is on average, from values `[m]` of those drawn."""
        return (self.weight * values).sum() / self.weight.sum()


def shuffled_copy(
    batch: Graphs, generator: torch.Generator, drop: Tensor | None = None
) -> tuple[Graphs, Tensor]:
    """Return the graphs with their nodes in random order and some edges gone.

    Args:
        batch: B graphs.
        generator: the source of randomness.
        drop: `[B]`, the share of edges that each graph loses; none if not given.

    Returns:
        The copies, and for each of their nodes the node of `batch` it comes from, `[n]`.
    """
    noise = rand(batch.num_nodes, generator=generator, like=batch.x, dtype=torch.double)
    origin = (batch.batch + noise / 2).argsort()
    if drop is not None:
        adj = drop_edges(batch.adj.to_sparse(), drop.to(batch.device)[batch.batch], generator)
        batch = batch.with_adj(adj)
    place = origin.argsort()

    def moved(edges: Operator) -> Operator:
        return edges.to_sparse().scatter(place, batch.num_nodes)

    return batch.map_nodes(lambda values: values[origin]).map_edges(moved), origin


def asked_nodes(ptr: Tensor, generator: torch.Generator, most: int = NODES_ASKED) -> Asked:
    """Return the nodes of which a matcher is asked where they belong: all of a small graph, `most`
    at random of a large one.

    Args:
        ptr: `[B + 1]`, where the nodes of each graph begin.
        generator: the source of randomness; not used where all graphs are small.
        most: nodes of a graph to ask of.
    """
    sizes = ptr.diff()
    every = torch.arange(int(ptr[-1]), device=ptr.device)
    if not (sizes > most).any():
        return Asked(every, torch.ones(len(every), device=ptr.device))
    order = rand(len(every), generator=generator, like=sizes, dtype=torch.double)
    node = every[ranks(ptr, order) < most]
    size = sizes[row_of(ptr)[node]]
    return Asked(node, size / size.clamp(max=most))


def true_node_likelihood(
    network: MatchingNetwork, pairs: Pairs, truth: Tensor, asked: Tensor | None = None
) -> Tensor:
    """Return the logarithm of the entry of M at the true node, for nodes of the right graphs
    `[m]`.

    Args:
        network: yields the similarities.
        pairs: graphs beside their copies.
        truth: `[n2]`, the node of the left graph that each node of the right one is, counted within
            the graph.
        asked: `[m]`, the nodes of the right graphs to ask of, in order; all if not given.
    """
    if asked is None:
        asked = torch.arange(pairs.right.num_nodes, device=truth.device)
    h1, h2 = network(pairs).split([pairs.left.num_nodes, pairs.right.num_nodes])
    counts = torch.bincount(pairs.right.batch[asked], minlength=len(pairs.right))
    columns = Padding.of(offsets(counts), pairs.groups)
    blocks = zip(
        pairs.rows.pad(h1),
        pairs.rows.masks(),
        columns.pad(h2[asked]),
        columns.masks(),
        columns.pad(truth[asked]),
        strict=True,
    )
    found = []
    for left, exists, right, present, rows in blocks:
        scores = network.scores(left, right)
        log_M = scores.masked_fill(~exists.unsqueeze(2), NEVER).log_softmax(1)
        rows = torch.where(present, rows, 0)
        found.append(log_M.gather(1, rows.unsqueeze(1)).squeeze(1))
    return columns.unpad(found)
