"""Both graphs on common nodes, by the formula written out."""

from __future__ import annotations

from collections.abc import Callable

import torch

from smixup.augment.common_nodes import CommonNodes, node_by_node
from smixup.graphs import Graphs
from smixup.matching.pairs import Pairs


def test_mixes_are_those_of_the_formula(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([5, 7, 6, 4])
    left, right = graphs[:2], graphs[2:]
    pairs, sizes = Pairs.of(left, right), torch.tensor([3, 6])
    random = torch.Generator().manual_seed(0)
    couplings, parts = [], {}
    for group, mask1, mask2 in zip(
        pairs.groups, pairs.rows.masks(), pairs.columns.masks(), strict=True
    ):
        new = torch.arange(int(sizes[group].max())) < sizes[group].unsqueeze(1)
        S = []
        for mask in (mask1, mask2):
            drawn = torch.rand(len(group), new.size(1), mask.size(1), generator=random)
            S.append(drawn * new.unsqueeze(2) * mask.unsqueeze(1))
        couplings.append((S[0], S[1]))
        for k, pair in enumerate(group.tolist()):
            N, n1, n2 = int(sizes[pair]), int(left.sizes[pair]), int(right.sizes[pair])
            cut = S[0][k, :N, :n1], S[1][k, :N, :n2]
            parts[pair] = [each / each.sum(1, keepdim=True) for each in cut]
    lam = torch.tensor([0.3, 0.8])
    found = CommonNodes.coupled(pairs, sizes, couplings).mixed(left, right, lam)
    assert found.sizes.tolist() == [3, 6]
    for pair, (P1, P2) in parts.items():
        mix, G1, G2, t = found[[pair]], left[[pair]], right[[pair]], lam[pair]
        torch.testing.assert_close(mix.x, t * P1 @ G1.x + (1 - t) * P2 @ G2.x)
        A1, A2 = (P @ G.adj.to_dense() @ P.T for P, G in ((P1, G1), (P2, G2)))
        expected = t * A1 + (1 - t) * A2
        torch.testing.assert_close(mix.adj.to_dense(), expected.fill_diagonal_(0))
    torch.testing.assert_close(found.y, torch.lerp(right.y, left.y, lam.unsqueeze(1)))


def test_more_common_nodes_than_nodes() -> None:
    mask, new = torch.ones(1, 2, dtype=torch.bool), torch.ones(1, 4, dtype=torch.bool)
    found = node_by_node(mask, new, torch.zeros(1, 2))[0]
    expected = torch.tensor([[2, 0], [0, 2], [1, 1], [1, 1]]) / 8
    torch.testing.assert_close(found, expected.double())


def test_padding_meets_nobody() -> None:
    mask = torch.tensor([[True, True, False]])
    new = torch.tensor([[True, True, False, False]])
    found = node_by_node(mask, new, torch.zeros(1, 3))[0]
    assert found[2:].sum() == found[:, 2].sum() == 0
    torch.testing.assert_close(found[:2, :2], torch.eye(2).double() / 2)
