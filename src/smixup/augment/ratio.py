"""The mixup ratio lambda (Sec. 3.1)."""

from __future__ import annotations

import torch
from scipy.special import betaincinv
from torch import Tensor


def draw_ratio(number: int, alpha: float, fold: bool, generator: torch.Generator) -> Tensor:
    """Draw `lam' ~ Beta(alpha, alpha)` by inverting its distribution function, `[number]`.

    Args:
        number: how many.
        alpha: both parameters of the distribution; zero gives lambda = 1.
        fold: return `max(lam', 1 - lam')`, in [0.5, 1], as the paper does; otherwise lam' in [0, 1].
        generator: the source of randomness.
    """
    if alpha == 0:
        return torch.ones(number)
    u = torch.rand(number, generator=generator, dtype=torch.double)
    lam = torch.from_numpy(betaincinv(alpha, alpha, u.numpy())).float()
    return torch.maximum(lam, 1 - lam) if fold else lam
