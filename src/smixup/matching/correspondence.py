"""Correspondences one can manufacture: a shuffled, slightly damaged copy of a graph has a known
assignment.

Goes beyond the paper: triplets tell which graphs are alike, not which nodes; this tells the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.graphs import Graphs, Operator
from smixup.graphs.edge_dropping import drop_edges
from smixup.matching.assignment import NEVER
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.objective import ObjectiveResult
from smixup.matching.pairs import Pairs
from smixup.seeding import rand


@dataclass(frozen=True)
class CorrespondenceObjective:
    """Trains the network to find which nodes are alike.

    Attributes:
        graphs: the graphs to learn from.
        inputs: what the network sees of them.
        max_drop: the largest share of edges that a copy may lose; half of the copies lose none.
    """

    graphs: Graphs
    inputs: NodeInput
    max_drop: float

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
        log_likelihood = true_node_likelihood(network, pairs, truth)
        return ObjectiveResult(-log_likelihood.mean(), log_likelihood.detach().exp().mean())


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


def true_node_likelihood(network: MatchingNetwork, pairs: Pairs, truth: Tensor) -> Tensor:
    """Return the logarithm of the entry of M at the true node, for every node of the right graphs
    `[n2]`.

    Args:
        network: yields the similarities.
        pairs: graphs beside their copies.
        truth: `[n2]`, the node of the left graph that each node of the right one is, counted within
            the graph.
    """
    found = []
    scores, places = network.pair_scores(network(pairs), pairs), pairs.columns.pad(truth)
    for score, mask, rows in zip(scores, pairs.masks(), places, strict=True):
        log_M = score.masked_fill(~mask, NEVER).log_softmax(1)
        rows = torch.where(mask.any(1), rows, 0)
        found.append(log_M.gather(1, rows.unsqueeze(1)).squeeze(1))
    return pairs.columns.unpad(found)
