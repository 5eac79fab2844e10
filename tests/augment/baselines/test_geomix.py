"""Splitting nodes changes nothing, and ways are geodesics: checked by POT and by the formula."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from ot.gromov import fused_gromov_wasserstein

from experiments.mixes import Parents, tagged
from smixup.augment import FGWMixup, GeoMix
from smixup.augment.added_mixes import AddedMixes, node_by_node
from smixup.augment.baselines.geomix import LEAST_MASS, low_rank
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.pairs import Pairs

Array = np.ndarray


def fused(left: tuple[Array, ...], right: tuple[Array, ...], start: Array) -> float:
    """The distance of two graphs with features, adjacency and masses, from a coupling."""
    (x1, A1, p1), (x2, A2, p2) = left, right
    M = ((x1[:, None] - x2[None]) ** 2).sum(2)
    _, log = fused_gromov_wasserstein(M, A1, A2, p1, p2, alpha=0.5, G0=start, log=True)
    return float(np.sqrt(max(log["fgw_dist"], 0.0)))


def parts(graph: Graphs, masses: Array | None = None) -> tuple[Array, ...]:
    n = graph.num_nodes
    even = np.full(n, 1 / n)
    dense = graph.adj.to_dense().double().numpy()
    return graph.x.double().numpy(), dense, even if masses is None else masses


@pytest.fixture
def pair(make_graphs: Callable[..., Graphs]) -> tuple[Graphs, Graphs]:
    graphs = make_graphs([5, 7])
    return graphs[[0]], graphs[[1]]


def coupled(method: GeoMix, left: Graphs, right: Graphs) -> torch.Tensor:
    (block,) = Pairs.of(left, right).blocks()
    return method.coupled(block)[0]


def test_the_way_is_a_geodesic(pair: tuple[Graphs, Graphs]) -> None:
    """Between any two of its graphs the distance is their share of the whole."""
    left, right = pair
    method = GeoMix(exact=True, least_weight=0.0)
    T = coupled(method, left, right)
    i, j = (T > LEAST_MASS).nonzero(as_tuple=True)
    mass = T[i, j].numpy()
    ends = parts(left), parts(right)
    whole = fused(*ends, T.numpy())
    assert whole > 0.1
    shares = torch.tensor([1.0, 0.7, 0.4, 0.0])
    mixes = method.mixed(left, right, shares, torch.zeros(4, dtype=torch.long))
    on_way = [parts(mixes[[k]], mass) for k in range(4)]
    for a in range(4):
        for b in range(a + 1, 4):
            found = fused(on_way[a], on_way[b], np.diag(mass))
            assert found == pytest.approx(float(shares[a] - shares[b]) * whole, rel=1e-3)


def test_rank_r_is_no_worse_than_where_it_starts(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([6, 7, 9, 8])
    method = GeoMix()
    (block,) = Pairs.of(graphs[:2], graphs[2:]).blocks()
    problem, T = method._problem(block).double(), method.coupled(block)
    torch.testing.assert_close(T.sum(1), problem.q)
    for r in (1, 4, 12):
        new = torch.ones(2, r, dtype=torch.bool)
        Q = node_by_node(block.mask1, new, block.A1.abs().sum(2))
        R = block.mask1.sum(1).view(-1, 1, 1) * Q @ T
        better = low_rank(problem, Q, R, new)
        for side, mask in zip(better, (problem.p, problem.q), strict=True):
            torch.testing.assert_close(side.sum(1), mask)
            torch.testing.assert_close(side.sum(2), torch.full((2, r), 1 / r).double())
        before, after = (problem.distortion(r * a.mT @ b) for a, b in ((Q, R), better))
        assert (after <= before + 1e-9).all()


def test_mixes_by_pair(make_graphs: Callable[..., Graphs]) -> None:
    originals = tagged(make_graphs([6, 5, 7, 8, 6, 5], num_classes=3))
    made = GeoMix(amount=2.0, per_pair=4, high=0.3, seed=0).fit_extend(originals)
    assert len(made) == 18
    new = made[6:]
    assert set(new.sizes.tolist()) == {int(originals.sizes.median())}
    parents = Parents.of(new)
    assert parents is not None
    assert ((parents.lam >= 0.7) & (parents.lam <= 1)).all()
    of_pairs = {*zip(parents.left.tolist(), parents.right.tolist(), strict=True)}
    assert len(of_pairs) == 3
    for left, right in of_pairs:
        others = (originals.labels != originals.labels[left]).nonzero().squeeze(1)
        gap = (originals.sizes[others] - originals.sizes[left]).abs().min()
        assert (originals.sizes[right] - originals.sizes[left]).abs() == gap
        assert originals.labels[right] != originals.labels[left]
    torch.testing.assert_close(parents.expected(originals.y), new.y)


@pytest.mark.parametrize("method", [FGWMixup, GeoMix])
def test_large_graphs_are_left_out_with_a_word(
    method: type[AddedMixes], make_graphs: Callable[..., Graphs]
) -> None:
    graphs = make_graphs([5, 6, 4, 12, 5])
    with pytest.warns(UserWarning, match="up to max_nodes=8 nodes; 1 of 5 graphs have more nodes"):
        found = method(amount=2.0, max_nodes=8, seed=0).fit_extend(graphs)
    assert len(found) == 15
    assert found.sizes[5:].max() <= 8
    with pytest.raises(SmixupError, match="up to max_nodes=3 nodes, and 5 of 5 graphs have more"):
        method(max_nodes=3).fit_extend(graphs)
