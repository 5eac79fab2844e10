"""M-Mixup mixes what the readout gave, and teaches the encoder about both graphs of a pair."""

from __future__ import annotations

import pytest
import torch

from smixup.augment.baselines.m_mixup import MMixup
from smixup.errors import UsageError


@pytest.mark.parametrize("per_pair", [False, True])
def test_rows_and_targets_are_mixed_by_the_same_ratios(per_pair: bool) -> None:
    """With one-hot rows and targets, the result names partner and ratio."""
    mixed, targets = MMixup(per_pair=per_pair).on_embedding(torch.eye(6), torch.eye(6))
    torch.testing.assert_close(mixed, targets)
    own = mixed.diagonal()
    assert ((mixed > 0).sum(1) <= 2).all()
    ratios = own[own < 1].unique()
    assert len(ratios) == ((own < 1).sum() if per_pair else 1)


def test_the_gradient_reaches_both_encodings() -> None:
    h = torch.randn(5, 3, requires_grad=True)
    mixed, targets = MMixup(seed=2, per_pair=True).on_embedding(h, torch.eye(5))
    for row in range(5):
        (gradient,) = torch.autograd.grad(mixed[row].sum(), h, retain_graph=True)
        torch.testing.assert_close(gradient, targets[row].unsqueeze(1).expand(5, 3))
    assert (targets.diagonal() < 1).any()


def test_ratios_follow_the_distribution() -> None:
    _, targets = MMixup(alpha=2.0, per_pair=True).on_embedding(
        torch.zeros(4000, 1), torch.eye(4000)
    )
    own = targets.diagonal()
    own = own[own < 1]
    assert float(own.mean()) == pytest.approx(0.5, abs=0.02)
    assert float(own.var()) == pytest.approx(1 / 20, abs=0.005), "the variance of Beta(2, 2)"


def test_a_negative_alpha_is_refused() -> None:
    with pytest.raises(UsageError, match="alpha must be 0 or more"):
        MMixup(alpha=-1.0)
