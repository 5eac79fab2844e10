"""Controls by hand."""

from __future__ import annotations

import torch

from smixup.graphs import Graphs
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
