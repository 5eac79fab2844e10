"""Attention as a whole, fused and in tiles: the same numbers, and the same gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from smixup.matching import attention
from smixup.matching.attention import attended, attention_weights, representatives
from smixup.matching.similarity import SIMILARITIES

WHOLE, PARTS = 10**9, 60  # cells: all pairs as a table, none of them
# Of an unknown similarity nothing but tiles can be made.
WAYS = {
    "kernel": dict(SIMILARITIES),
    "tiles": {k: lambda a, b, s=s: s(a, b) for k, s in SIMILARITIES.items()},
}


def sides(dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Three pairs of up to 11 and 17 nodes; what stands in empty slots is arbitrary."""
    random = torch.Generator().manual_seed(0)
    z1 = torch.randn(3, 11, 6, generator=random).to(dtype).requires_grad_()
    z2 = torch.randn(3, 17, 6, generator=random).to(dtype).requires_grad_()
    count1 = (torch.arange(11) < torch.tensor([[11], [7], [1]])).to(dtype)
    count2 = (torch.arange(17) < torch.tensor([[12], [17], [3]])).to(dtype)
    return z1, z2, count1, count2


def repeated(count: Tensor, seed: int) -> Tensor:
    random = torch.Generator().manual_seed(seed)
    return count * torch.randint(1, 5, count.shape, generator=random)


def values_and_gradients(z1: Tensor, z2: Tensor, *rest: object) -> list[Tensor]:
    found = attended(z1, z2, *rest)  # type: ignore[arg-type]
    loss = sum((each * torch.linspace(-1, 2, each.size(2))).square().sum() for each in found)
    return [*found, *torch.autograd.grad(loss, (z1, z2))]


@pytest.mark.parametrize("counts", ["all there", "padded", "twins"])
@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("way", WAYS)
def test_all_ways_agree(way: str, name: str, counts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    z1, z2, count1, count2 = sides()
    if counts == "all there":
        count1, count2 = torch.ones_like(count1), torch.ones_like(count2)
    if counts == "twins":
        count1, count2 = repeated(count1, 1), repeated(count2, 2)
    monkeypatch.setattr(attention, "TABLE", WHOLE)
    expected = values_and_gradients(z1, z2, count1, count2, SIMILARITIES[name])
    monkeypatch.setattr(attention, "TABLE", PARTS)
    found = values_and_gradients(z1, z2, count1, count2, WAYS[way][name])
    for mine, whole in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, whole, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("table", [WHOLE, PARTS])
def test_in_double_precision_too(table: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the network's own tests; the counts may be in single precision."""
    z1, z2, count1, count2 = sides(torch.double)
    monkeypatch.setattr(attention, "TABLE", table)
    found = attended(z1, z2, count1.float(), count2.float(), SIMILARITIES[name])
    assert all(each.dtype == torch.double for each in found)
    monkeypatch.setattr(attention, "TABLE", WHOLE)
    expected = attended(z1, z2, count1, count2, SIMILARITIES[name])
    for mine, whole in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, whole, atol=1e-7, rtol=1e-7)


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("table", [WHOLE, PARTS])
def test_a_count_is_so_many_equal_nodes(
    table: int, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "TABLE", table)
    z1, z2, count1, count2 = sides()
    count1, count2 = (repeated(count, 3)[:1].long() for count in (count1, count2))
    found = attended(z1[:1], z2[:1], count1.float(), count2.float(), SIMILARITIES[name])
    many1, many2 = (
        z[0].repeat_interleave(count[0], dim=0).unsqueeze(0)
        for z, count in ((z1, count1), (z2, count2))
    )
    ones = (torch.ones(many.shape[:2]) for many in (many1, many2))
    expected = attended(many1, many2, *ones, SIMILARITIES[name])
    for mine, many, count in zip(found, expected, (count1, count2), strict=True):
        spread = mine[0].repeat_interleave(count[0], dim=0)
        torch.testing.assert_close(spread, many[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("table", [WHOLE, PARTS])
def test_empty_slots_have_no_say(table: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "TABLE", table)
    z1, z2, count1, count2 = sides()
    found = attended(z1, z2, count1, count2, SIMILARITIES[name])
    empty = (torch.where(c.unsqueeze(2) > 0, z, 50.0) for z, c in ((z1, count1), (z2, count2)))
    again = attended(*empty, count1, count2, SIMILARITIES[name])
    for mine, other, count in zip(found, again, (count1, count2), strict=True):
        torch.testing.assert_close(mine[count > 0], other[count > 0])


def test_weights_by_hand() -> None:
    sim = torch.log(torch.tensor([[[1.0, 2.0, 5.0], [4.0, 1.0, 9.0]]]))
    found = attention_weights(sim, torch.tensor([[1.0, 3.0, 0.0]]))
    expected = torch.tensor([[[1 / 7, 6 / 7, 0.0], [4 / 7, 3 / 7, 0.0]]])
    torch.testing.assert_close(found, expected)


def sorted_rows(z: Tensor) -> list[list[float]]:
    return sorted(z.detach().tolist())


def test_representatives_are_all_nodes_where_there_are_few() -> None:
    z1, z2, count1, count2 = sides()
    for z, count in ((z1, count1), (z2, count2)):
        for graph in range(3):
            one, own = z[graph : graph + 1], count[graph : graph + 1]
            nodes = one[0][own[0] > 0]
            n = len(nodes)
            assert sorted_rows(representatives(one, own, n)[0]) == sorted_rows(nodes)
            threefold = nodes.repeat_interleave(3, dim=0)
            assert sorted_rows(representatives(one, own, 3 * n)[0]) == sorted_rows(threefold)


def test_representatives_stand_for_as_many_as_their_nodes_do() -> None:
    z, count = torch.randn(1, 5, 4), torch.tensor([[1.0, 0.0, 6.0, 2.0, 3.0]])
    found = representatives(z, count, 12)[0]
    often = [(found == row).all(1).sum().item() for row in z[0]]
    assert often == [1, 0, 6, 2, 3]


def test_representatives_are_spread_evenly() -> None:
    """The order is that of `-z0 + z1` for two columns."""
    z = torch.tensor([[[0.0, 4.0], [0.0, 1.0], [0.0, 2.0], [0.0, 5.0], [0.0, 3.0]]])
    assert representatives(z, torch.ones(1, 5), 1)[0, :, 1].tolist() == [3.0]
    assert representatives(z[:, :4], torch.ones(1, 4), 2)[0, :, 1].tolist() == [2.0, 5.0]


def test_representatives_do_not_depend_on_how_nodes_are_numbered() -> None:
    z, _, count, _ = sides()
    count = repeated(count, 5)
    order = torch.randperm(11, generator=torch.Generator().manual_seed(1))
    expected = representatives(z, count, 5)
    assert torch.equal(representatives(z[:, order], count[:, order], 5), expected)
    assert all(torch.equal(expected[[g]], representatives(z[[g]], count[[g]], 5)) for g in range(3))


@pytest.mark.parametrize("name", SIMILARITIES)
def test_many_nodes_are_well_represented_by_some(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes along a curve: every sixteenth of them tells of all."""
    random = torch.Generator().manual_seed(0)
    t = torch.rand(1, 1600, generator=random) * 3
    z = torch.stack([t, t.cos(), (2 * t).sin(), -t], dim=2)
    queries, ones = torch.randn(1, 40, 4, generator=random), torch.ones(1, 1600)
    monkeypatch.setattr(attention, "TABLE", WHOLE)
    exact = attended(queries, z, ones[:, :40], ones, SIMILARITIES[name])
    monkeypatch.setattr(attention, "TABLE", PARTS)
    monkeypatch.setattr(attention, "KEYS", 100)
    near = attended(queries, z, ones[:, :40], ones, SIMILARITIES[name])
    torch.testing.assert_close(near[1], exact[1], atol=1e-5, rtol=1e-5)  # few nodes: all of them
    difference = (near[0] - exact[0]).abs().max()
    assert 0 < difference < 0.03, "while nodes differ by 3"


def test_representatives_are_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "TABLE", 1)
    monkeypatch.setattr(attention, "KEYS", 4)
    z1, z2, count1, count2 = sides()
    views, _ = attended(z1, z2, count1, count2, SIMILARITIES["dot"])
    (gradient,) = torch.autograd.grad(views.square().sum(), z2)
    touched = gradient.abs().sum(2) > 0
    assert touched.sum(1).tolist() == [4, 4, 3], "those that there are, and nothing of empty slots"
    assert not touched[count2 == 0].any()
