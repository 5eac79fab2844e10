"""SubMix exchanges connected parts, keeps sizes, and weighs targets by edges."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.augment.baselines.submix import Ranked, nearness, transplant
from smixup.graphs import Graphs, SparseOperator


@pytest.fixture
def connected(from_networkx: Callable[..., Graphs]) -> Graphs:
    """Connected graphs of many kinds, with their nodes' numbers as features."""
    kinds = [
        nx.star_graph(9),
        nx.barbell_graph(5, 4),
        nx.random_labeled_tree(25, seed=1),
        nx.cycle_graph(12),
    ]
    kinds += [nx.connected_watts_strogatz_graph(20, 4, 0.3, seed=s) for s in range(4)]
    graphs = from_networkx(kinds, labels=list(range(8)))
    return graphs.replace(x=torch.arange(float(graphs.x.size(0))).unsqueeze(1))


def ranked(batch: Graphs, root: Tensor | None = None) -> Ranked:
    return around(batch, batch.ptr[:-1] if root is None else root, 30)


def around(batch: Graphs, root: Tensor, steps: int) -> Ranked:
    return Ranked.by(batch, nearness(batch.adj, root.unsqueeze(0), 0.15, steps)[0])


def first(nodes: Ranked, number: Tensor) -> Tensor:
    """Mark the first so many nodes of every graph."""
    marks = torch.zeros(nodes.graphs.num_nodes, dtype=torch.bool)
    for graph, k in enumerate(number.tolist()):
        marks[nodes.at(torch.tensor(graph), torch.arange(k))] = True
    return marks


def test_nearness_is_personalised_pagerank_over_degree() -> None:
    graph = nx.barbell_graph(4, 2)
    dense = torch.from_numpy(nx.to_numpy_array(graph)).float()
    row, column = dense.nonzero(as_tuple=True)
    adj = SparseOperator.from_entries(row, column, dense[row, column], (10, 10))
    pagerank = nx.pagerank(graph, alpha=0.85, personalization={2: 1}, tol=1e-12, max_iter=1000)
    expected = torch.tensor([pagerank[v] / graph.degree[v] for v in range(10)], dtype=torch.double)
    torch.testing.assert_close(
        nearness(adj, torch.tensor([[0], [2]]), 0.15, 200)[1], expected, atol=1e-6, rtol=1e-4
    )


@pytest.mark.parametrize("steps", [3, 30])
def test_the_first_nodes_are_connected_whatever_their_number(connected: Graphs, steps: int) -> None:
    batch = connected[range(8)]
    whole = nx.from_numpy_array(batch.adj.to_dense().numpy())
    for offset in range(10):
        found = around(batch, batch.ptr[:-1] + offset, steps)
        for graph, reach in enumerate(found.reach.tolist()):
            nodes = [int(found.at(torch.tensor(graph), torch.tensor(k))) for k in range(reach)]
            assert nodes[0] == batch.ptr[graph] + offset
            assert all(nx.is_connected(whole.subgraph(nodes[:k])) for k in range(1, reach + 1))


def test_sizes_stay_targets_count_edges_and_the_part_is_tied_to_the_rest(
    connected: Graphs,
) -> None:
    batch, partner = connected[range(8)], torch.tensor([4, 3, 0, 1, 2, 7, 5, 6])
    other = batch[partner]
    number = torch.tensor([4, 3, 9, 5, 10, 8, 7, 1])
    left, right, given = ranked(batch), ranked(batch), ranked(other)
    mixed = transplant(left, right, partner, number)
    assert torch.equal(mixed.ptr, batch.ptr)
    dense, before, there = mixed.adj.to_dense(), batch.adj.to_dense(), other.adj.to_dense()
    assert torch.equal(dense, dense.T)
    for graph in range(8):
        mine = mixed.batch == graph
        new = first(left, number) & mine
        old = ~new & mine
        assert dense[new][:, old].any(), "the part hangs in the air"
        kept = before[mine][:, mine].sum() - before[new][:, new].sum()
        come = first(given, number) & (other.batch == graph)
        inserted = there[come][:, come].sum()
        assert float(mixed.y[graph, graph]) == pytest.approx(float(kept / (kept + inserted)))
        assert float(mixed.y[graph, partner[graph]]) == pytest.approx(
            float(inserted / (kept + inserted))
        )
        assert nx.is_isomorphic(
            *(nx.from_numpy_array(A.numpy()) for A in (dense[new][:, new], there[come][:, come]))
        )
