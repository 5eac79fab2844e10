"""The mixup ratio lambda (Sec. 3.1)."""

from __future__ import annotations

import torch
from scipy.special import betaincinv
from torch import Tensor


def draw_beta(number: int, a: float, b: float, generator: torch.Generator) -> Tensor:
    """Draw from Beta(a, b) by inverting its distribution function, `[number]`."""
    u = torch.rand(number, generator=generator, dtype=torch.double)
    return torch.from_numpy(betaincinv(a, b, u.numpy())).float()


def draw_ratio(number: int, alpha: float, fold: bool, generator: torch.Generator) -> Tensor:
    """Draw `lam' ~ Beta(alpha, alpha)`, `[number]`.

    Args:
        number: how many.
        alpha: both parameters of the distribution; zero gives lambda = 1.
        fold: return `max(lam', 1 - lam')`, in [0.5, 1], as the paper does; otherwise lam' in [0,
            1].
        generator: the source of randomness.
    """
    if alpha == 0:
        return torch.ones(number)
    lam = draw_beta(number, alpha, alpha, generator)
    return torch.maximum(lam, 1 - lam) if fold else lam
