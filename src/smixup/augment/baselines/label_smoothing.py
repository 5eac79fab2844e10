"""Label smoothing (Szegedy et al. 2016): soft targets without any mixing."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from smixup.augment.base import Augmentation
from smixup.errors import require


@dataclass
class LabelSmoothing(Augmentation):
    """Trains on `(1 - epsilon) y + epsilon / C`, a control: whatever mixes targets also softens
    them.

    Attributes:
        epsilon: share of every target that goes to all C classes alike.
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        require(0 <= self.epsilon <= 1, "epsilon", self.epsilon, "between 0 and 1")

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Smooth the targets; representations stay."""
        return h, (1 - self.epsilon) * y + self.epsilon / y.size(1)
