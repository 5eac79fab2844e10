"""Couplings of rank r improve on their start, and pairs are near in size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from experiments.mixes import Parents, tagged
from smixup.augment import FGWMixup, GeoMix
from smixup.augment.added_mixes import AddedMixes, node_by_node
from smixup.augment.baselines.geomix import low_rank
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.pairs import Pairs


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
