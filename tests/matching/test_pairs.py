"""Pairs come back from their padded blocks as they went in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import RRWM
from smixup.matching.pairs import Pairs
from smixup.memory import set_budget


@pytest.fixture(params=["one bucket", "many buckets", "as always"])
def pairs(request: pytest.FixtureRequest, graphs: Graphs, grouped: Callable[..., Pairs]) -> Pairs:
    left, right = graphs[[0, 1, 2, 3, 4]], graphs[[4, 6, 1, 5, 2]]
    return (
        Pairs.of(left, right)
        if request.param == "as always"
        else grouped(left, right, request.param)
    )


def test_blocks_hold_features_adjacency_and_mask_of_each_pair(pairs: Pairs) -> None:
    seen = []
    for block in pairs.blocks():
        for b, pair in enumerate(block.pairs.tolist()):
            seen.append(pair)
            sides = (
                (pairs.left, block.x1, block.A1, block.mask1),
                (pairs.right, block.x2, block.A2, block.mask2),
            )
            for batch, x, A, mask in sides:
                first, last = batch.ptr[pair], batch.ptr[pair + 1]
                n = int(last - first)
                assert mask[b].tolist() == [place < n for place in range(mask.size(1))]
                assert torch.equal(x[b, :n], batch.x[first:last])
                assert not x[b, n:].any()
                torch.testing.assert_close(
                    A[b, :n, :n], batch.adj.to_dense()[first:last, first:last]
                )
                assert A[b].count_nonzero() == A[b, :n, :n].count_nonzero()
            assert torch.equal(block.mask[b], block.mask1[b].unsqueeze(1) & block.mask2[b])
    assert sorted(seen) == list(range(5))


def test_the_operator_puts_each_block_at_its_pair(pairs: Pairs) -> None:
    M = pairs.operator(
        [block.mask * (block.pairs + 1.0)[:, None, None] for block in pairs.blocks()]
    ).to_dense()
    left, right = pairs.left.batch.unsqueeze(1), pairs.right.batch.unsqueeze(0)
    assert torch.equal(M, torch.where(left == right, left + 1.0, 0.0))


def test_both_sides_are_one_batch_of_nodes(pairs: Pairs) -> None:
    both = Graphs.cat([pairs.left, pairs.right])
    assert torch.equal(pairs.x, both.x)
    assert torch.equal(pairs.ptr, both.ptr)
    assert torch.equal(pairs.adj.to_dense(), both.adj.to_dense())


def test_signals_of_both_sides_are_padded_and_come_back(pairs: Pairs) -> None:
    h = torch.arange(float(len(pairs.x))).unsqueeze(1)
    blocks = pairs.pad(h)
    assert torch.equal(pairs.unpad(blocks), h)
    left, right = h.split([pairs.left.num_nodes, pairs.right.num_nodes])
    assert torch.equal(pairs.rows.unpad([block for block, _ in blocks]), left)
    assert torch.equal(pairs.columns.unpad([block for _, block in blocks]), right)


@pytest.mark.parametrize("nodes", [1, 15, 10**6])
def test_parts_are_the_buckets_in_order(pairs: Pairs, nodes: int) -> None:
    parts = list(pairs.parts(nodes))
    found = [block for part in parts for block in part.blocks()]
    for mine, whole in zip(found, pairs.blocks(), strict=True):
        for name in ("x1", "A1", "mask1", "x2", "A2", "mask2"):
            assert torch.equal(getattr(mine, name), getattr(whole, name))
    assert all(len(part.groups) == 1 or len(part.x) <= nodes for part in parts)
    assert len(parts) == {1: len(pairs.groups), 10**6: 1}.get(nodes, len(parts))


def test_a_pair_has_two_sides(graphs: Graphs) -> None:
    with pytest.raises(ValueError, match="3 graphs on the left, 2 on the right"):
        Pairs.of(graphs[[0, 1, 2]], graphs[[0, 1]])


def test_graphs_too_large_for_tables_are_named(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([4, 300, 5])
    set_budget("1MB")
    try:
        with pytest.raises(
            SmixupError,
            match=r"^matching graphs 1 and 2, of 300 and 5 nodes, as a table of all cells needs "
            r"about 1 MB of memory, and 1 MB may be used: leave such graphs out, or take "
            r"GraphMatcher\(\) or SiameseMatcher\(\), .*, or allow more",
        ):
            RRWM()(graphs[[0, 1]], graphs[[2, 2]])
    finally:
        set_budget(None)
