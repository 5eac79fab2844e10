"""The mixup ratio has the distribution it should have."""

from __future__ import annotations

import pytest
import torch
from scipy.stats import beta, kstest

from smixup.augment.ratio import draw_beta, draw_ratio


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


def test_folding_keeps_the_larger_part() -> None:
    plain, folded = (
        draw_ratio(1000, 0.5, fold, torch.Generator().manual_seed(1)) for fold in (False, True)
    )
    assert torch.equal(folded, torch.maximum(plain, 1 - plain))
    assert (folded >= 0.5).all()
    assert (plain < 0.5).any()


def test_alpha_zero_mixes_nothing_and_one_seed_is_one_draw() -> None:
    assert torch.equal(draw_ratio(3, 0.0, True, torch.Generator()), torch.ones(3))
    one, two = (draw_ratio(5, 0.3, True, torch.Generator().manual_seed(4)) for _ in range(2))
    assert torch.equal(one, two)


def test_a_skewed_distribution() -> None:
    lam = draw_beta(20000, 20.0, 1.0, torch.Generator().manual_seed(0)).double()
    assert float(lam.mean()) == pytest.approx(20 / 21, abs=2e-3)
    assert float((lam < 0.9).double().mean()) == pytest.approx(0.9**20, abs=0.01), (
        "its distribution function is x^20"
    )
