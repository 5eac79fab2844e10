"""Near and far targets: which they are, by quantile, with ties and with gaps."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from smixup.matching import near_far
from smixup.matching.near_far import FAR, NEAR, NearAndFar

NAN = float("nan")
Drawn = tuple[Tensor, Tensor, Tensor]


def drawn_from(y: Tensor, number: int = 4000) -> Drawn:
    sampler = NearAndFar.of(y)
    assert sampler is not None
    return sampler.draw(number, torch.Generator().manual_seed(1))


def test_one_value_of_a_row_of_numbers() -> None:
    y = torch.arange(41.0).unsqueeze(1)
    anchor, near, far = drawn_from(y, 20_000)
    assert set(anchor.tolist()) == set(range(41))
    of_first = anchor == 0
    assert set(near[of_first].tolist()) == set(range(1, 11)), "the nearest quarter of 40 others"
    assert set(far[of_first].tolist()) == set(range(21, 41)), "the farthest half"
    of_middle = anchor == 20
    assert set(near[of_middle].tolist()) == {*range(15, 20), *range(21, 26)}
    assert set(far[of_middle].tolist()) == {*range(10), *range(31, 41)}
    assert (anchor != near).all() and (anchor != far).all()


def test_all_near_and_all_far_ones_are_equally_likely() -> None:
    anchor, near, far = drawn_from(torch.arange(9.0).unsqueeze(1) ** 2, 40_000)
    of_first = anchor == 0
    for found, number in ((near[of_first], NEAR * 8), (far[of_first], FAR * 8)):
        counts = found.bincount()
        shares = counts[counts > 0] / counts.sum()
        assert shares.numel() == number
        assert (shares - 1 / number).abs().max() < 0.05
    assert (anchor.bincount() / 40_000 - 1 / 9).abs().max() < 0.02


def test_columns_have_the_same_say_whatever_their_units() -> None:
    y = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
    scaled = y * torch.tensor([1e-4, 1, 1e6])
    for found, expected in zip(drawn_from(scaled), drawn_from(y), strict=True):
        assert torch.equal(found, expected)


def test_near_is_nearer_than_far_in_what_is_known_of_both() -> None:
    random = torch.Generator().manual_seed(0)
    y = torch.randn(80, 2, generator=random)
    y[torch.rand(80, 2, generator=random) < 0.4] = NAN
    y[0] = NAN
    z = (y - y.nanmean(0)) / (y - y.nanmean(0)).square().nanmean(0).sqrt()
    anchor, near, far = drawn_from(y)
    assert not (torch.cat([anchor, near, far]) == 0).any(), "of graph 0 nothing is known"
    apart = [(z[anchor] - z[other]).square().nanmean(1) for other in (near, far)]
    assert (apart[0] < apart[1]).all()


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
def test_one_label_is_a_class(share: float) -> None:
    y = (torch.arange(100) < 100 * share).float().unsqueeze(1)
    anchor, near, far = drawn_from(y)
    assert (y[anchor] == y[near]).all()
    assert (y[anchor] != y[far]).all()
    assert (y[anchor] == 1).any() and (y[anchor] == 0).any()


def test_a_graph_alone_with_its_label_has_no_near_one() -> None:
    y = torch.zeros(30, 1)
    y[7] = 1
    anchor, _, far = drawn_from(y)
    assert not (anchor == 7).any()
    assert (far == 7).all()


def test_several_labels_go_by_agreement() -> None:
    y = torch.tensor([[1.0, 1, 0]] * 5 + [[1.0, 0, 0]] * 5 + [[0.0, 0, 1]] * 5 + [[NAN, NAN, 1.0]])
    anchor, near, far = drawn_from(y)
    of_first = anchor < 5
    assert (near[of_first] < 5).all()
    assert (far[of_first] >= 5).all()
    of_last = anchor == 15
    assert ((near[of_last] >= 10) & (near[of_last] < 15)).all(), "the one label that is known"
    assert (far[of_last] < 10).all()


@pytest.mark.parametrize(
    "y",
    [
        torch.full((9, 2), 4.2),
        torch.full((9, 2), NAN),
        torch.zeros(9, 0),
        torch.zeros(0, 1),
        torch.tensor([[1.0], [2.0], [NAN]]),
        torch.tensor([[1.0, NAN], [2.0, NAN], [NAN, 1.0], [NAN, 2.0]]),
    ],
    ids=["constant", "unknown", "none", "no graphs", "two known", "nothing in common"],
)
def test_targets_that_tell_nothing(y: Tensor) -> None:
    assert NearAndFar.of(y) is None


def test_of_many_graphs_the_unusual_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_far, "MOST", 50)
    y = torch.zeros(20_000, 1)
    y[[4, 17_000, 17_001]] = 1
    anchor, near, far = drawn_from(y)
    assert anchor.unique().numel() == 50
    assert {4, 17_000, 17_001} <= set(anchor.tolist())
    assert (y[anchor] == y[near]).all() and (y[anchor] != y[far]).all()
    assert NearAndFar.of(y, seed=1).pool.tolist() != NearAndFar.of(y, seed=0).pool.tolist()  # type: ignore[union-attr]
