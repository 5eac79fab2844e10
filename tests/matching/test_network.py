"""The network against a plain implementation, pair by pair and node by node; attention in every
way that it is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from oracles import distances, representations
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.matching import network as network_module
from smixup.matching.learned import SiameseMatcher
from smixup.matching.network import ROW_BY_ROW, SIMILARITIES, MatchingNetwork, attended, euclidean
from smixup.matching.pairs import Pairs

close = torch.testing.assert_close
SixPairs = tuple[Graphs, Graphs, tuple[Tensor, Tensor]]
WHOLE, PARTS = 10**9, 60  # cells: all pairs as a table, none of them


def plain_similarity(name: str, u: Tensor, v: Tensor) -> float:
    if name == "cosine":
        return float(u @ v / (u.norm() * v.norm()))
    return -float((u - v).norm())


@pytest.mark.parametrize("name", SIMILARITIES)
def test_similarities_against_plain_loops(name: str) -> None:
    similarity, random = SIMILARITIES[name], torch.Generator().manual_seed(0)
    h1, h2 = torch.randn(3, 4, 5, generator=random), torch.randn(3, 6, 5, generator=random)
    table = similarity(h1, h2)
    for b, i, j in torch.cartesian_prod(*map(torch.arange, (3, 4, 6))):
        plain = plain_similarity(name, h1[b, i], h2[b, j])
        assert float(table[b, i, j]) == pytest.approx(plain, abs=1e-5)
    one, two = h1[0].clone(), h2[0, :4].clone()
    two[2] = one[2]
    expected = similarity(one.double()[None], two.double()[None])[0].diagonal()
    close(ROW_BY_ROW[similarity](one, two).double(), expected, atol=1e-5, rtol=1e-5)
    h = torch.tensor([[[0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]], requires_grad=True)
    similarity(h, h).sum().backward()
    assert h.grad is not None and h.grad.isfinite().all(), "of equal rows, and of zeros"
    if name == "cosine":
        assert not similarity(h, h)[0, 0].any(), "at right angles to everything"


def test_distances_survive_large_offsets_and_small_differences() -> None:
    random = torch.Generator().manual_seed(0)
    h1, h2 = (300 + torch.randn(3, n, 5, generator=random) for n in (4, 6))
    expected = -torch.cdist(h1.double(), h2.double()).float()
    close(euclidean(h1, h2), expected, atol=1e-5, rtol=0)
    rows = ROW_BY_ROW[euclidean](h1[0], h2[0, :4])
    close(rows, expected[0].diagonal(), atol=1e-4, rtol=0)
    h = torch.full((1, 1, 64), 3.0)
    near = h.clone()
    near[..., 0] += 2e-5
    assert float(euclidean(h, near)) == pytest.approx(3.0 - float(near[0, 0, 0]), rel=1e-2)


def small() -> MatchingNetwork:
    torch.manual_seed(0)
    return MatchingNetwork(3, 8, 3, scale=2.0).double()


@pytest.mark.parametrize("grouping", ["one", "many", "as always"])
def test_against_one_masked_table_of_all_pairs(
    grouping: str, six_pairs: SixPairs, grouped: Callable[..., Pairs]
) -> None:
    network, (left, right, _) = small(), six_pairs
    pairs = grouped(left, right, grouping)
    h1, h2 = representations(network, left, right)
    close(network(pairs), torch.cat([h1, h2]), atol=1e-5, rtol=1e-5)
    blocks = zip(network.pair_scores(network(pairs), pairs), pairs.blocks(), strict=True)
    scores = pairs.assigned(score.detach() * block.mask for score, block in blocks).to_dense()
    expected = torch.where(left.batch.unsqueeze(1) == right.batch, -2 * torch.cdist(h1, h2), 0.0)
    close(scores.double(), expected.detach(), atol=1e-4, rtol=1e-4)
    ours, theirs = network.distances(pairs), distances(network, left, right)
    close(ours, theirs, atol=1e-5, rtol=1e-5)
    gradients = (torch.autograd.grad(d.sum(), network.layers.parameters()) for d in (ours, theirs))
    for mine, other in zip(*gradients, strict=True):
        close(mine, other, atol=1e-5, rtol=1e-3)


def test_a_siamese_network_sees_a_graph_without_its_partner(
    graphs: Graphs, fitted: Callable[[str], Matcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = fitted("learned")
    network, inputs = matcher.ready_for(graphs)  # type: ignore[attr-defined]
    beside = [network(Pairs.of(inputs(graphs[[4]]), inputs(graphs[[i]])))[:9] for i in (0, 5)]
    assert not torch.allclose(*beside), "unlike the other network"
    siamese = fitted("siamese")
    assert isinstance(siamese, SiameseMatcher)
    network, inputs = siamese.ready_for(graphs)
    beside = [network(Pairs.of(inputs(graphs[[4]]), inputs(graphs[[i]])))[:9] for i in (0, 5)]
    close(*beside, atol=1e-6, rtol=1e-6)
    assert siamese.network is not None
    embed, seen = siamese.network.embed, []
    monkeypatch.setattr(siamese.network, "embed", lambda x, A: seen.append(len(x)) or embed(x, A))
    siamese.assign(siamese.prepare(graphs), torch.tensor([0, 0, 4]), torch.tensor([4, 0, 5]))
    assert seen == [30], "all nodes, once"


def sides(dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Three pairs of up to 11 and 17 nodes; what stands in empty slots is arbitrary."""
    random = torch.Generator().manual_seed(0)
    z1 = torch.randn(3, 11, 6, generator=random).to(dtype).requires_grad_()
    z2 = torch.randn(3, 17, 6, generator=random).to(dtype).requires_grad_()
    mask1 = torch.arange(11) < torch.tensor([[11], [7], [1]])
    mask2 = torch.arange(17) < torch.tensor([[12], [17], [3]])
    return z1, z2, mask1, mask2


def values_and_gradients(z1: Tensor, z2: Tensor, *rest: Any) -> list[Tensor]:
    views = attended(z1, z2, *rest)
    loss = sum((view * torch.linspace(-1, 2, view.size(2))).square().sum() for view in views)
    return [*views, *torch.autograd.grad(loss, (z1, z2))]


@pytest.mark.parametrize("slots", ["all there", "padded"])
def test_attention_as_a_whole_and_fused(slots: str, monkeypatch: pytest.MonkeyPatch) -> None:
    z1, z2, *both = sides()
    if slots == "all there":
        both = [torch.ones_like(mask) for mask in both]
    monkeypatch.setattr(network_module, "TABLE", WHOLE)
    expected = values_and_gradients(z1, z2, *both)
    monkeypatch.setattr(network_module, "TABLE", PARTS)
    fused = values_and_gradients(z1, z2, *both)
    for mine, whole in zip(fused, expected, strict=True):
        close(mine, whole, atol=1e-5, rtol=1e-5)
