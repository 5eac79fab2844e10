"""Who is mixed with whom, and at which ratio."""

from __future__ import annotations

import pytest
import torch
from scipy.stats import beta, kstest

from smixup.augment.mixing import draw_ratio
from smixup.augment.pairing import draw_alike, draw_any


def test_any_partner_is_drawn_before_one_repeats() -> None:
    random = torch.Generator().manual_seed(0)
    assert sorted(draw_any(5, 5, random).tolist()) == [0, 1, 2, 3, 4]
    found = draw_any(12, 5, random).tolist()
    assert len(found) == 12
    assert sorted(found[:5]) == sorted(found[5:10]) == [0, 1, 2, 3, 4]
    assert len(set(draw_any(3, 5, random).tolist())) == 3
    assert draw_any(1, 1, random).tolist() == [0]


def test_a_partner_of_the_same_class_is_equally_likely(device: torch.device) -> None:
    pool = torch.tensor([2, 0, 0, 1, 2, 0, 2])
    labels = torch.tensor([0, 2, 1]).repeat(6000)
    found = draw_alike(labels.to(device), pool.to(device), torch.Generator().manual_seed(0)).cpu()
    assert torch.equal(pool[found], labels)
    shares = found[labels == 0].bincount(minlength=7).float() / 6000
    assert (shares - torch.tensor([0, 1, 1, 0, 0, 1, 0]) / 3).abs().max() < 0.03
    shares = found[labels == 2].bincount(minlength=7).float() / 6000
    assert (shares - torch.tensor([1, 0, 0, 0, 1, 0, 1]) / 3).abs().max() < 0.03


@pytest.mark.parametrize("alpha", [0.1, 0.2, 1.0, 5.0])
def test_it_is_a_beta_distribution(alpha: float) -> None:
    lam = draw_ratio(20_000, alpha, fold=False, generator=torch.Generator().manual_seed(0))
    assert lam.dtype == torch.float32
    assert ((lam >= 0) & (lam <= 1)).all()
    for quantile in (0.1, 0.25, 0.5, 0.75, 0.9):
        expected = beta(alpha, alpha).cdf(quantile)
        assert float((lam <= quantile).float().mean()) == pytest.approx(expected, abs=0.015)
    if alpha >= 1:
        assert kstest(lam.double().numpy(), beta(alpha, alpha).cdf).pvalue > 0.001
