"""Controls by hand."""

from __future__ import annotations

import pytest
import torch

from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Identity, RandomOrder, Uniform


def test_uniform(graphs: Graphs) -> None:
    M = Uniform()(graphs[[0, 6]], graphs[[3, 1]]).to_dense()
    expected = torch.block_diag(torch.full((4, 3), 0.25), torch.full((2, 1), 0.5))
    torch.testing.assert_close(M, expected)


def test_identity(graphs: Graphs) -> None:
    assert torch.equal(Identity()(graphs[[0]], graphs[[0]]).to_dense(), torch.eye(4))
    assert torch.equal(Identity()(graphs[[0]], graphs[[6]]).to_dense(), torch.eye(4)[:, :2])
    larger = Identity()(graphs[[3]], graphs[[5]]).to_dense()
    assert torch.equal(larger, torch.eye(3)[:, [0, 1, 2, 0, 1]]), "nodes of G1 are taken in turn"


def test_random_order_is_one_to_one_where_it_can_be(graphs: Graphs) -> None:
    M = RandomOrder(seed=1)(graphs[[4, 0]], graphs[[5, 2]]).to_dense()
    first, second = M[:9, :5], M[9:, 5:]
    assert ((M == 0) | (M == 1)).all()
    assert torch.equal(first.sum(0), torch.ones(5))
    assert int(first.sum(1).max()) == 1
    assert sorted(second.sum(1).tolist()) == [1, 1, 2, 2], "six nodes on four"


def test_random_order_varies_and_repeats_by_seed(graphs: Graphs) -> None:
    pair = graphs[[4]], graphs[[4]]
    matcher, again, other = RandomOrder(), RandomOrder(), RandomOrder(seed=1)
    one, two = matcher(*pair).to_dense(), matcher(*pair).to_dense()
    assert not torch.equal(one, two), "a new order at every call"
    assert torch.equal(again(*pair).to_dense(), one)
    assert not torch.equal(other(*pair).to_dense(), one)


def test_every_partner_is_equally_likely(graphs: Graphs) -> None:
    batch, other = graphs[[0] * 3000], graphs[[3] * 3000]
    M = RandomOrder()(batch, other).to_sparse()
    hits = torch.zeros(4, 3).index_put_((M.row % 4, M.column % 3), M.weight, accumulate=True) / 3000
    assert (hits - 0.25).abs().max() < 0.03


def plain(matcher: Identity, left: Graphs, right: Graphs) -> torch.Tensor:
    """Pair by pair and node by node, given where `order` puts the nodes."""
    M = torch.zeros(left.num_nodes, right.num_nodes)
    places, partners = matcher.order(left).tolist(), matcher.order(right).tolist()
    for g in range(len(left)):
        (a, b), (c, d) = left.ptr[g : g + 2].tolist(), right.ptr[g : g + 2].tolist()
        at = {places[i]: i for i in range(a, b)}
        assert sorted(at) == list(range(b - a)), "every place is taken once"
        for j in range(c, d):
            k = partners[j]
            if b > a and (k < b - a or not matcher.partial):
                M[at[k % (b - a)], j] = 1.0
    return M


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("kind", [Identity, RandomOrder])
def test_against_a_plain_loop(kind: type[Identity], partial: bool, graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 1, 5, 6, 2]], graphs[[5, 2, 3, 0, 6, 4]]
    M = kind(partial=partial)(left, right)
    assert M.to_sparse() is M, "kept entry by entry"
    assert torch.equal(M.to_dense(), plain(kind(partial=partial), left, right))


def test_beside_a_graph_without_nodes(graphs: Graphs) -> None:
    nobody = graphs[[0, 3]].subgraph(torch.arange(7) >= 4)
    assert nobody.sizes.tolist() == [0, 3]
    for matcher in (Identity(), Identity(partial=True), RandomOrder()):
        assert matcher(nobody, graphs[[4, 5]]).to_dense()[:, :9].sum() == 0
        assert matcher(graphs[[4, 5]], nobody).to_dense().sum() == 3


def test_a_pair_of_very_large_graphs_costs_what_its_nodes_cost() -> None:
    """A table of all cells would take 160 gigabytes."""
    n, none = 200_000, torch.zeros(0, dtype=torch.long)
    adj = SparseOperator(torch.zeros(n + 1, dtype=torch.long), none, torch.zeros(0), n, True)
    graph = Graphs(torch.ones(n, 1), adj, torch.ones(1, 1), torch.tensor([0, n]))
    for matcher in (Identity(), RandomOrder()):
        M = matcher(graph, graph).to_sparse()
        assert len(M.weight) == n
        assert M.column.unique().numel() == M.row.unique().numel() == n
