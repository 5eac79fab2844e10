"""Colour refinement against networkx, which knows no weights, and what weights add to it."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.graphs import SparseOperator
from smixup.graphs.refinement import refined

GRAPHS = {
    "random": nx.gnm_random_graph(60, 75, seed=1),
    "tree": nx.balanced_tree(2, 4),
    "hubs": nx.barabasi_albert_graph(80, 1, seed=2),
    "regular": nx.circulant_graph(12, [1, 3]),
    "no edges": nx.empty_graph(5),
}


def operator(graph: nx.Graph) -> SparseOperator:
    """The edges of a graph, each node's in another order than networkx's."""
    ends = [(i, j, each.get("weight", 1.0)) for i, j, each in graph.edges(data=True)][::-1]
    edges = torch.tensor([end[:2] for end in ends], dtype=torch.long).reshape(-1, 2).T
    weight = torch.tensor([end[2] for end in ends]).repeat(2)
    return SparseOperator.from_edges(torch.cat([edges, edges.flip(0)], 1), weight, len(graph))


def same(values: list[object]) -> list[int]:
    """The place at which the value of each node stands first."""
    return [values.index(each) for each in values]


def zeros(number: int) -> Tensor:
    return torch.zeros(number, dtype=torch.long)


@pytest.mark.parametrize("rounds", [1, 2, 4])
@pytest.mark.parametrize("name", GRAPHS)
def test_nodes_share_a_number_as_in_networkx(name: str, rounds: int) -> None:
    graph = GRAPHS[name].copy()
    kinds = [i % 7 == 0 for i in graph]
    nx.set_node_attributes(graph, {i: str(kinds[i]) for i in graph}, "kind")
    hashes = nx.weisfeiler_lehman_subgraph_hashes(graph, node_attr="kind", iterations=rounds)
    found = refined(torch.tensor(kinds).long(), operator(graph), rounds)
    assert same(found.tolist()) == same([hashes[i][rounds - 1] for i in range(len(graph))])


def test_weights_are_seen_and_go_with_their_neighbours() -> None:
    """Two nodes with the same neighbours and the same weights, but otherwise paired."""
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 2, 1.0), (0, 3, 0.5), (1, 2, 0.5), (1, 3, 1.0)])
    adj = operator(graph)
    assert same(refined(zeros(4), adj, 1).tolist()) == [0, 0, 0, 0]
    assert same(refined(torch.tensor([0, 0, 1, 2]), adj, 1).tolist()) == [0, 1, 2, 3]


def test_numbers_are_the_same_in_any_order_of_nodes() -> None:
    adj = operator(GRAPHS["random"])
    order = torch.randperm(60, generator=torch.Generator().manual_seed(0))
    turned = adj.scatter(order, 60)
    first = torch.arange(60) % 3
    again = refined(zeros(60).index_copy_(0, order, first), turned, 3)
    assert torch.equal(again[order], refined(first, adj, 3))


def test_without_a_round_nothing_changes() -> None:
    first = torch.arange(31) % 4
    assert torch.equal(refined(first, operator(GRAPHS["tree"]), 0), first)
