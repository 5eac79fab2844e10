"""Slow ways to do what the library does fast, as one would first write them."""

from __future__ import annotations

import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching.assign import OneToOne
from smixup.matching.network import MatchingNetwork, dot
from smixup.matching.pairs import tie_breaks


def representations(network: MatchingNetwork, left: Graphs, right: Graphs) -> tuple[Tensor, Tensor]:
    """`H1 [n1, H]` and `H2 [n2, H]`, Eq. (6) and (7): one table for all pairs, masked."""
    h1, h2 = network.encoder(left.x), network.encoder(right.x)
    apart = left.batch.unsqueeze(1) != right.batch
    A1, A2 = left.adj.to_dense().to(h1), right.adj.to_dense().to(h2)
    for layer in network.layers:
        z1, z2 = layer.norm(h1), layer.norm(h2)
        e = dot(z1[None], z2[None])[0].masked_fill(apart, -torch.inf)
        across1, across2 = e.softmax(1) @ z2 - z1, e.T.softmax(1) @ z1 - z2
        h1 = h1 + layer.update(torch.cat([z1, A1 @ z1, across1], 1))
        h2 = h2 + layer.update(torch.cat([z2, A2 @ z2, across2], 1))
    return h1, h2


def distances(network: MatchingNetwork, left: Graphs, right: Graphs) -> Tensor:
    """Squared distances between the two graphs of every pair, `[B]`."""

    def readout(h: Tensor, graphs: Graphs) -> Tensor:
        z = network.norm(h)
        parts = (network.gate(z).sigmoid() * network.value(z)).split(graphs.sizes.tolist())
        return network.graph(torch.stack([part.sum(0) for part in parts]))

    h1, h2 = representations(network, left, right)
    return (readout(h1, left) - readout(h2, right)).square().mean(1)


def one_to_one(S: Tensor, A1: Tensor, A2: Tensor, settings: OneToOne) -> Tensor:
    """Neighbourhood consensus and rounding of the scores of one pair, `[n1, n2]`."""
    noise = settings.noise * tie_breaks(*S.shape)
    first = (S.log_softmax(0) + S.log_softmax(1)) / 2 + noise
    current = first
    for t in range(settings.rounds):
        M = scaled_with_bins(current, settings.bin, settings.steps)
        current = first + settings.growth**t * (A1 @ M @ A2.T)
    rounded = torch.zeros_like(S)
    rounded[linear_sum_assignment(current.numpy(), maximize=True)] = 1.0
    return rounded


def scaled_with_bins(S: Tensor, bin: float, steps: int) -> Tensor:
    """The partial Sinkhorn of `S [n1, n2]`, in logarithms, with a bin behind rows and columns."""
    L = torch.nn.functional.pad(S, (0, 1, 0, 1), value=bin)
    for _ in range(steps):
        L[:-1] = L[:-1].log_softmax(1)
        L[:, :-1] = L[:, :-1].log_softmax(0)
    return L[:-1, :-1].exp()
