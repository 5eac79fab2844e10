"""The plain implementation and the padded one are the same mathematics."""

from __future__ import annotations

import pytest
import torch

from smixup.app.bench.plain_matching import (
    assignments,
    dense_encoding,
    graph_distances,
    node_representations,
    true_node_likelihood,
)
from smixup.graphs import Graphs
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.network import MatchingNetwork
from smixup.matching.normalization import Columns
from smixup.matching.pairs import Pairs
from smixup.matching.triplet import graph_distances as padded_distances


@pytest.fixture
def network() -> MatchingNetwork:
    torch.manual_seed(0)
    return MatchingNetwork(3, hidden_channels=16, num_layers=3)


def test_representations_assignments_and_distances_agree(
    graphs: Graphs, network: MatchingNetwork
) -> None:
    left, right = graphs[[0, 1, 2, 3, 4]], graphs[[4, 6, 1, 5, 2]]
    pairs = Pairs.of(left, right)
    h = network(pairs)
    plain_h = torch.cat(node_representations(network, left, right))
    torch.testing.assert_close(h, plain_h, rtol=1e-5, atol=1e-5)
    scores = zip(network.pair_scores(h, pairs), pairs.blocks(), strict=True)
    found = [Columns()(*each) for each in scores]
    expected = torch.block_diag(*assignments(network, left, right))
    torch.testing.assert_close(pairs.operator(found).to_dense(), expected, rtol=1e-5, atol=1e-5)
    plain = graph_distances(network, left, right)
    torch.testing.assert_close(padded_distances(network, pairs), plain, rtol=1e-5, atol=1e-5)


def test_gradients_agree(graphs: Graphs, network: MatchingNetwork) -> None:
    left, right = graphs[[0, 2, 3]], graphs[[4, 6, 5]]
    losses = (
        padded_distances(network, Pairs.of(left, right)).sum(),
        graph_distances(network, left, right).sum(),
    )
    ours, plain = (torch.autograd.grad(loss, network.layers.parameters()) for loss in losses)
    for a, b in zip(ours, plain, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-5)


def test_dense_encodings_are_those_of_the_definition(graphs: Graphs) -> None:
    encoding = StructuralEncoding(random_walk=5)
    graph = graphs[[4]]
    A = graph.adj.to_dense()
    degree = A.sum(1)
    P = torch.diag(1 / degree) @ A
    powers = [torch.linalg.matrix_power(P, step).diagonal() for step in range(1, 6)]
    expected = torch.stack([torch.log1p(degree), *powers], dim=1)
    torch.testing.assert_close(dense_encoding(A, encoding), expected, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(encoding(graph), expected, rtol=1e-5, atol=1e-5)


def test_an_isolated_node_never_returns() -> None:
    assert dense_encoding(torch.zeros(2, 2), StructuralEncoding(3)).tolist() == [[0.0] * 4] * 2


def test_the_true_node_has_the_probability_that_m_gives_it(
    graphs: Graphs, network: MatchingNetwork
) -> None:
    left, right = graphs[[1]], graphs[[4]]
    truth = torch.arange(right.num_nodes) % left.num_nodes
    (M,) = assignments(network, left, right)
    expected = M[truth, torch.arange(right.num_nodes)].log()
    found = true_node_likelihood(network, left, right, truth)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
