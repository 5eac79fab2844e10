"""The network against a plain implementation, pair by pair and node by node."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.matching.attention import attention_weights
from smixup.matching.network import MatchingLayer, MatchingNetwork
from smixup.matching.pairs import Pairs
from smixup.matching.triplet import graph_distances

LEFT, RIGHT = [0, 1, 2, 3, 4, 4], [4, 6, 1, 5, 2, 4]


def exact(batch: Graphs) -> Graphs:
    """The batch in double precision: a root of a difference near zero magnifies rounding."""
    adj = batch.adj.to_sparse()
    return batch.replace(x=batch.x.double(), adj=replace(adj, weight=adj.weight.double()))


def plain_similarity(name: str, u: Tensor, v: Tensor) -> float:
    if name == "dot":
        return float(u @ v) / math.sqrt(u.numel())
    if name == "cosine":
        return float(u @ v / (u.norm() * v.norm()))
    return -float((u - v).norm())


def plain_messages(layer: MatchingLayer, name: str, h: Tensor, other: Tensor, A: Tensor) -> Tensor:
    """Eq. (6) and (7), one node after another."""
    z, z_other = layer.norm(h), layer.norm(other)
    rows = []
    for i in range(len(h)):
        within = sum((A[i, j] * z[j] for j in range(len(h))), h.new_zeros(h.size(1)))
        e = [math.exp(plain_similarity(name, z[i], z_other[j])) for j in range(len(other))]
        w = [value / sum(e) for value in e]
        mu = sum((w[j] * (z_other[j] - z[i]) for j in range(len(other))), h.new_zeros(h.size(1)))
        rows.append(h[i] + layer.update(torch.cat([z[i], within, mu])))
    return torch.stack(rows)


def plain_network(
    network: MatchingNetwork, name: str, graph1: Graphs, graph2: Graphs
) -> tuple[Tensor, Tensor]:
    h1, h2 = network.encoder(graph1.x), network.encoder(graph2.x)
    A1, A2 = (
        graph.adj.to_sparse().product(torch.eye(graph.num_nodes).double())
        for graph in (graph1, graph2)
    )
    for layer in network.layers:
        assert isinstance(layer, MatchingLayer)
        h1, h2 = plain_messages(layer, name, h1, h2, A1), plain_messages(layer, name, h2, h1, A2)
    return h1, h2


def plain_readout(network: MatchingNetwork, h: Tensor) -> Tensor:
    z = network.norm(h)
    gated = [torch.sigmoid(network.gate(row)) * network.value(row) for row in z]
    out: Tensor = network.graph(torch.stack(gated).sum(0))
    return out


def small(attention: str = "dot", similarity: str = "euclidean") -> MatchingNetwork:
    torch.manual_seed(0)
    return MatchingNetwork(3, 8, 3, attention, similarity, scale=2.0).double()


def nodes_and_scores(network: MatchingNetwork, pairs: Pairs) -> tuple[Tensor, Tensor, Tensor]:
    h = network(pairs)
    blocks = zip(network.pair_scores(h, pairs), pairs.masks(), strict=True)
    scores = pairs.operator([score * mask for score, mask in blocks]).to_dense().double()
    h1, h2 = h.split([pairs.left.num_nodes, pairs.right.num_nodes])
    return h1, h2, scores


@pytest.fixture(params=["one bucket", "many buckets", "as always"])
def pairs(request: pytest.FixtureRequest, graphs: Graphs, grouped: Callable[..., Pairs]) -> Pairs:
    left, right = exact(graphs[LEFT]), exact(graphs[RIGHT])
    return (
        Pairs.of(left, right)
        if request.param == "as always"
        else grouped(left, right, request.param)
    )


@torch.no_grad()
@pytest.mark.parametrize("attention", ["dot", "cosine", "euclidean"])
def test_against_the_plain_implementation(pairs: Pairs, graphs: Graphs, attention: str) -> None:
    network = small(attention)
    h1, h2, scores = nodes_and_scores(network, pairs)
    distances = graph_distances(network, pairs)
    plain = [
        plain_network(network, attention, exact(graphs[[i]]), exact(graphs[[j]]))
        for i, j in zip(LEFT, RIGHT, strict=True)
    ]
    torch.testing.assert_close(h1, torch.cat([a for a, _ in plain]), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(h2, torch.cat([b for _, b in plain]), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(
        scores, torch.block_diag(*(-2 * torch.cdist(a, b) for a, b in plain)), atol=1e-4, rtol=1e-4
    )
    representations = [(plain_readout(network, a), plain_readout(network, b)) for a, b in plain]
    expected = torch.stack([(a - b).square().mean() for a, b in representations])
    torch.testing.assert_close(distances, expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_pair_by_pair_is_all_at_once(pairs: Pairs, graphs: Graphs) -> None:
    network = small()
    h1, _, scores = nodes_and_scores(network, pairs)
    alone = [
        nodes_and_scores(network, Pairs.of(exact(graphs[[i]]), exact(graphs[[j]])))
        for i, j in zip(LEFT, RIGHT, strict=True)
    ]
    torch.testing.assert_close(h1, torch.cat([each[0] for each in alone]), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(
        scores, torch.block_diag(*(each[2] for each in alone)), atol=1e-4, rtol=1e-4
    )


def test_attention_ignores_nodes_that_do_not_exist() -> None:
    w = attention_weights(
        torch.tensor([[[0.0, math.log(3), 50.0]]]), torch.tensor([[True, True, False]])
    )
    torch.testing.assert_close(w, torch.tensor([[[0.25, 0.75, 0.0]]]))


@torch.no_grad()
def test_renumbering(graphs: Graphs, permuted: Callable[..., Any]) -> None:
    network, left, right = small(), exact(graphs[LEFT]), exact(graphs[RIGHT])
    (new_left, old1), (new_right, old2) = permuted(left, 1), permuted(right, 2)
    new_left, new_right = exact(new_left), exact(new_right)
    _, _, scores = nodes_and_scores(network, Pairs.of(left, right))
    _, _, found = nodes_and_scores(network, Pairs.of(new_left, new_right))
    torch.testing.assert_close(found, scores[old1][:, old2], atol=1e-4, rtol=1e-4)
    distances = (
        graph_distances(network, Pairs.of(*sides))
        for sides in ((left, right), (new_left, new_right))
    )
    torch.testing.assert_close(*distances, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("attention", ["dot", "cosine", "euclidean"])
def test_stable_at_the_paper_s_size_on_dense_graphs(
    attention: str, from_networkx: Callable[..., Graphs]
) -> None:
    import networkx as nx

    graphs = from_networkx(
        [nx.complete_graph(120), nx.star_graph(110), nx.gnp_random_graph(130, 0.9, seed=0)]
    )
    torch.manual_seed(0)
    network = MatchingNetwork(1, 256, 6, attention)
    pairs = Pairs.of(graphs[[0, 1]], graphs[[2, 0]])
    h = network(pairs)
    assert h.abs().max() < 1e3
    distances = network.distances(h, pairs)
    assert distances.isfinite().all()
    assert distances.max() < 1e6
    scores = torch.stack([score.mean() for score in network.pair_scores(h, pairs)])
    (distances.mean() + scores.mean()).backward()
    gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    assert gradients
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_a_message_runs_along_a_directed_edge_and_not_against_it() -> None:
    """In the path 0 -> 1, node 1 hears of node 0; changing node 1 must not reach node 0."""
    torch.manual_seed(0)
    adj = SparseOperator.from_edges(torch.tensor([[0], [1]]), torch.ones(1), 2)
    layer = MatchingLayer(4, "dot")
    path = Graphs(torch.randn(2, 4), adj, torch.ones(1, 1), torch.tensor([0, 2]))
    alone = path.subgraph(torch.tensor([True, False]))

    def next_of(x: Tensor) -> Tensor:
        pairs = Pairs.of(path.replace(x=x), alone)
        h: Tensor = layer(pairs.x, pairs)
        return h[:2]

    before = next_of(path.x)
    changed = path.x.clone()
    changed[1] += torch.randn(4)
    assert torch.equal(next_of(changed)[0], before[0])
    changed = path.x.clone()
    changed[0] += torch.randn(4)
    assert not torch.allclose(next_of(changed)[1], before[1])
