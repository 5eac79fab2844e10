"""Node affinities by hand, and the affinity of pairs against its definition."""

from __future__ import annotations

from collections.abc import Callable

import torch

from smixup.graphs import Graphs
from smixup.matching.affinity import SMALLEST, apply_affinity, dense_affinity, node_affinity
from smixup.matching.pairs import Pairs


def test_node_affinity_by_hand(
    graphs: Graphs, grouped: Callable[[Graphs, Graphs, str], Pairs]
) -> None:
    left, right = graphs[[0, 4, 3, 1]], graphs[[5, 2, 4, 3]]
    (block,) = grouped(left, right, "one bucket").blocks()
    N = node_affinity(block, degree_width=2.0, feature_width=3.0)
    for pair in range(4):
        first, second = int(left.ptr[pair]), int(right.ptr[pair])
        for i in range(int(left.sizes[pair])):
            for j in range(int(right.sizes[pair])):
                d = left.adj.row_sums()[first + i] - right.adj.row_sums()[second + j]
                x = (left.x[first + i] - right.x[second + j]).square().sum()
                torch.testing.assert_close(N[pair, i, j], torch.exp(-d * d / 2) + torch.exp(-x / 3))
    assert not N[~block.mask].any()


def test_without_features_degrees_alone_count_and_nothing_vanishes(graphs: Graphs) -> None:
    batch = graphs[[0, 2]]
    bare = batch.replace(x=batch.x[:, :0])
    (block,) = list(Pairs.of(bare, bare).blocks())[:1]
    N = node_affinity(block)
    torch.testing.assert_close(
        N.diagonal(dim1=1, dim2=2)[block.mask1], torch.ones(int(block.mask1.sum()))
    )
    far = node_affinity(block, degree_width=1e-9)
    assert torch.equal(
        far[block.mask] >= SMALLEST, torch.ones(int(block.mask.sum()), dtype=torch.bool)
    )


def test_the_affinity_of_pairs_and_its_product() -> None:
    random = torch.Generator().manual_seed(0)
    A1, A2, N, X = (
        torch.rand(*shape, generator=random) for shape in ((3, 3), (4, 4), (3, 4), (3, 4))
    )
    K = dense_affinity(N, A1, A2)
    for i in range(3):
        for a in range(4):
            for j in range(3):
                for b in range(4):
                    own = N[i, a] if (i, a) == (j, b) else 0.0
                    torch.testing.assert_close(K[a * 3 + i, b * 3 + j], A1[i, j] * A2[a, b] + own)
    product = apply_affinity(N[None], A1[None], A2[None], X[None])[0]
    torch.testing.assert_close(product.T.flatten(), K @ X.T.flatten())
