"""Matching as one would first write it: attention over the whole masked batch, messages edge by
edge.

The same mathematics and the same weights as `smixup.matching`; slow, and the oracle of its tests.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching.consensus import OneToOne
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingLayer, MatchingNetwork
from smixup.matching.tie_breaks import tie_breaks
from smixup.matching.triplet import triplet_loss


def node_representations(
    network: MatchingNetwork, left: Graphs, right: Graphs
) -> tuple[Tensor, Tensor]:
    """Return `H1 [n1, H]` and `H2 [n2, H]` of all pairs, Eq. (6)."""
    h1, h2 = network.encoder(left.x), network.encoder(right.x)
    apart = left.batch.unsqueeze(1) != right.batch
    for layer in network.layers:
        assert isinstance(layer, MatchingLayer)
        z1, z2 = layer.norm(h1), layer.norm(h2)
        sim = layer.similarity(z1.unsqueeze(0), z2.unsqueeze(0)).squeeze(0)
        mu1 = cross_message(sim, apart, z1, z2)
        mu2 = cross_message(sim.T, apart.T, z2, z1)
        h1 = h1 + layer.update(torch.cat([z1, within_message(left, z1), mu1], dim=1))
        h2 = h2 + layer.update(torch.cat([z2, within_message(right, z2), mu2], dim=1))
    return h1, h2


def cross_message(sim: Tensor, apart: Tensor, z: Tensor, other: Tensor) -> Tensor:
    """Return `mu`, Eq. (7), with nodes of other pairs masked out."""
    w = torch.softmax(sim.masked_fill(apart, -torch.inf), dim=1)
    return w @ other - z


def within_message(batch: Graphs, z: Tensor) -> Tensor:
    """Sum the representations of neighbours, one message per edge."""
    (source, target), weight = batch.adj.to_sparse().edges()
    return torch.zeros_like(z).index_add(0, target, weight.unsqueeze(1) * z[source])


def graph_distances(network: MatchingNetwork, left: Graphs, right: Graphs) -> Tensor:
    """Return squared distances between the graph representations of every pair `[B]`."""
    sides = zip((left, right), node_representations(network, left, right), strict=True)
    v1, v2 = (_readout(network, h, batch) for batch, h in sides)
    return (v1 - v2).square().mean(1)


def _readout(network: MatchingNetwork, h: Tensor, batch: Graphs) -> Tensor:
    z = network.norm(h)
    gated = torch.sigmoid(network.gate(z)) * network.value(z)
    summed: Tensor = network.graph(
        gated.new_zeros(len(batch), gated.size(1)).index_add(0, batch.batch, gated)
    )
    return summed


def plain_triplet_loss(
    network: MatchingNetwork, anchor: Graphs, positive: Graphs, negative: Graphs, margin: float
) -> Tensor:
    """Return Eq. (9), the two pairs of each triplet one after the other."""
    same, different = (graph_distances(network, anchor, other) for other in (positive, negative))
    return triplet_loss(same, different, margin)


def assignments(network: MatchingNetwork, left: Graphs, right: Graphs) -> list[Tensor]:
    """Return M of every pair `[n1, n2]`, Eq. (8) with columns normalised, one pair after the
    other.
    """
    h1, h2 = node_representations(network, left, right)
    pairs = zip(h1.split(left.sizes.tolist()), h2.split(right.sizes.tolist()), strict=True)
    return [
        torch.softmax(network.scores(a.unsqueeze(0), b.unsqueeze(0)).squeeze(0), dim=0)
        for a, b in pairs
    ]


def plain_step_losses(
    network: MatchingNetwork,
    inputs: NodeInput,
    triplets: tuple[Graphs, Graphs, Graphs],
    copies: tuple[Graphs, Graphs, Tensor],
    margin: float,
) -> Iterator[Tensor]:
    """Yield the losses of a training step, pair by pair: that of triplets, Eq. (9), and that of
    copies.

    Whatever a pair needs is computed for it: encodings of both graphs by powers of dense matrices,
    a table of all similarities in every layer, the scores of all nodes of a copy.

    Args:
        network: its weights.
        inputs: the scale of what it sees.
        triplets: G1, G2 and G3 of every triplet.
        copies: graphs, copies of them, and the node of the graphs that each of the copies' is.
        margin: gamma.
    """
    anchor, positive, negative = triplets
    same, different = (
        torch.cat([graph_distances(network, *pair) for pair in pair_by_pair(inputs, anchor, other)])
        for other in (positive, negative)
    )
    yield triplet_loss(same, different, margin)
    original, copy, origin = copies
    truth = (origin - original.ptr[original.batch]).split(copy.sizes.tolist())
    pairs = zip(pair_by_pair(inputs, original, copy), truth, strict=True)
    likelihood = torch.cat([true_node_likelihood(network, *pair, true) for pair, true in pairs])
    yield -likelihood.mean()


def pair_by_pair(inputs: NodeInput, left: Graphs, right: Graphs) -> Iterator[tuple[Graphs, Graphs]]:
    """Go through pairs as a network sees them, one after the other."""
    for place in range(len(left)):
        yield seen(inputs, left[place : place + 1]), seen(inputs, right[place : place + 1])


def seen(inputs: NodeInput, graph: Graphs) -> Graphs:
    """Return one graph with the network's input as features."""
    encoded = dense_encoding(graph.adj.to_dense(), inputs.encoding)
    given: Graphs = inputs(graph.replace(node_attrs={inputs.attribute: encoded}))
    return given


def dense_encoding(A: Tensor, encoding: StructuralEncoding) -> Tensor:
    """Return logarithmic degrees and return probabilities `[n, width]`, by powers of `D^-1 A`."""
    degree = A.sum(1)
    P = torch.where(degree > 0, 1 / degree, 0.0).unsqueeze(1) * A
    columns, power = [torch.log1p(degree)] if encoding.degree else [], P
    for _ in range(encoding.random_walk):
        columns.append(power.diagonal())
        power = power @ P
    return torch.stack(columns, dim=1)


def true_node_likelihood(
    network: MatchingNetwork, left: Graphs, right: Graphs, truth: Tensor
) -> Tensor:
    """Return the logarithm of the entry of M at the true node for every node of the right graph of
    one pair, `[n2]`.
    """
    h1, h2 = node_representations(network, left, right)
    log_M = network.scores(h1.unsqueeze(0), h2.unsqueeze(0)).squeeze(0).log_softmax(0)
    return log_M.gather(0, truth.unsqueeze(0)).squeeze(0)


def one_to_one(S: Tensor, A1: Tensor, A2: Tensor, way: OneToOne) -> Tensor:
    """Return the one-to-one alignment `[n1, n2]` of one pair, given the scores of its nodes: what
    `matching/consensus.py` says, line by line.
    """
    n1, n2 = S.shape
    S0 = (S.log_softmax(0) + S.log_softmax(1)) / 2 + way.noise * tie_breaks(n1, n2, way.seed)
    S = S0
    for t in range(way.rounds):
        M = scaled_with_bins(S, way.bin, way.steps)
        S = S0 + way.beta * way.growth**t * (A1 @ M @ A2.T)
    M = torch.zeros_like(S)
    M[linear_sum_assignment(S.numpy(), maximize=True)] = 1.0
    return M


def scaled_with_bins(S: Tensor, bin: float, steps: int) -> Tensor:
    """Return the partial Sinkhorn of `S [n1, n2]`, in logarithms, with a bin behind every row and
    every column.
    """
    n1, n2 = S.shape
    L = torch.nn.functional.pad(S, (0, 1, 0, 1), value=bin)
    for _ in range(steps):
        L[:n1] = L[:n1].log_softmax(1)
        L[:, :n2] = L[:, :n2].log_softmax(0)
    return L[:n1, :n2].exp()
