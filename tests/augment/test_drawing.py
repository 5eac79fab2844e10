"""Mixes that are drawn have no fractions, and on average they are those that are averaged."""

from __future__ import annotations

from collections.abc import Callable

import torch

from smixup.augment.mixing import sample_edges
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import to_pyg


def random() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def complete(weights: torch.Tensor, **attributes: torch.Tensor) -> Graphs:
    """One graph with the given weights between all nodes, and attributes of its edges."""
    n = len(weights)
    target, source = torch.ones(n, n).nonzero(as_tuple=True)
    edges = torch.stack([source, target])

    adj = SparseOperator.from_edges(edges, weights[target, source], n)
    rows = {name: (weights * value).view(-1, 1) for name, value in attributes.items()}
    ptr = torch.tensor([0, n])
    return Graphs(torch.ones(n, 1), adj, torch.ones(1, 1), ptr, edge_attrs=rows)


def test_edges_are_whole_both_directions_together(
    make_graphs: Callable[..., Graphs], device: torch.device
) -> None:
    graphs = make_graphs([6, 1, 9, 12, 3]).to(device)
    graphs = graphs.map_edges(lambda edges: torch.full((31,), 0.7, device=device) * edges)
    found = sample_edges(graphs, random())
    A = found.adj.to_dense()
    assert set(A.unique().tolist()) == {0.0, 1.0}
    assert torch.equal(A, A.T)
    assert found.adj.symmetric
    assert not A[graphs.adj.to_dense() == 0].any(), "no edge comes out of nothing"
    assert 0 < A.sum() < (graphs.adj.to_dense() > 0).sum()
    assert torch.equal(found.x, graphs.x)
    assert torch.equal(found.y, graphs.y)


def test_the_expected_weights_are_the_weights() -> None:
    """The mean over many draws, against the weights: independent of how it is drawn."""
    n, draws = 5, 4000
    weights = torch.rand(n, n, generator=random())
    weights[0, 1], weights[1, 0], weights[2, 2] = 0.9, 0.1, 0.0  # a directed graph
    weights[3, 4], weights[4, 3] = -0.6, -0.6
    weights[4, 4] = 1.7
    graphs, generator, total = complete(weights), random(), torch.zeros(n, n)
    for _ in range(draws):
        total += sample_edges(graphs, generator).adj.to_dense()
    expected = weights.clamp(max=1.0)
    torch.testing.assert_close(total / draws, expected, atol=5 * 0.5 / draws**0.5, rtol=0)


def test_attributes_of_edges_that_stay_stay() -> None:
    """An entry is weight times attribute: what a user reads must not change with the weight."""
    weights = torch.rand(8, 8, generator=random()) + 0.05
    weights[0] = 2.0
    weights[1] = -0.5
    length = torch.rand(8, 8, generator=random()) + 1
    graphs = complete(weights, length=length)
    found = to_pyg(sample_edges(graphs, random()))
    source, target = found.edge_index
    assert 0 < found.num_edges < 64
    torch.testing.assert_close(found.length.squeeze(1), length[target, source])
    assert set(found.edge_weight.tolist()) == {1.0, -1.0}
