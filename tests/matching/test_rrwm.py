"""Reweighted random walks against another implementation, and on graphs whose assignment is
known.
"""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching.affinity import dense_affinity, node_affinity
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.pairs import PairBlock, Pairs
from smixup.matching.rrwm import RRWM, balanced

SIZES = [(20, 20), (12, 20), (20, 12), (7, 6), (1, 5), (5, 1), (1, 1)]


def peer(block: PairBlock, pair: int, **settings: float) -> Tensor:
    """The same walk on the whole affinity of a pair, by pygmtools."""
    pygm = pytest.importorskip("pygmtools")
    n1, n2 = int(block.mask1[pair].sum()), int(block.mask2[pair].sum())
    N = node_affinity(block)[pair, :n1, :n2]
    K = dense_affinity(N, block.A1[pair, :n1, :n1], block.A2[pair, :n2, :n2])
    result: Tensor = pygm.rrwm(K, n1, n2, backend="pytorch", **settings)
    return result


def test_equal_to_pygmtools_whatever_the_padding(
    make_graphs: Callable[..., Graphs], grouped: Callable[[Graphs, Graphs, str], Pairs]
) -> None:
    left, right = (make_graphs([size[side] for size in SIZES], seed=side) for side in (0, 1))
    every = torch.arange(len(SIZES))
    (block,) = grouped(left[every], right[every], "one bucket").blocks()
    X = RRWM().walk(node_affinity(block), block.A1, block.A2, block.mask)
    for pair, (n1, n2) in enumerate(SIZES):
        torch.testing.assert_close(X[pair, :n1, :n2], peer(block, pair), atol=1e-5, rtol=0)
        assert not X[pair, n1:].any()
        assert not X[pair, :, n2:].any()
    torch.testing.assert_close(X.sum((1, 2)), torch.ones(len(SIZES)))


def test_settings_mean_what_they_mean_in_pygmtools(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([9, 6])
    (block,) = Pairs.of(graphs[[0]], graphs[[1]]).blocks()
    matcher = RRWM(steps=7, jump=0.6, sharpness=10.0, sinkhorn_steps=5)
    X = matcher.walk(node_affinity(block), block.A1, block.A2, block.mask)[0]
    expected = peer(block, 0, max_iter=7, alpha=0.6, beta=10.0, sk_iter=5)
    torch.testing.assert_close(X, expected, atol=1e-5, rtol=0)
    assert (
        RRWM().walk(node_affinity(block), block.A1, block.A2, block.mask)[0] - expected
    ).abs().max() > 1e-3


def test_finds_the_nodes_of_a_shuffled_copy(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.gnp_random_graph(20, 0.3, seed=seed) for seed in range(20)])
    original = graphs[torch.arange(20)]
    copy, origin = shuffled_copy(original, torch.Generator().manual_seed(0))
    M = RRWM()(original, copy).to_dense()
    assert float((M.argmax(0) == origin).float().mean()) >= 0.95


def test_graphs_with_nothing_in_common_still_have_an_assignment(
    from_networkx: Callable[..., Graphs],
) -> None:
    graphs = from_networkx([nx.complete_graph(40), nx.empty_graph(3)])
    for left, right in ((0, 1), (1, 0)):
        M = RRWM()(graphs[[left]], graphs[[right]]).to_dense()
        torch.testing.assert_close(M, torch.full_like(M, 1 / M.size(0)))


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_balancing_begins_with_the_smaller_side(steps: int) -> None:
    E = torch.zeros(3, 4, 4)
    sizes = [(3, 4), (4, 2), (3, 3)]
    for pair, (n1, n2) in enumerate(sizes):
        E[pair, :n1, :n2] = torch.rand(n1, n2, generator=torch.Generator().manual_seed(pair)) + 0.1
    result = balanced(E, steps)
    for pair, (n1, n2) in enumerate(sizes):
        expected, dim = E[pair, :n1, :n2].clone(), 1 if n2 >= n1 else 0
        for _ in range(steps):
            expected, dim = expected / expected.sum(dim, keepdim=True), 1 - dim
        torch.testing.assert_close(result[pair, :n1, :n2], expected)
        assert float(result[pair].sum()) == pytest.approx(float(expected.sum()))


@pytest.mark.parametrize(
    "settings",
    [
        {"steps": 0},
        {"sinkhorn_steps": 0},
        {"degree_width": -1.0},
        {"jump": 1.5},
        {"sharpness": 99.0},
    ],
)
def test_wrong_settings(settings: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        RRWM(**settings)  # type: ignore[arg-type]
