"""M-Mixup (Wang et al. 2021): mixing after the readout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import draw_ratio, in_rows
from smixup.augment.pairing import draw_any
from smixup.settings import NotNegative


@dataclass
class MMixup(RandomAugmentation):
    """Mixes the representations of the graphs of a batch, `lam h_i + (1 - lam) h_j`, and their
    targets.

    Attributes:
        alpha: the ratio lambda is drawn from Beta(alpha, alpha).
        per_pair: a ratio for every pair instead of one for the batch.
    """

    alpha: NotNegative = 1.0
    per_pair: bool = False

    purpose: ClassVar[str] = "m-mixup"

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Mix each row of representations `[B, H]` with another one; gradients reach both.

        Targets are `[B, C]`, values `[B]`, or integer labels `[B]` once the number of classes is
        known.
        """
        y = self.soft_targets(y)
        partner = draw_any(len(h), len(h), self.random).to(h.device)
        number = len(h) if self.per_pair else 1
        lam = draw_ratio(number, self.alpha, False, self.random).unsqueeze(1).to(h.device)
        of_targets = in_rows(lam.to(y.dtype), y)
        return lam * h + (1 - lam) * h[partner], torch.lerp(y[partner], y, of_targets)
